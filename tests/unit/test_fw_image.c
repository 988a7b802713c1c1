/* SPDX-License-Identifier: MIT */
/*
 * Images and archives. The archives are made here byte by byte, by their formats' descriptions: MS-CAB sections 2.1 to 2.4
 * (one folder, not compressed), PKWARE APPNOTE sections 4.3.7, 4.3.12, 4.3.16 (stored). SHA-256 of "abc": FIPS 180-2, B.1;
 * the GUID of "python.org": documentation of Python's uuid module.
 */
#include "check.h"

#include <ssdct/fw.h>
#include <ssdct/le.h>

#include <sys/stat.h>

struct bytes {
	uint8_t v[32768];
	size_t n;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	ck_assert_uint_le(b->n + n, sizeof(b->v));
	memcpy(b->v + b->n, p, n);
	b->n += n;
}

static void num(struct bytes *b, unsigned width, uint64_t v)
{
	uint8_t raw[8];

	ssd_put_le(raw, width, v);
	put(b, raw, width);
}

struct item {
	const char *name;
	const void *data;
	size_t size;
};

static void cab(struct bytes *b, const struct item *items, size_t n)
{
	size_t names = 0, total = 0, data_at, offset = 0;

	for (size_t i = 0; i < n; i++) {
		names += strlen(items[i].name) + 1;
		total += items[i].size;
	}
	data_at = 36 + 8 + 16 * n + names;
	put(b, "MSCF\0\0\0\0", 8);
	num(b, 4, data_at + 8 + total); /* cbCabinet */
	num(b, 4, 0);
	num(b, 4, 36 + 8); /* coffFiles */
	num(b, 4, 0);
	num(b, 1, 3); /* version 1.3 */
	num(b, 1, 1);
	num(b, 2, 1); /* folders */
	num(b, 2, n); /* files */
	num(b, 2, 0);
	num(b, 2, 0);
	num(b, 2, 0);
	num(b, 4, data_at);
	num(b, 2, 1); /* data blocks */
	num(b, 2, 0); /* not compressed */
	for (size_t i = 0; i < n; i++) {
		num(b, 4, items[i].size);
		num(b, 4, offset);
		num(b, 2, 0);
		num(b, 2, 0x5821);
		num(b, 2, 0);
		num(b, 2, 0x20);
		put(b, items[i].name, strlen(items[i].name) + 1);
		offset += items[i].size;
	}
	num(b, 4, 0); /* checksum: not used */
	num(b, 2, total);
	num(b, 2, total);
	for (size_t i = 0; i < n; i++)
		put(b, items[i].data, items[i].size);
}

static uint32_t crc32_of(const uint8_t *p, size_t n)
{
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* What the local and the central header have in common: version to flags, time, checksum, sizes, lengths of names. */
static void zip_common(struct bytes *b, const struct item *item)
{
	num(b, 2, 10);
	num(b, 2, 0);
	num(b, 2, 0);
	num(b, 4, 0x58210000);
	num(b, 4, crc32_of(item->data, item->size));
	num(b, 4, item->size);
	num(b, 4, item->size);
	num(b, 2, strlen(item->name));
	num(b, 2, 0);
}

static void zip(struct bytes *b, const struct item *items, size_t n)
{
	size_t at[8], central;

	for (size_t i = 0; i < n; i++) {
		at[i] = b->n;
		put(b, "PK\3\4", 4);
		zip_common(b, &items[i]);
		put(b, items[i].name, strlen(items[i].name));
		put(b, items[i].data, items[i].size);
	}
	central = b->n;
	for (size_t i = 0; i < n; i++) {
		put(b, "PK\1\2", 4);
		num(b, 2, 10);
		zip_common(b, &items[i]);
		num(b, 2, 0);
		num(b, 2, 0);
		num(b, 2, 0);
		num(b, 4, 0);
		num(b, 4, at[i]);
		put(b, items[i].name, strlen(items[i].name));
	}
	num(b, 4, 0x06054b50);
	num(b, 2, 0);
	num(b, 2, 0);
	num(b, 2, n);
	num(b, 2, n);
	num(b, 4, b->n - central - 16 + 0);
	num(b, 4, central);
	num(b, 2, 0);
	/* The size of the central directory, now that it is known. */
	ssd_put_le(b->v + b->n - 10, 4, b->n - 22 - central);
}

static char dir[] = "/tmp/ssdct-fw-image-XXXXXX";

static const char *write_file(const char *name, const void *data, size_t size)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	fclose(f);
	return path;
}

static void remove_dir(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		perror(dir);
}

static const struct fw_match any = {"INTEL SSDPEDMD020T4", 0x8086, 0x0953, 0x8086, 0x3702, NULL};

static int load(const char *path, const struct fw_match *match, struct fw_image *image, struct ssd_err *err)
{
	struct fw_file file;
	int rc = fw_file_read(path, &file, err);

	*image = (struct fw_image){0};
	if (!rc)
		rc = fw_image_select(&file, match, image, err);
	fw_file_free(&file);
	return rc;
}

static void refuse(const char *path, const char *why)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct fw_image image;

	ck_assert_int_eq(load(path, &any, &image, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_BAD_INPUT);
	ck_assert_msg(strstr(err.message, why), "%s: no \"%s\" in \"%s\"", path, why, err.message);
	fw_image_free(&image);
}

START_TEST(raw)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct fw_image image;

	ck_assert_int_eq(load(write_file("fw.bin", "abc", 3), &any, &image, &err), 0);
	ck_assert_uint_eq(image.size, 3);
	ck_assert_str_eq(image.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_ptr_null(image.member);
	fw_image_free(&image);
}
END_TEST

/* Bug 47, and what people download instead of an image. */
START_TEST(wrong_files)
{
	char tar[512] = "file";
	char fifo[96];

	refuse(write_file("x", "", 0), "empty");
	refuse(write_file("x",
			  "\x7f"
			  "ELF\2\1\1\0........",
			  16),
	       "ELF");
	refuse(write_file("x", "\x1f\x8b\x08\0\0\0\0\0\0\3", 10), "gzip");
	refuse(write_file("x", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", 14), "PDF");
	refuse(write_file("x", "<!DOCTYPE html>\n<html><body>404</body></html>\n", 46), "HTML");
	refuse(write_file("x", "\n\n  <html lang=\"en\"><head>", 26), "HTML");
	refuse(write_file("x", "#!/bin/sh\necho hello\n", 21), "script");
	refuse(write_file("x", "version https://git-lfs.github.com/spec/v1\n", 43), "text");
	refuse(write_file("x", "MZ\x90\0\3\0\0\0", 8), "Windows");
	for (size_t i = 0; i < 5; i++)
		tar[257 + i] = "ustar"[i];
	refuse(write_file("x", tar, sizeof(tar)), "tar");
	refuse(dir, "directory");
	refuse("/dev/null", "not a regular file");
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	refuse(fifo, "not a regular file");
	refuse("/nonexistent/fw.bin", "cannot read");
	write_file("x", "", 0);
	snprintf(fifo, sizeof(fifo), "%s/x", dir);
	ck_assert_int_eq(truncate(fifo, (64 << 20) + 1), 0);
	refuse(fifo, "64 MiB");
}
END_TEST

START_TEST(guid)
{
	char text[37];

	fw_guid("python.org", text);
	ck_assert_str_eq(text, "886313e1-3b8a-5372-9b90-0c9aee199e5d");
}
END_TEST

static const uint8_t payload[32] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4}, other_payload[32] = {0xca, 0xfe, 0xba, 0xbe};

/* A component for an instance id; file NULL: it names no payload. */
static const char *metainfo(const char *name, const char *id, const char *version, const char *file, const char *sha256)
{
	static char text[4][2048];
	static unsigned turn;
	char *xml = text[turn++ % 4], guid_text[37], sum[256] = "";

	fw_guid(id, guid_text);
	if (file)
		snprintf(sum, sizeof(sum), "<checksum filename=\"%s\" target=\"content\" type=\"sha256\">%s</checksum>",
			 file, sha256 ? sha256 : "");
	snprintf(xml, sizeof(text[0]),
		 "<?xml version=\"1.0\"?>\n<component type=\"firmware\"><id>x</id><name>%s</name>"
		 "<provides><firmware type=\"flashed\">%s</firmware></provides>"
		 "<releases><release version=\"%s\" date=\"2024-01-01\">%s</release></releases></component>\n",
		 name, guid_text, version, sum);
	return xml;
}

static const char *archive(bool as_cab, const struct item *items, size_t n)
{
	struct bytes *b = calloc(1, sizeof(*b));
	const char *path;

	if (as_cab)
		cab(b, items, n);
	else
		zip(b, items, n);
	path = write_file(as_cab ? "fw.cab" : "fw.zip", b->v, b->n);
	free(b);
	return path;
}

static void expect_payload(const char *path, const struct fw_match *match, const uint8_t *bytes, const char *member,
			   const char *version)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct fw_image image;
	int rc = load(path, match, &image, &err);

	ck_assert_msg(!rc, "%s", err.message);
	ck_assert_uint_eq(image.size, 32);
	ck_assert_mem_eq(image.data, bytes, 32);
	ck_assert_str_eq(image.member, member);
	ck_assert_str_eq(image.version, version);
	fw_image_free(&image);
}

/* By PCI ids, by ids with the subsystem, by model; the same in both formats. */
START_TEST(payload_by_guid)
{
	static const char *const ids[] = {"NVME\\VEN_8086&DEV_0953", "NVME\\VEN_8086&DEV_0953&SUBSYS_80863702",
					  "INTEL SSDPEDMD020T4"};
	const char *wrong = metainfo("Other drive", "NVME\\VEN_8086&DEV_0A54", "1", "b.bin", NULL);

	for (size_t i = 0; i < 2 * ARRAY_SIZE(ids); i++) {
		const char *right = metainfo("Right drive", ids[i / 2], "8DV10171", "a.bin", NULL);
		struct item items[] = {{"other.metainfo.xml", wrong, strlen(wrong)},
				       {"right.metainfo.xml", right, strlen(right)},
				       {"b.bin", other_payload, 32},
				       {"a.bin", payload, 32}};

		expect_payload(archive(i & 1, items, 4), &any, payload, "a.bin", "8DV10171");
	}
}
END_TEST

START_TEST(payload_for_another_drive)
{
	const char *xml = metainfo("Other drive", "NVME\\VEN_8086&DEV_0A54", "1", "b.bin", NULL);
	struct item items[] = {{"x.metainfo.xml", xml, strlen(xml)}, {"b.bin", payload, 32}};

	refuse(archive(true, items, 2), "Other drive");
	refuse(archive(false, items, 2), "nothing in it is for INTEL SSDPEDMD020T4");
}
END_TEST

/* Without PCI ids the model in the component's name decides. */
START_TEST(payload_by_name)
{
	const char *xml = metainfo("Intel SSDPEDMD020T4 firmware", "NVME\\VEN_8086&DEV_0A54", "1", "b.bin", NULL);
	struct item items[] = {{"x.metainfo.xml", xml, strlen(xml)}, {"b.bin", payload, 32}};
	struct fw_match match = {"SSDPEDMD020T4", -1, -1, -1, -1, NULL};

	expect_payload(archive(true, items, 2), &match, payload, "b.bin", "1");
	match.model = "SSDPEDMD016T4";
	ck_assert_int_eq(load(archive(true, items, 2), &match, &(struct fw_image){0}, NULL), -1);
}
END_TEST

START_TEST(damaged_payload)
{
	const char *xml = metainfo("Right drive", "NVME\\VEN_8086&DEV_0953", "1", "a.bin",
				   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	struct item items[] = {{"x.metainfo.xml", xml, strlen(xml)}, {"a.bin", payload, 32}};
	struct item missing[] = {{"x.metainfo.xml", xml, strlen(xml)}, {"c.bin", payload, 32}};

	refuse(archive(true, items, 2), "SHA-256");
	refuse(archive(true, missing, 2), "a.bin");
}
END_TEST

/* The way vendors without LVFS ship: the image beside a paper or two. */
START_TEST(zip_without_metadata)
{
	struct item one[] = {{"readme.txt", "Read me first, please.\n", 23}, {"dir/8DV10171.bin", payload, 32}};
	struct item two[] = {{"a.bin", payload, 32}, {"b.bin", other_payload, 32}};
	struct item none[] = {{"readme.txt", "Read me first, please.\n", 23}};

	expect_payload(archive(false, one, 2), &any, payload, "dir/8DV10171.bin", "");
	refuse(archive(false, two, 2), "a.bin, b.bin");
	refuse(archive(false, none, 1), "no firmware image");
}
END_TEST

START_TEST(truncated_archives)
{
	struct item items[] = {{"a.bin", payload, 32}};
	struct bytes b = {.n = 0};

	cab(&b, items, 1);
	refuse(write_file("short.cab", b.v, b.n - 8), "archive");
	b.n = 0;
	zip(&b, items, 1);
	refuse(write_file("short.zip", b.v, 40), "archive");
	refuse(write_file("just.zip", "PK\3\4", 4), "");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {raw,
				      wrong_files,
				      guid,
				      payload_by_guid,
				      payload_for_another_drive,
				      payload_by_name,
				      damaged_payload,
				      zip_without_metadata,
				      truncated_archives,
				      NULL};
	int rc;

	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	rc = check_main("fw_image", tests);
	remove_dir();
	return rc;
}
