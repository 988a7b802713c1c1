/* SPDX-License-Identifier: MIT */
/* Hosts: this machine or a directory, as one list of drives. */
#include "scan/scan.h"

#define SYSFS "/sys"

const char *ssd_backend_name(enum ssd_backend backend)
{
	static const char *const names[] = {
		[SSD_BACKEND_LINUX] = "linux",
		[SSD_BACKEND_SIMULATED] = "simulated",
		[SSD_BACKEND_RECORDED] = "recorded",
	};

	return names[backend];
}

void scan_drive_init(struct ssd_drive *drive, const char *name)
{
	*drive = (struct ssd_drive){
		.cntlid = -1,
		.numa_node = -1,
		.current_link_width = -1,
		.max_link_width = -1,
		.pci_vendor = -1,
		.pci_device = -1,
		.pci_subsystem_vendor = -1,
		.pci_subsystem_device = -1,
	};
	ssd_strcpy(drive->device, sizeof(drive->device), name);
}

void scan_note(struct ssd_drive *drive, const char *fmt, ...)
{
	size_t len = strlen(drive->note);
	va_list ap;

	if (len)
		len += (size_t)snprintf(drive->note + len, sizeof(drive->note) - len, "; ");
	if (len >= sizeof(drive->note))
		return;
	va_start(ap, fmt);
	vsnprintf(drive->note + len, sizeof(drive->note) - len, fmt, ap);
	va_end(ap);
}

int scan_width(long long width)
{
	return width > 0 && width < 255 ? (int)width : -1;
}

struct ssd_namespace *scan_add_namespace(struct ssd_drive *drive)
{
	struct ssd_namespace *ns;

	drive->namespaces = ssd_realloc(drive->namespaces, drive->n_namespaces + 1, sizeof(*drive->namespaces));
	ns = &drive->namespaces[drive->n_namespaces++];
	*ns = (struct ssd_namespace){.metadata_bytes = -1};
	return ns;
}

struct ssd_drive *scan_add_drive(struct ssd_host *host, const char *name)
{
	struct ssd_drive *drive;

	host->drives = ssd_realloc(host->drives, host->n_drives + 1, sizeof(*host->drives));
	drive = &host->drives[host->n_drives++];
	scan_drive_init(drive, name);
	drive->host = host;
	return drive;
}

static int by_device(const void *a, const void *b)
{
	return ssd_natural_cmp(((const struct ssd_drive *)a)->device, ((const struct ssd_drive *)b)->device);
}

static int by_nsid(const void *a, const void *b)
{
	uint32_t x = ((const struct ssd_namespace *)a)->nsid, y = ((const struct ssd_namespace *)b)->nsid;

	return (x > y) - (x < y);
}

static void sort(struct ssd_host *host)
{
	if (host->n_drives)
		qsort(host->drives, host->n_drives, sizeof(*host->drives), by_device);
	for (size_t i = 0; i < host->n_drives; i++) {
		struct ssd_drive *d = &host->drives[i];

		if (d->n_namespaces)
			qsort(d->namespaces, d->n_namespaces, sizeof(*d->namespaces), by_nsid);
	}
}

struct ssd_host *ssd_host_scan_sysfs(const char *sysfs, struct ssd_err *err)
{
	struct ssd_host *host = ssd_calloc(1, sizeof(*host));

	(void)err; /* nothing about a machine makes a look at it fail */
	host->backend = SSD_BACKEND_LINUX;
	scan_sysfs(host, sysfs);
	sort(host);
	return host;
}

struct ssd_host *ssd_host_scan(const char *dir, struct ssd_err *err)
{
	struct ssd_host *host;

	if (!dir)
		return ssd_host_scan_sysfs(SYSFS, err);
	host = ssd_calloc(1, sizeof(*host));
	host->dir = ssd_strdup(dir);
	if (scan_hostdir(host, err)) {
		ssd_host_free(host);
		return NULL;
	}
	sort(host);
	return host;
}

bool ssd_same_subsystem(const struct ssd_drive *a, const struct ssd_drive *b)
{
	return *a->serial && !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model) &&
	       !strcmp(a->subsysnqn, b->subsysnqn);
}

void ssd_host_free(struct ssd_host *host)
{
	if (!host)
		return;
	for (size_t i = 0; i < host->n_drives; i++)
		free(host->drives[i].namespaces);
	free(host->drives);
	free(host->mistake);
	free(host->dir);
	free(host);
}
