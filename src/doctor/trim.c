/* SPDX-License-Identifier: MIT */
/* File systems whose deleted blocks nobody tells the drive about. */
#include "doctor.h"

/* Those that know the mount option `discard`; others trim in their own ways or not at all. */
static const char *const file_systems[] = {"ext4", "xfs", "btrfs", "f2fs"};

static bool knows_discard(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(file_systems); i++)
		if (!strcmp(file_systems[i], type))
			return true;
	return false;
}

/* "discard" or "discard=async" among "rw,relatime,discard"; not "nodiscard". */
static bool has_discard(const char *options)
{
	for (const char *o = options; o && *o; o = strchr(o, ',') ? strchr(o, ',') + 1 : NULL)
		if (!strncmp(o, "discard", 7) && strchr(",=", o[7]))
			return true;
	return false;
}

enum timer { TIMER_UNKNOWN, TIMER_OFF, TIMER_ON };

/*
 * systemd: an enabled timer is a link in /etc, one that is running has an invocation in /run/systemd/units, and where there is
 * no /run/systemd/system somebody else boots the machine (sd_booted(3)). cron: the usual places of a script.
 */
static enum timer fstrim_timer(const struct ssd_doctor *d)
{
	static const char *const in_etc[] = {"systemd/system/timers.target.wants/fstrim.timer", "cron.weekly/fstrim",
					     "cron.daily/fstrim"};
	static const char *const in_run[] = {"systemd/units/invocation:fstrim.timer",
					     "systemd/system/timers.target.wants/fstrim.timer"};

	for (size_t i = 0; i < ARRAY_SIZE(in_etc); i++)
		if (doctor_exists(d, ETC, "%s", in_etc[i]))
			return TIMER_ON;
	for (size_t i = 0; i < ARRAY_SIZE(in_run); i++)
		if (doctor_exists(d, RUN, "%s", in_run[i]))
			return TIMER_ON;
	return d->roots->path[ETC] && doctor_exists(d, RUN, "systemd/system") ? TIMER_OFF : TIMER_UNKNOWN;
}

/* The fields of a line of mountinfo, proc_pid_mountinfo(5). */
struct mount {
	char *dev, *point, *options, *type, *source, *super_options;
};

static bool parse(char *line, struct mount *m)
{
	char *rest = NULL, *dash = strstr(line, " - ");

	if (!dash)
		return false;
	*dash = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!strtok_r(line, " ", &rest) || !strtok_r(NULL, " ", &rest))
		return false;
	m->dev = strtok_r(NULL, " ", &rest);
	strtok_r(NULL, " ", &rest);
	m->point = strtok_r(NULL, " ", &rest);
	m->options = strtok_r(NULL, " ", &rest);
	m->type = strtok_r(dash + 3, " \n", &rest);
	m->source = strtok_r(NULL, " \n", &rest);
	m->super_options = strtok_r(NULL, " \n", &rest);
	if (!m->options || !m->source)
		return false;
	ssd_unescape_octal(m->point);
	return true;
}

/* btrfs shows a number that belongs to no device: then the source's name counts. */
static bool lies_on(const struct ssd_doctor *d, const struct doctor_block *b, const struct mount *m)
{
	char name[DOCTOR_TEXT];

	if (*b->dev && !strcmp(b->dev, m->dev))
		return true;
	if (!strncmp(m->source, "/dev/mapper/", 12))
		return doctor_text(d, SYS, name, "class/block/%s/dm/name", b->name) && !strcmp(name, m->source + 12);
	return !strncmp(m->source, "/dev/", 5) && !strcmp(m->source + 5, b->name);
}

/* The drive, and what stands on it: dm-crypt passes nothing on unless it was told to. Partitions have no queue of their own. */
static bool can_trim(const struct ssd_doctor *d, const struct doctor_block *b)
{
	return doctor_int(d, SYS, 0, "class/block/%s/queue/discard_max_bytes", b->below) > 0 &&
	       doctor_int(d, SYS, 1, "class/block/%s/queue/discard_max_bytes", b->name) > 0;
}

static bool is_read_only(const struct mount *m)
{
	return m->super_options && !strncmp(m->super_options, "ro", 2) && strchr(",", m->super_options[2]);
}

static void say(struct ssd_doctor *d, const struct doctor_block *b, const struct mount *m, enum timer timer)
{
	if (timer == TIMER_OFF)
		doctor_say(
			d, SSD_WARNING,
			"%.80s (%s on %s) is mounted without discard, and fstrim.timer is not active: the drive goes "
			"on copying deleted data, writes slower and wears sooner",
			m->point, m->type, b->name);
	else
		doctor_say(d, SSD_INFO,
			   "%.80s (%s on %s) is mounted without discard, and whether anything trims it is not known",
			   m->point, m->type, b->name);
	doctor_advise(d, "`systemctl enable --now fstrim.timer`, or `fstrim -av` from cron");
}

/* The first mount of each block device: a file system that is mounted in several places is one. */
static void look(struct ssd_doctor *d, struct doctor_blocks *blocks, const struct mount *m, enum timer timer)
{
	for (size_t i = 0; i < blocks->n; i++) {
		struct doctor_block *b = &blocks->v[i];

		if (!lies_on(d, b, m))
			continue;
		if (!b->mounted && can_trim(d, b))
			say(d, b, m, timer);
		b->mounted = true;
		return;
	}
}

void doctor_trim(struct ssd_doctor *d)
{
	AUTO_BLOCKS struct doctor_blocks blocks = {0};
	AUTO_FCLOSE FILE *f = doctor_open(d, PROC, "self/mountinfo");
	AUTO_FREE char *line = NULL;
	enum timer timer = fstrim_timer(d);
	size_t size = 0;

	if (!f || timer == TIMER_ON)
		return;
	doctor_blocks(d, &blocks);
	while (getline(&line, &size, f) > 0) {
		struct mount m;

		if (parse(line, &m) && knows_discard(m.type) && !is_read_only(&m) && !has_discard(m.options) &&
		    !has_discard(m.super_options))
			look(d, &blocks, &m, timer);
	}
}
