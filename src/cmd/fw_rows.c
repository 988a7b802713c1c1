/* SPDX-License-Identifier: MIT */
/* Which drives a firmware command is about, settled before anything is opened. */
#include "fw_common.h"

#include <fnmatch.h>

static void remove_row(struct ssd_run *run, size_t i)
{
	memmove(run->rows + i, run->rows + i + 1, (run->n_rows - i - 1) * sizeof(*run->rows));
	run->n_rows--;
}

/* A namespace means its drive, and several controllers of one subsystem are one drive. */
static void merge(struct ssd_run *run)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const struct ssd_drive *drive = run->rows[i].target.drive;

		for (size_t j = run->n_rows - 1; j > i; j--) {
			const struct ssd_drive *d = run->rows[j].target.drive;

			if (d != drive && !ssd_same_subsystem(drive, d))
				continue;
			/* One that answers speaks for the drive. */
			if (d != drive && strcmp(drive->state, "live") && !strcmp(d->state, "live"))
				run->rows[i].target.drive = d;
			if (d != drive)
				ssd_note(run, "%s and %s are one drive, which is updated once", drive->device,
					 d->device);
			remove_row(run, j);
		}
	}
}

/* With --all the pattern chooses; a drive that was named must match it. */
static int filter(struct ssd_run *run, const char *model, struct ssd_err *err)
{
	for (size_t i = 0; i < run->n_rows;) {
		const struct ssd_drive *d = run->rows[i].target.drive;

		if (!fnmatch(model, d->model, 0)) {
			i++;
		} else if (run->globals.all) {
			remove_row(run, i);
		} else {
			ssd_fail(err, SSD_ERR_REFUSED,
				 "%s is %s, which does not match --model \"%s\"; nothing was sent", d->device, d->model,
				 model);
			return -1;
		}
	}
	if (run->n_rows)
		return 0;
	return ssd_fail(err, SSD_ERR_NOT_FOUND, "no drive here matches --model \"%s\"", model);
}

/* "A", "B": each model once, with `before` in front of it, as far as there is room. */
static void list_models(const struct ssd_run *run, const char *before, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < run->n_rows; i++) {
		const char *model = run->rows[i].target.drive->model;
		bool again = false;

		for (size_t j = 0; j < i && !again; j++)
			again = !strcmp(run->rows[j].target.drive->model, model);
		if (!again && len + strlen(before) + strlen(model) + 6 < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s\"%s\"", len ? ", " : "", before, model);
	}
}

static int check_models(struct ssd_run *run, struct ssd_err *err)
{
	char models[360];

	for (size_t i = 1; i < run->n_rows; i++) {
		const struct ssd_drive *a = run->rows[0].target.drive, *b = run->rows[i].target.drive;

		if (!strcmp(a->model, b->model))
			continue;
		ssd_fail(err, SSD_ERR_REFUSED, "different models: %s is %s, %s is %s; nothing was sent", a->device,
			 a->model, b->device, b->model);
		list_models(run, run->globals.all ? "--model " : "", models, sizeof(models));
		if (run->globals.all)
			ssd_hint(err, "say which are meant: %s", models);
		else
			ssd_hint(err, "name the drives of one model only, or give --model a pattern that all match: %s",
				 models);
		return -1;
	}
	return 0;
}

/* The md array that holds a namespace of both drives; empty when there is none. */
static const char *common_array(const struct ssd_usage *a, const struct ssd_usage *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (a->uses[i].kind == SSD_USE_HOLDER && b->uses[j].kind == SSD_USE_HOLDER &&
			    !strncmp(a->uses[i].detail, "md", 2) && !strcmp(a->uses[i].detail, b->uses[j].detail))
				return a->uses[i].detail;
	return "";
}

/* An array whose members pause one right after the other can lose both (ceph/ceph-cm-ansible#866). */
static int check_arrays(struct ssd_run *run, struct ssd_err *err)
{
	AUTO_FREE struct ssd_usage *usages = ssd_calloc(run->n_rows + 1, sizeof(*usages));
	int rc = 0;

	for (size_t i = 0; i < run->n_rows; i++)
		ssd_usage_scan(run->rows[i].target.drive, NULL, 0, false, &usages[i]);
	for (size_t i = 0; i < run->n_rows; i++)
		for (size_t j = i + 1; j < run->n_rows && !rc; j++) {
			const char *array = common_array(&usages[i], &usages[j]);

			if (!*array)
				continue;
			rc = ssd_fail(err, SSD_ERR_REFUSED,
				      "%s and %s are both members of %s: their firmware is not activated back to back",
				      run->rows[i].target.drive->device, run->rows[j].target.drive->device, array);
			ssd_hint(err,
				 "activate one, see that %s is complete again, then the other; or use --activate later",
				 array);
		}
	for (size_t i = 0; i < run->n_rows; i++)
		ssd_usage_free(&usages[i]);
	return rc;
}

int fw_prepare_rows(struct ssd_run *run, const char *model, bool activates, struct ssd_err *err)
{
	merge(run);
	if (!run->n_rows)
		return ssd_fail(err, SSD_ERR_NOT_FOUND, "there is no drive here");
	if (model ? filter(run, model, err) : check_models(run, err))
		return -1;
	return activates && run->n_rows > 1 ? check_arrays(run, err) : 0;
}
