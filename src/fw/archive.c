/* SPDX-License-Identifier: MIT */
/* Archives as vendors ship them: .cab (LVFS) and .zip, read with libarchive; nothing is written to disk. */
#include "fw/image.h"

#include <archive.h>
#include <archive_entry.h>

#define MEMBERS_MAX 500
/* All members together: an archive that unpacks to more is not firmware. */
#define TOTAL_MAX (4u * (size_t)FW_IMAGE_MAX)

struct contents {
	struct fw_member *v;
	size_t n, total;
};

static void contents_free(struct contents *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].name);
		free(c->v[i].data);
	}
	free(c->v);
}

static void auto_archive(struct archive **a)
{
	archive_read_free(*a);
}

/* The declared size may be missing or wrong: what counts is what comes. */
static int read_member(struct archive *a, struct contents *c, struct fw_member *m)
{
	size_t room = 0;
	la_ssize_t n;

	for (;;) {
		if (m->size == room) {
			room = room ? 2 * room : 65536;
			m->data = ssd_realloc(m->data, room, 1);
		}
		n = archive_read_data(a, m->data + m->size, room - m->size);
		if (n <= 0)
			return (int)n;
		m->size += (size_t)n;
		c->total += (size_t)n;
		if (c->total > TOTAL_MAX)
			return -1;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');

	return slash > back ? slash + 1 : back ? back + 1 : path;
}

static int unpack(const struct fw_file *file, struct contents *c, struct ssd_err *err)
{
	AUTO(auto_archive) struct archive *a = archive_read_new();
	struct archive_entry *entry;
	int rc;

	archive_read_support_format_cab(a);
	archive_read_support_format_zip(a);
	rc = archive_read_open_memory(a, file->data, file->size);
	while (rc == ARCHIVE_OK && (rc = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != 0)
			continue;
		if (c->n == MEMBERS_MAX)
			return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: too many files for a firmware archive",
					file->path);
		c->v = ssd_realloc(c->v, c->n + 1, sizeof(*c->v));
		c->v[c->n++] = (struct fw_member){.name = ssd_strdup(name ? name : "?")};
		if (read_member(a, c, &c->v[c->n - 1]) < 0)
			rc = ARCHIVE_FATAL;
	}
	if (rc == ARCHIVE_EOF)
		return 0;
	return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: the archive is damaged, truncated or too large: %s", file->path,
			archive_error_string(a) ? archive_error_string(a) : "no firmware unpacks to so much");
}

static struct fw_member *find(struct contents *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcasecmp(c->v[i].name, name) || !strcasecmp(base_name(c->v[i].name), name))
			return &c->v[i];
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcasecmp(text + n - m, end);
}

static bool may_be_firmware(const struct fw_member *m)
{
	static const char *const papers[] = {".xml", ".txt",  ".md",  ".asc",  ".p7b",
					     ".p7c", ".jcat", ".pdf", ".html", ".sig"};

	for (size_t i = 0; i < ARRAY_SIZE(papers); i++)
		if (ends_with(m->name, papers[i]))
			return false;
	return !fw_wrong_kind(m->data, m->size);
}

/* The only member that may be firmware; NULL: none or several, whose names go into list. */
static struct fw_member *only_payload(struct contents *c, char *list, size_t size)
{
	struct fw_member *found = NULL;
	size_t n = 0;

	*list = '\0';
	for (size_t i = 0; i < c->n; i++) {
		if (!may_be_firmware(&c->v[i]))
			continue;
		if (strlen(list) + strlen(c->v[i].name) + 3 < size)
			snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", c->v[i].name);
		found = &c->v[i];
		n++;
	}
	return n == 1 ? found : NULL;
}

/* The payload that a component names; when it names none, LVFS's default, or the only one. */
static struct fw_member *payload_of(struct contents *c, const struct fw_metainfo *info)
{
	struct fw_member *m = *info->filename ? find(c, info->filename) : find(c, "firmware.bin");
	char list[8];

	return m || *info->filename ? m : only_payload(c, list, sizeof(list));
}

static int take(const struct fw_file *file, struct fw_member *m, struct fw_image *image, struct ssd_err *err)
{
	const char *wrong = fw_wrong_kind(m->data, m->size);

	if (wrong)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: %s in it is not a firmware image: it is %s", file->path,
				m->name, wrong);
	if (m->size > FW_IMAGE_MAX)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: %s in it is larger than any firmware (64 MiB)", file->path,
				m->name);
	image->member = ssd_strdup(m->name);
	image->data = STEAL(m->data);
	image->size = m->size;
	return 0;
}

static int take_component(const struct fw_file *file, struct contents *c, const struct fw_metainfo *info,
			  struct fw_image *image, struct ssd_err *err)
{
	struct fw_member *m = payload_of(c, info);
	char sum[65];

	if (!m)
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: the payload %s that its metadata name is not in it",
				file->path, *info->filename ? info->filename : "firmware.bin");
	fw_sha256(m->data, m->size, sum);
	if (*info->sha256 && strcmp(info->sha256, sum) != 0)
		return ssd_fail(err, SSD_ERR_BAD_INPUT,
				"%s: %s in it is damaged: its SHA-256 is not the one in the metadata", file->path,
				m->name);
	ssd_strcpy(image->version, sizeof(image->version), info->version);
	return take(file, m, image, err);
}

static int fail_nothing(const struct fw_file *file, const struct fw_match *match, bool metadata, const char *list,
			struct ssd_err *err)
{
	if (metadata)
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: nothing in it is for %s; it is for: %s", file->path, match->model,
			 *list ? list : "?");
	else if (*list)
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: it does not say which of its files is for %s: %s", file->path,
			 match->model, list);
	else
		ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: there is no firmware image in it", file->path);
	ssd_hint(err, metadata ? "get the firmware from the vendor of this very model" : "unpack it and name the file");
	return -1;
}

/* Vendors who lead over an earlier firmware say so; a step that is left out can end a drive. */
static int fail_unmet(const struct fw_file *file, const struct fw_metainfo *info, const struct fw_match *match,
		      struct ssd_err *err)
{
	const struct fw_requirement *r = fw_metainfo_unmet(info, match);

	if (!r)
		return 0;
	ssd_fail(err, SSD_ERR_BAD_INPUT, "%s requires %s %s \"%s\", the drive runs %s", file->path,
		 *r->of ? r->of : "firmware", *r->compare ? r->compare : "?", r->version,
		 match->revision ? match->revision : "?");
	ssd_hint(err, "install the firmware first that the vendor wants before this one");
	return -1;
}

static int choose(const struct fw_file *file, struct contents *c, const struct fw_match *match, struct fw_image *image,
		  struct ssd_err *err)
{
	struct fw_metainfo info;
	bool metadata = false;
	struct fw_member *m;
	char list[160] = "";

	for (size_t i = 0; i < c->n; i++) {
		if (!ends_with(c->v[i].name, ".xml") || fw_metainfo_parse(c->v[i].data, c->v[i].size, &info))
			continue;
		if (fw_metainfo_fits(&info, match))
			return fail_unmet(file, &info, match, err) ? -1 : take_component(file, c, &info, image, err);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", *list ? ", " : "", info.name);
		metadata = true;
	}
	m = metadata ? NULL : only_payload(c, list, sizeof(list));
	return m ? take(file, m, image, err) : fail_nothing(file, match, metadata, list, err);
}

int fw_archive_select(const struct fw_file *file, const struct fw_match *match, struct fw_image *image,
		      struct ssd_err *err)
{
	AUTO(contents_free) struct contents c = {0};

	return unpack(file, &c, err) || choose(file, &c, match, image, err) ? -1 : 0;
}
