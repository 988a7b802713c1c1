/* SPDX-License-Identifier: MIT */
/* Between wish and deed: lock, usage, decision, question; then the permit. */
#include "safety/parts.h"

#include <ssdct/signals.h>

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <time.h>

/* udev looks at a device for a moment whenever something about it has changed: that is waited for. */
#define SETTLE_LOOKS 10
#define SETTLE_NS 100000000

struct ssd_permit {
	const struct ssd_grant *grant; /* owned */
	struct ssd_usage usage;        /* with its exclusive handles */
	int lock;
	bool real; /* this machine: what happens goes to its log */
	char device[32];
	char serial[96]; /* as it is shown */
	char raw[32];    /* as the host has it */
	char *what;      /* owned */
};

static void auto_permit(struct ssd_permit **permit)
{
	ssd_permit_free(*permit);
}

void ssd_permit_free(struct ssd_permit *permit)
{
	if (!permit)
		return;
	free((void *)permit->grant);
	ssd_usage_free(&permit->usage);
	safety_unlock(&permit->lock);
	free(permit->what);
	free(permit);
}

static struct ssd_permit *permit_new(const struct ssd_intent *intent)
{
	struct ssd_permit *p = ssd_calloc(1, sizeof(*p));

	p->lock = -1;
	p->real = !intent->drive->host->dir;
	ssd_strcpy(p->device, sizeof(p->device), intent->drive->device);
	safety_shown(p->serial, sizeof(p->serial), intent->drive->serial);
	ssd_strcpy(p->raw, sizeof(p->raw), intent->drive->serial);
	p->what = ssd_strdup(intent->what);
	return p;
}

static bool has_other_controllers(const struct ssd_drive *drive)
{
	const struct ssd_host *host = drive->host;

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *d = &host->drives[i];

		if (d != drive &&
		    (ssd_same_subsystem(d, drive) || (*d->subsystem && !strcmp(d->subsystem, drive->subsystem))))
			return true;
	}
	return false;
}

/* Names of udev's processes: before and since systemd 252. */
static bool is_udev(const char *name)
{
	return !strcmp(name, "(udev-worker)") || !strcmp(name, "systemd-udevd") || !strcmp(name, "udevd");
}

static bool only_udev(const struct ssd_usage *usage)
{
	bool any = false;

	for (size_t i = 0; i < usage->n; i++) {
		const struct ssd_use *u = &usage->uses[i];

		if (!ssd_use_is_active(u->kind))
			continue;
		if (u->kind != SSD_USE_OPENER || !is_udev(u->detail))
			return false;
		any = true;
	}
	return any;
}

static void look_once(const struct ssd_intent *intent, bool exclusive, struct ssd_usage *usage)
{
	size_t n = intent->subsystem_reset ? 0 : intent->n_nsids;

	ssd_usage_free(usage);
	ssd_usage_scan(intent->drive, intent->nsids, n, exclusive, usage);
	for (size_t i = 0; i < intent->n_known; i++)
		safety_add_use(usage, intent->known[i], "%s", intent->known[i].detail);
}

/* Who uses the drive matters to all but plain changes, and whoever takes access or data away must hold it meanwhile. */
static void look(const struct ssd_intent *intent, struct ssd_usage *usage)
{
	bool exclusive = intent->impact == SSD_TAKES_ACCESS || intent->impact == SSD_DESTROYS;

	if (intent->impact == SSD_CHANGES && !intent->subsystem_reset)
		return;
	look_once(intent, exclusive, usage);
	for (int i = 0; i < SETTLE_LOOKS && only_udev(usage); i++) {
		nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
		look_once(intent, exclusive, usage);
	}
}

static struct ssd_decision decide(const struct ssd_intent *intent, const struct ssd_permit *p)
{
	const struct ssd_drive *drive = intent->drive;
	struct ssd_facts facts = {.impact = intent->impact,
				  .subsystem_reset = intent->subsystem_reset,
				  .other_controllers = has_other_controllers(drive),
				  .pcie = !strcmp(drive->transport, "pcie"),
				  .simulated = drive->host->backend != SSD_BACKEND_LINUX,
				  .usage = &p->usage,
				  .yes = intent->yes,
				  .force = intent->force,
				  .confirm = intent->confirm,
				  .serial = p->serial};

	/* A dry run ends before it would be confirmed, so it is not refused for want of a terminal. */
	facts.terminal = intent->dry_run || safety_has_terminal();
	return ssd_decide(&facts);
}

static int fail_refused(const struct ssd_permit *p, const struct ssd_decision *d, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_REFUSED, "%s: %s; nothing was sent", p->device, d->reason);
	ssd_hint(err, "%s", d->hint);
	return -1;
}

static bool concerns(const struct ssd_intent *intent, uint32_t nsid)
{
	for (size_t i = 0; i < intent->n_nsids; i++)
		if (intent->nsids[i] == nsid || intent->nsids[i] == SSD_NSID_ALL)
			return true;
	return !intent->n_nsids;
}

/*
 * A node has the instance number of the NVM subsystem, which need not be the controller's: nvme3n1 may be a namespace of nvme0,
 * and nvme3 another drive (linux-nvme/nvme-cli issue 455). That other drive, or NULL.
 */
static const struct ssd_drive *namesake(const struct ssd_drive *drive, const struct ssd_namespace *ns)
{
	const struct ssd_host *host = drive->host;
	size_t digits = strcspn(ns->device, "0123456789"), len = digits + strspn(ns->device + digits, "0123456789");

	for (size_t i = 0; i < host->n_drives; i++) {
		const struct ssd_drive *d = &host->drives[i];

		if (d != drive && !ssd_same_subsystem(d, drive) && strlen(d->device) == len &&
		    !strncmp(d->device, ns->device, len))
			return d;
	}
	return NULL;
}

static void say_namespace(FILE *f, const struct ssd_drive *drive, const struct ssd_namespace *ns)
{
	const struct ssd_drive *other = namesake(drive, ns);
	char serial[96], size[32];

	fprintf(f, "  namespace %u (%s): %s\n", ns->nsid, *ns->device ? ns->device : "no node",
		ssd_bytes_text((double)ns->size_bytes, size));
	if (!other)
		return;
	safety_shown(serial, sizeof(serial), other->serial);
	fprintf(f, "  NOTE: %s is a namespace of %s; %s is another drive, with serial number %s\n", ns->device,
		drive->device, other->device, serial);
}

/* Which drive, how large, who uses it, what happens: all that is needed to see that it is the wrong one. */
static char *question(const struct ssd_intent *intent, const struct ssd_permit *p)
{
	static const char *const effects[] = {
		[SSD_CHANGES] = "",
		[SSD_INTERRUPTS] = " I/O stalls until the controller is back.",
		[SSD_TAKES_ACCESS] = " This host can no longer reach it then.",
		[SSD_DESTROYS] = " THE DATA ARE LOST FOR EVER.",
	};
	const struct ssd_drive *drive = intent->drive;
	char model[200], revision[80], use[320], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return ssd_strdup("");
	safety_shown(model, sizeof(model), drive->model);
	safety_shown(revision, sizeof(revision), drive->firmware);
	fprintf(f, "%s%s: %s, serial number %s, firmware %s\n", p->device, p->real ? "" : " (simulated)", model,
		p->serial, revision);
	for (size_t i = 0; i < drive->n_namespaces && intent->impact >= SSD_TAKES_ACCESS; i++)
		if (concerns(intent, drive->namespaces[i].nsid))
			say_namespace(f, drive, &drive->namespaces[i]);
	for (size_t i = 0; i < p->usage.n; i++)
		fprintf(f, "  %s\n", ssd_use_text(&p->usage.uses[i], use, sizeof(use)));
	fprintf(f, "About to %s.%s\n", intent->what, effects[intent->impact]);
	fclose(f);
	return text;
}

/* A person may think for long: what was true before the question must still be. */
static int ask(const struct ssd_intent *intent, struct ssd_permit *p, enum ssd_verdict verdict, struct ssd_err *err)
{
	AUTO_FREE char *text = question(intent, p);
	struct ssd_decision d;

	if (safety_ask(text, verdict == SSD_VERDICT_ASK_SERIAL ? p->serial : NULL, err)) {
		ssd_err_prefix(err, "%s", p->device);
		return -1;
	}
	look(intent, &p->usage);
	d = decide(intent, p);
	return d.verdict == SSD_VERDICT_REFUSE ? fail_refused(p, &d, err) : 0;
}

int ssd_permit_get(const struct ssd_intent *intent, struct ssd_permit **permit, struct ssd_err *err)
{
	AUTO(auto_permit) struct ssd_permit *p = permit_new(intent);
	struct ssd_decision d;

	*permit = NULL;
	if (intent->dry_run ? safety_lock_held(intent->drive, err) : safety_lock(intent->drive, &p->lock, err))
		return -1;
	look(intent, &p->usage);
	d = decide(intent, p);
	if (d.verdict == SSD_VERDICT_REFUSE)
		return fail_refused(p, &d, err);
	if (intent->dry_run)
		return 0;
	if (d.verdict != SSD_VERDICT_GO && ask(intent, p, d.verdict, err))
		return -1;
	/* Where signals are blocked already, one may have come while the drive was looked at. */
	if (ssd_signal_wait(0))
		return ssd_fail(err, SSD_ERR_INTERRUPTED, "%s: interrupted; nothing was sent", p->device);
	p->grant = safety_grant_new(SSD_VERDICT_GO, intent);
	/* The end may never come, if it takes the machine with it. */
	ssd_permit_log(p, "begun");
	*permit = STEAL(p);
	return 0;
}

/* sysfs, host directories and Identify trim and replace what is no text in different ways: that makes no difference. */
static void plain_serial(char buf[32], const char *serial)
{
	size_t len = 0;

	for (; *serial && len < 31; serial++) {
		bool odd = *serial <= ' ' || *serial > '~' || *serial == '?';

		if (len || !odd)
			buf[len++] = odd ? '?' : *serial;
	}
	while (len && buf[len - 1] == '?')
		len--;
	buf[len] = '\0';
}

int ssd_permit_check(const struct ssd_permit *permit, const char *serial, struct ssd_err *err)
{
	char before[32], now[32];

	plain_serial(before, permit->raw);
	plain_serial(now, serial);
	if (!strcmp(before, now))
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED,
		 "%s: the drive now says its serial number is \"%s\", not \"%s\"; nothing was sent", permit->device,
		 now, permit->serial);
	ssd_hint(err, "another drive has taken this name: see ssdct list");
	return -1;
}

/* A page: the largest that can be set while the blocks are still smaller. */
#define BRACE_BYTES 4096

int ssd_permit_brace(const struct ssd_permit *permit, struct ssd_err *err)
{
	for (size_t i = 0; i < permit->usage.n_handles; i++) {
		int fd = permit->usage.handles[i], logical, size = BRACE_BYTES;

		if (ioctl(fd, BLKSSZGET, &logical) || (logical < size && ioctl(fd, BLKBSZSET, &size)))
			return ssd_fail_errno(err, errno, "%s: preparing the block device; nothing was sent",
					      permit->device);
	}
	return 0;
}

/* EINVAL: a device that never has partitions. */
static int reread(int fd)
{
	int logical;

	if (ioctl(fd, BLKSSZGET, &logical) || (logical > BRACE_BYTES && ioctl(fd, BLKBSZSET, &logical)))
		return errno;
	if (ioctl(fd, BLKFLSBUF))
		return errno;
	return ioctl(fd, BLKRRPART) && errno != EINVAL ? errno : 0;
}

int ssd_permit_reread(const struct ssd_permit *permit, struct ssd_err *err)
{
	int error = 0;

	for (size_t i = 0; i < permit->usage.n_handles; i++) {
		int e = reread(permit->usage.handles[i]);

		error = error ? error : e;
	}
	return error ? ssd_fail_errno(err, error, "%s: reading the partition tables anew", permit->device) : 0;
}

void ssd_permit_let_go(struct ssd_permit *permit)
{
	ssd_usage_free(&permit->usage);
}

const struct ssd_grant *ssd_permit_grant(const struct ssd_permit *permit)
{
	return permit->grant;
}

void ssd_permit_log(const struct ssd_permit *permit, const char *outcome)
{
	if (permit->real)
		safety_journal(permit->device, permit->serial, permit->what, outcome);
}
