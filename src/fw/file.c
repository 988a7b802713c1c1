/* SPDX-License-Identifier: MIT */
/* Image files: reading them once, and saying what a file is that is no firmware. */
#include "fw/image.h"

#include <errno.h>
#include <ssdct/le.h>
#include <nettle/sha2.h>

/* Archives hold the image and its documents. */
#define ARCHIVE_MAX (4u * FW_IMAGE_MAX)

/* What people hand over instead of an image, by the bytes that it begins with. */
static const struct {
	size_t at, len;
	const char *bytes, *what;
} wrong[] = {
	{0, 4,
	 "\x7f"
	 "ELF",
	 "an ELF program or library"},
	{0, 3, "\x1f\x8b\x08", "gzip-compressed: unpack it first"}, /* RFC 1952, 2.3.1: deflate is the only method */
	{4, 6, "1AY&SY", "bzip2-compressed: unpack it first"},
	{0, 6,
	 "\xfd"
	 "7zXZ\0",
	 "xz-compressed: unpack it first"},
	{0, 4, "\x28\xb5\x2f\xfd", "zstd-compressed: unpack it first"},
	{0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it first"},
	{0, 6, "Rar!\x1a\x07", "a RAR archive: unpack it first"},
	{0, 4, "%PDF", "a PDF document"},
	{0, 8, "!<arch>\n", "a Debian package or an ar archive"},
	{0, 4, "\xed\xab\xee\xdb", "an RPM package"},
	{0, 8, "\x89PNG\r\n\x1a\n", "a PNG picture"},
	{257, 5, "ustar", "a tar archive: unpack it first"},
	{0x8001, 5, "CD001", "a CD image: it boots into an updater of its own, and holds the firmware inside"},
};

static bool starts_with(const struct fw_file *f, const char *bytes, size_t len, size_t at)
{
	return f->size >= at + len && !memcmp(f->data + at, bytes, len);
}

/* Two letters prove nothing: where the header says so there must be the next one (PE format, "MS-DOS stub"). */
static bool is_windows_program(const struct fw_file *f)
{
	uint32_t at = f->size >= 0x40 ? ssd_le32(f->data + 0x3c) : UINT32_MAX;

	/* The first two fields are the same in all that today's linkers write. */
	return starts_with(f, "MZ\x90\0", 4, 0) ||
	       (starts_with(f, "MZ", 2, 0) && at < f->size && starts_with(f, "PE\0\0", 4, at));
}

/* The length of the character at p, or 0 when it is none of a text: UTF-8 (RFC 3629, section 4) without controls. */
static size_t text_char(const uint8_t *p, size_t left)
{
	size_t more = *p >= 0xf0 && *p <= 0xf4 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc2 ? 1 : 0;

	if (*p < 0x80)
		return (*p >= 0x20 && *p != 0x7f) || (*p >= '\t' && *p <= '\r');
	if (!more || *p > 0xf4)
		return 0;
	for (size_t i = 1; i <= more && i < left; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return more + 1;
}

/* Firmware is binary: a beginning of nothing but text is a page, a script, or the pointer of a large-file store. */
static const char *text_kind(const struct fw_file *f)
{
	size_t n = f->size < 512 ? f->size : 512, i = 0, step = 1;
	char head[513] = "";

	while (i < n && step) {
		step = text_char(f->data + i, n - i);
		i += step;
	}
	if (i < n || n < 16)
		return NULL;
	memcpy(head, f->data, n);
	if (strcasestr(head, "<!doctype html") || strcasestr(head, "<html"))
		return "an HTML page: the download went wrong";
	if (!strncmp(head, "#!", 2))
		return "a script";
	return "a text file";
}

static int fail_file(const struct fw_file *f, const char *what, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_BAD_INPUT, "%s is not a firmware image: it is %s", f->path, what);
	ssd_hint(err, "nothing was sent to any drive");
	return -1;
}

static int check_kind(const struct fw_file *f, struct ssd_err *err)
{
	const char *what = fw_wrong_kind(f->data, f->size);

	return what ? fail_file(f, what, err) : 0;
}

static int check_size(const struct fw_file *f, struct ssd_err *err)
{
	if (!f->size)
		return fail_file(f, "empty", err);
	if (f->archive || f->size <= FW_IMAGE_MAX)
		return 0;
	return fail_file(f, "larger than any firmware (64 MiB)", err);
}

static int fail_read(const struct fw_file *f, int error, struct ssd_err *err)
{
	switch (error) {
	case EISDIR:
		return fail_file(f, "a directory", err);
	case EINVAL:
		return fail_file(f, "not a regular file (a pipe, a device or the like)", err);
	case EFBIG:
		return fail_file(f, "larger than any firmware (64 MiB)", err);
	default:
		ssd_fail_errno(err, error, "cannot read the image %s", f->path);
		err->code = SSD_ERR_BAD_INPUT;
		return -1;
	}
}

int fw_file_read(const char *path, struct fw_file *file, struct ssd_err *err)
{
	struct ssd_err unused;
	int rc;

	*file = (struct fw_file){.path = ssd_strdup(path)};
	rc = ssd_read_file(path, ARCHIVE_MAX, &file->data, &file->size);
	if (rc)
		return fail_read(file, -rc, err ? err : &unused);
	/* Microsoft cabinet (MS-CAB, section 2.1); ZIP (APPNOTE.TXT, section 4.3.7). */
	file->archive = starts_with(file, "MSCF", 4, 0) || starts_with(file, "PK\3\4", 4, 0);
	return check_size(file, err) || (!file->archive && check_kind(file, err)) ? -1 : 0;
}

void fw_file_free(struct fw_file *file)
{
	free(file->path);
	free(file->data);
	*file = (struct fw_file){0};
}

void fw_sha256(const uint8_t *data, size_t size, char hex[65])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, size, data);
	sha256_digest(&ctx, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static int select_raw(const struct fw_file *file, struct fw_image *image)
{
	image->data = ssd_calloc(file->size, 1);
	memcpy(image->data, file->data, file->size);
	image->size = file->size;
	return 0;
}

int fw_image_select(const struct fw_file *file, const struct fw_match *match, struct fw_image *image,
		    struct ssd_err *err)
{
	*image = (struct fw_image){.path = ssd_strdup(file->path)};
	if (file->archive ? fw_archive_select(file, match, image, err) : select_raw(file, image))
		return -1;
	fw_sha256(image->data, image->size, image->sha256);
	return 0;
}

/* What a member of an archive is when it is no firmware; NULL: it may be. */
const char *fw_wrong_kind(const uint8_t *data, size_t size)
{
	struct fw_file f = {.data = (uint8_t *)data, .size = size};

	if (!size)
		return "empty";
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (starts_with(&f, wrong[i].bytes, wrong[i].len, wrong[i].at))
			return wrong[i].what;
	return is_windows_program(&f) ? "a Windows or EFI program" : text_kind(&f);
}

void fw_image_free(struct fw_image *image)
{
	free(image->path);
	free(image->member);
	free(image->data);
	*image = (struct fw_image){0};
}
