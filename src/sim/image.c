/* SPDX-License-Identifier: MIT */
#include "sim/image.h"

#include <ssdct/le.h>
#include <zlib.h>

static const char magic[8] = {'S', 'S', 'D', 'C', 'T', 'F', 'W', '1'};
enum { AT_REVISION = 8, AT_MODEL = 16, AT_CRC = 56, AT_ZERO = 60 };

static uint32_t crc_of(const uint8_t *image, size_t size)
{
	return (uint32_t)crc32_z(crc32_z(0, Z_NULL, 0), image + SIM_IMAGE_HEADER, size - SIM_IMAGE_HEADER);
}

static bool printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Every dword says where it belongs: a piece in the wrong place never has the right CRC. */
static void fill(uint8_t *image, size_t size)
{
	uint32_t value = 2166136261u; /* any odd start will do: FNV's offset basis */

	for (unsigned i = 0; i < AT_CRC; i++)
		value = (value ^ image[i]) * 16777619u;
	for (size_t at = SIM_IMAGE_HEADER; at < size; at++) {
		value = value * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
		image[at] = (uint8_t)(value >> 24);
	}
}

/* Padded with blanks; no NUL ends it. */
static void put_text(uint8_t *field, size_t width, const char *text)
{
	for (size_t i = 0; i < width; i++)
		field[i] = *text ? (uint8_t)*text++ : ' ';
}

uint8_t *sim_image_make(const char *model, const char *revision, size_t size, struct ssd_err *err)
{
	uint8_t *image;

	if (!*model || strlen(model) > SIM_MODEL_BYTES || !printable(model)) {
		ssd_fail(err, SSD_ERR_USAGE, "the model is 1 to 40 printable characters");
		return NULL;
	}
	if (!*revision || strlen(revision) > SIM_REVISION_BYTES || !printable(revision)) {
		ssd_fail(err, SSD_ERR_USAGE, "the revision is 1 to 8 printable characters");
		return NULL;
	}
	if (size < SIM_IMAGE_HEADER || size > SIM_IMAGE_MAX) {
		ssd_fail(err, SSD_ERR_USAGE, "an image has %d to %u bytes", SIM_IMAGE_HEADER, SIM_IMAGE_MAX);
		return NULL;
	}
	image = ssd_calloc(size, 1);
	memcpy(image, magic, sizeof(magic));
	put_text(image + AT_REVISION, SIM_REVISION_BYTES, revision);
	put_text(image + AT_MODEL, SIM_MODEL_BYTES, model);
	fill(image, size);
	ssd_put_le(image + AT_CRC, 4, crc_of(image, size));
	return image;
}

/* Text in a field of its own, without what fills it up: blanks, or NULs as some write them. */
static size_t trimmed(const uint8_t *field, size_t width)
{
	while (width && (field[width - 1] == ' ' || !field[width - 1]))
		width--;
	return width;
}

static bool same_text(const uint8_t *a, const uint8_t *b, size_t width)
{
	size_t len = trimmed(a, width);

	return len == trimmed(b, width) && !memcmp(a, b, len);
}

bool sim_image_check(const uint8_t *image, size_t size, const uint8_t model[SIM_MODEL_BYTES],
		     uint8_t revision[SIM_REVISION_BYTES])
{
	size_t len;

	if (size < SIM_IMAGE_HEADER || memcmp(image, magic, sizeof(magic)) || ssd_le32(image + AT_ZERO) ||
	    ssd_le32(image + AT_CRC) != crc_of(image, size) || !same_text(image + AT_MODEL, model, SIM_MODEL_BYTES))
		return false;
	len = trimmed(image + AT_REVISION, SIM_REVISION_BYTES);
	for (size_t i = 0; i < len; i++)
		if (image[AT_REVISION + i] < ' ' || image[AT_REVISION + i] > '~')
			return false;
	memset(revision, ' ', SIM_REVISION_BYTES);
	memcpy(revision, image + AT_REVISION, len);
	return len > 0;
}
