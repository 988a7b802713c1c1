/* SPDX-License-Identifier: MIT */
/*
 * What a DRIVE on the command line means. A word is tried as a node's name, as a PCI address, as a serial number, in
 * this order; a position in a list is none of these. A path (a serial number may have a slash, too) must lead to a node:
 * on this machine the device number decides, not the file's name.
 */
#include "scan/scan.h"

#include <ctype.h>
#include <sys/stat.h>

#define SYSFS "/sys"
/* As many symlinks as Linux follows (path_resolution(7)). */
#define MAX_LINKS 40

/* Adds one item to a list that ends, when the room does, in "and N more". */
static void append(char *buf, size_t size, size_t *n_left_out, const char *item)
{
	size_t len = strlen(buf), reserve = sizeof(", and 65536 more");

	if (*n_left_out || len + 2 + strlen(item) + reserve > size)
		(*n_left_out)++;
	else
		snprintf(buf + len, size - len, "%s%s", len ? ", " : "", item);
}

static void end_list(char *buf, size_t size, size_t n_left_out)
{
	size_t len = strlen(buf);

	if (n_left_out)
		snprintf(buf + len, size - len, ", and %zu more", n_left_out);
}

static int not_found(const struct ssd_host *host, const char *word, struct ssd_err *err)
{
	char names[200] = "";
	size_t left_out = 0;

	ssd_fail(err, SSD_ERR_NOT_FOUND, "no such drive: %.200s", word);
	for (size_t i = 0; i < host->n_drives; i++)
		append(names, sizeof(names), &left_out, host->drives[i].device);
	end_list(names, sizeof(names), left_out);
	if (host->n_drives)
		ssd_hint(err, "the drives here: %s", names);
	else
		ssd_hint(err, "no NVMe drives on this host");
	return -1;
}

static bool is_live(const struct ssd_drive *drive)
{
	return !strcmp(drive->state, "live");
}

/* name is the node, or a partition of it: nvme0n1p2. */
static bool names_node(const char *name, const char *node)
{
	size_t len = strlen(node);

	if (!len || strncmp(name, node, len))
		return false;
	name += len;
	return !*name || (*name == 'p' && name[1] && !name[1 + strspn(name + 1, "0123456789")]);
}

static bool names_namespace(const char *name, const struct ssd_namespace *ns)
{
	return names_node(name, ns->device) || (*ns->generic && !strcmp(name, ns->generic));
}

static bool is_partition(const char *name, const struct ssd_namespace *ns)
{
	return strcmp(name, ns->device) && names_node(name, ns->device);
}

/* The head of a multipath namespace belongs to several controllers: the first live one is taken, else the first. */
static bool by_namespace(const struct ssd_host *host, const char *name, struct ssd_target *target)
{
	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *drive = &host->drives[i];

		for (size_t j = 0; j < drive->n_namespaces; j++) {
			if (!names_namespace(name, &drive->namespaces[j]))
				continue;
			if (!target->drive || (is_live(drive) && !is_live(target->drive)))
				*target = (struct ssd_target){.drive = drive,
							      .nsid = drive->namespaces[j].nsid,
							      .partition = is_partition(name, &drive->namespaces[j])};
		}
	}
	return target->drive != NULL;
}

static bool by_name(const struct ssd_host *host, const char *name, struct ssd_target *target)
{
	for (size_t i = 0; i < host->n_drives; i++) {
		if (strcmp(host->drives[i].device, name))
			continue;
		target->drive = &host->drives[i];
		return true;
	}
	return by_namespace(host, name, target);
}

/* Where symlinks lead, followed by hand because the node at the end may not be there; owned. */
static char *follow(const char *path)
{
	char *at = ssd_strdup(path);

	for (int i = 0; i < MAX_LINKS; i++) {
		char target[4096], *next;
		ssize_t n = readlink(at, target, sizeof(target) - 1);
		const char *slash = strrchr(at, '/');

		if (n < 0)
			break;
		target[n] = '\0';
		next = *target == '/' || !slash ? ssd_strdup(target)
						: ssd_asprintf("%.*s/%s", (int)(slash - at), at, target);
		free(at);
		at = next;
	}
	return at;
}

/* By the name of the file: for a node in /dev that this process cannot see, or whose number sysfs does not show. */
static bool dev_path(const char *path, char *name, size_t size)
{
	AUTO_FREE char *end = follow(path), *dir = NULL;
	char *slash = strrchr(end, '/');

	ssd_strcpy(name, size, slash + 1);
	slash[1] = '\0';
	dir = realpath(end, NULL);
	return dir && !strcmp(dir, "/dev");
}

/* A path to a node of this machine, as the kernel's name of it. False: it leads elsewhere. */
static bool linux_path(const char *path, char *name, size_t size)
{
	struct stat st;

	if (stat(path, &st))
		return dev_path(path, name, size);
	if (!S_ISBLK(st.st_mode) && !S_ISCHR(st.st_mode))
		return false;
	return !scan_node_name(SYSFS, st.st_mode, st.st_rdev, name, size) || dev_path(path, name, size);
}

/* In a host directory: /dev/NAME as on the recorded machine, or the drive's own directory. */
static bool hostdir_path(const struct ssd_host *host, const char *path, char *name, size_t size)
{
	AUTO_FREE char *real = realpath(path, NULL), *root = realpath(host->dir, NULL);
	size_t len = root ? strlen(root) : 0;

	if (real && root && !strncmp(real, root, len) && real[len] == '/' && !strchr(real + len + 1, '/')) {
		ssd_strcpy(name, size, real + len + 1);
		return true;
	}
	if (strncmp(path, "/dev/", 5) || strchr(path + 5, '/'))
		return false;
	ssd_strcpy(name, size, path + 5);
	return true;
}

static bool by_path(const struct ssd_host *host, const char *path, struct ssd_target *target)
{
	char name[256];
	bool known = host->dir ? hostdir_path(host, path, name, sizeof(name)) : linux_path(path, name, sizeof(name));

	return known && by_name(host, name, target);
}

static bool same_pci(const struct scan_pci *word, const char *address)
{
	struct scan_pci pci;

	return scan_pci_parse(address, &pci) && (!word->has_domain || word->domain == pci.domain) &&
	       word->bus == pci.bus && word->device == pci.device && word->function == pci.function;
}

/* As the drive has it, or as it is shown: bytes outside printable ASCII as \xNN. */
static bool is_serial(const char *word, const char *serial)
{
	char shown[4 * sizeof(((struct ssd_drive *)0)->serial)] = "";
	size_t len = 0;

	for (const unsigned char *s = (const unsigned char *)serial; *s; s++)
		len += (size_t)sprintf(shown + len, *s < ' ' || *s > '~' ? "\\x%02X" : "%c", *s);
	return *serial && (!strcmp(serial, word) || !strcmp(shown, word));
}

static bool matches(const struct ssd_drive *drive, const char *word, const struct scan_pci *pci)
{
	return pci ? same_pci(pci, drive->address) : is_serial(word, drive->serial);
}

static int ambiguous(const struct ssd_host *host, const char *word, const struct scan_pci *pci, struct ssd_err *err)
{
	char list[220] = "", item[sizeof(host->drives->device) + sizeof(host->drives->address) + 4];
	size_t left_out = 0;

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *drive = &host->drives[i];

		if (!matches(drive, word, pci))
			continue;
		snprintf(item, sizeof(item), *drive->address ? "%s (%s)" : "%s", drive->device, drive->address);
		append(list, sizeof(list), &left_out, item);
	}
	end_list(list, sizeof(list), left_out);
	ssd_fail(err, SSD_ERR_AMBIGUOUS, "%s %.40s matches several controllers: %s",
		 pci ? "PCI address" : "serial number", word, list);
	ssd_hint(err, "name one of them");
	return -1;
}

/* By PCI address, or with pci NULL by serial number. Returns 1 when found, 0 when not, -1 when there are several. */
static int by_fact(const struct ssd_host *host, const char *word, const struct scan_pci *pci, struct ssd_target *target,
		   struct ssd_err *err)
{
	bool found = false;

	for (size_t i = 0; i < host->n_drives; i++) {
		if (!matches(&host->drives[i], word, pci))
			continue;
		if (found)
			return ambiguous(host, word, pci, err);
		target->drive = &host->drives[i];
		target->by_serial = !pci;
		found = true;
	}
	return found;
}

int ssd_host_resolve(const struct ssd_host *host, const char *word, struct ssd_target *target, struct ssd_err *err)
{
	AUTO_FREE char *text = ssd_strdup(word);
	struct scan_pci pci;
	int found;

	*target = (struct ssd_target){0};
	scan_trim(text);
	if (strchr(text, '/') ? by_path(host, text, target) : by_name(host, text, target))
		return 0;
	found = by_fact(host, text, scan_pci_parse(text, &pci) ? &pci : NULL, target, err);
	if (found < 0)
		return -1;
	return found ? 0 : not_found(host, text, err);
}
