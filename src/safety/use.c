/* SPDX-License-Identifier: MIT */
/* Uses as data: what counts, in words, and the list of them. */
#include "safety/parts.h"

/* More than that say nothing new. */
#define MAX_USES 64

bool ssd_use_is_active(enum ssd_use_kind kind)
{
	return kind != SSD_USE_SIGNATURE && kind != SSD_USE_NO_NODE && kind != SSD_USE_ELSEWHERE;
}

const char *ssd_use_text(const struct ssd_use *use, char *buf, size_t size)
{
	switch (use->kind) {
	case SSD_USE_MOUNT:
		snprintf(buf, size, "%s is mounted on %s", use->device, use->detail);
		break;
	case SSD_USE_SWAP:
		snprintf(buf, size, "%s is swap space%s%s", use->device, *use->detail ? " " : "", use->detail);
		break;
	case SSD_USE_HOLDER:
		snprintf(buf, size, "%s is part of %s", use->device, use->detail);
		break;
	case SSD_USE_EXCLUSIVE:
		snprintf(buf, size, "%s: %s", use->device, use->detail);
		break;
	case SSD_USE_OPENER:
		snprintf(buf, size, "%s is open in process %d (%s)", use->device, use->pid, use->detail);
		break;
	case SSD_USE_SIGNATURE:
		snprintf(buf, size, "%s contains %s", use->device, use->detail);
		break;
	case SSD_USE_NO_NODE:
		snprintf(buf, size, "namespace %u has no node on this host, so its use is unknown", use->nsid);
		break;
	case SSD_USE_ELSEWHERE:
		if (*use->detail)
			snprintf(buf, size, "namespace %u is also attached to %s, so its use is unknown", use->nsid,
				 use->detail);
		else
			snprintf(buf, size, "the drive does not say who has namespace %u, so its use is unknown",
				 use->nsid);
		break;
	}
	return buf;
}

void safety_shown(char *buf, size_t size, const char *text)
{
	size_t len = 0;

	while (*text == ' ')
		text++;
	for (; *text && len + 5 <= size; text++)
		len += (size_t)sprintf(buf + len, *text < ' ' || *text > '~' ? "\\x%02X" : "%c", (unsigned char)*text);
	while (len && buf[len - 1] == ' ')
		len--;
	buf[len] = '\0';
}

void safety_add_use(struct ssd_usage *usage, struct ssd_use use, const char *fmt, ...)
{
	char detail[sizeof(use.detail)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	safety_shown(use.detail, sizeof(use.detail), detail);
	for (size_t i = 0; i < usage->n; i++) {
		const struct ssd_use *u = &usage->uses[i];

		if (u->kind == use.kind && u->nsid == use.nsid && u->pid == use.pid && !strcmp(u->device, use.device) &&
		    !strcmp(u->detail, use.detail))
			return;
	}
	/* The first active one is what decides: it is never left out. */
	if (usage->n >= MAX_USES && (!ssd_use_is_active(use.kind) || safety_active(usage)))
		return;
	usage->uses = ssd_realloc(usage->uses, usage->n + 1, sizeof(*usage->uses));
	usage->uses[usage->n++] = use;
}

const struct ssd_use *safety_active(const struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		if (ssd_use_is_active(usage->uses[i].kind))
			return &usage->uses[i];
	return NULL;
}

void ssd_usage_free(struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n_handles; i++)
		close(usage->handles[i]);
	free(usage->handles);
	free(usage->uses);
	*usage = (struct ssd_usage){0};
}
