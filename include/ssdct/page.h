/* SPDX-License-Identifier: MIT */
/* Log pages and Identify structures as tables. */
#ifndef SSDCT_PAGE_H
#define SSDCT_PAGE_H

#include <ssdct/doc.h>

struct ssd_device;

enum ssd_page_kind { SSD_PAGE_LOG, SSD_PAGE_IDENTIFY, SSD_PAGE_FEATURE };

enum {
	SSD_PAGE_CLEARS = 1,    /* reading it clears it: never read unasked */
	SSD_PAGE_NSID0 = 2,     /* asked with NSID 0 instead of FFFFFFFFh */
	SSD_PAGE_DIRECTORY = 4, /* says which vendor pages there are: a list `pages` with a `lid` each */
	SSD_PAGE_WHOLE = 8,     /* ssd_read_page() refuses a part of it: null would pass for "not reported" */
};

struct ssd_page {
	struct ssd_field field; /* key, label, help, and sub: the table of fields */
	const char *name;       /* for `log get NAME` and `identify DRIVE NAME` */
	enum ssd_page_kind kind;
	uint8_t id; /* log page identifier, CNS, or feature identifier */
	unsigned flags;
	uint32_t size;                                     /* bytes to ask for */
	uint32_t (*size_of)(const struct ssd_device *dev); /* instead, when the drive says how many */
	const char *command; /* a vendor's page: the command that shows it unasked, "smart" or "show" */
	/*
	 * Keyed pages: entries of `stride` bytes from `off`, `count` of them, that carry their key in the byte at `key_at`;
	 * 0 means no entry. Members of the table are found by their id, entries that the table does not know go to the
	 * member "unknown".
	 */
	struct {
		uint32_t off, stride, count, key_at;
	} keyed;
	/* What a table cannot say. buf holds len bytes; obj has all that the table said. */
	void (*derive)(const uint8_t *buf, size_t len, struct ssd_node *obj);
	/* What depends on what Identify Controller says; only when the page was read from a drive. */
	void (*derive_from)(const struct ssd_device *dev, struct ssd_node *obj);
};

/* Bytes to ask for; of pages whose length the drive says it needs ssd_id_ctrl(). */
static inline uint32_t ssd_page_bytes(const struct ssd_page *page, const struct ssd_device *dev)
{
	return page->size_of ? page->size_of(dev) : page->size;
}

/* Decodes len bytes: what lies beyond them is null. The object belongs to the arena. */
struct ssd_node *ssd_page_decode(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *buf, size_t len);

/* The standard pages. */
extern const struct ssd_page ssd_page_id_ctrl, ssd_page_id_ns, ssd_page_smart, ssd_page_error_log, ssd_page_fw_slot,
	ssd_page_supported_logs, ssd_page_self_test, ssd_page_sanitize;
/* Element of a list of LBA formats, in Identify Namespace and wherever else formats are said. */
extern const struct ssd_field ssd_lba_format_fields[];
/* All of them, NULL-terminated. */
extern const struct ssd_page *const ssd_standard_pages[];

/* Shorthands for tables: little-endian unsigned fields of 1, 2, 4, 8 bytes, and a bit of a flags field. */
#define SSD_LE_FIELD(bytes, k, l, o, ...)                                                                       \
	{                                                                                                       \
		.key = k, .label = l, .type = SSD_UINT, .code = SSD_LE, .off = o, .width = bytes, ##__VA_ARGS__ \
	}
#define SSD_U8(k, l, o, ...) SSD_LE_FIELD(1, k, l, o, ##__VA_ARGS__)
#define SSD_U16(k, l, o, ...) SSD_LE_FIELD(2, k, l, o, ##__VA_ARGS__)
#define SSD_U32(k, l, o, ...) SSD_LE_FIELD(4, k, l, o, ##__VA_ARGS__)
#define SSD_U64(k, l, o, ...) SSD_LE_FIELD(8, k, l, o, ##__VA_ARGS__)
#define SSD_U128(k, l, o, ...)                                                                               \
	{                                                                                                    \
		.key = k, .label = l, .type = SSD_WIDE, .code = SSD_LE, .off = o, .width = 16, ##__VA_ARGS__ \
	}
#define SSD_TEXT(k, l, o, w, ...)                                                                             \
	{                                                                                                     \
		.key = k, .label = l, .type = SSD_STR, .code = SSD_ASCII, .off = o, .width = w, ##__VA_ARGS__ \
	}
#define SSD_FLAGS_FIELD(k, l, o, w, bits, ...)                                                              \
	{                                                                                                   \
		.key = k, .label = l, .type = SSD_FLAGS, .code = SSD_LE, .off = o, .width = w, .sub = bits, \
		.unit = SSD_HEX, ##__VA_ARGS__                                                              \
	}
#define SSD_ENUM_FIELD(k, l, o, w, table, ...)                                                                \
	{                                                                                                     \
		.key = k, .label = l, .type = SSD_ENUM, .code = SSD_LE, .off = o, .width = w, .names = table, \
		##__VA_ARGS__                                                                                 \
	}
#define SSD_BIT(k, l, bit, ...)                                                                                 \
	{                                                                                                       \
		.key = k, .label = l, .type = SSD_BOOL, .code = SSD_BITS, .off = bit, .width = 1, ##__VA_ARGS__ \
	}
#define SSD_BITS_FIELD(k, l, bit, bits, ...)                                                                       \
	{                                                                                                          \
		.key = k, .label = l, .type = SSD_UINT, .code = SSD_BITS, .off = bit, .width = bits, ##__VA_ARGS__ \
	}

#endif
