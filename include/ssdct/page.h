/* SPDX-License-Identifier: MIT */
/* Log pages and Identify structures as tables. */
#ifndef SSDCT_PAGE_H
#define SSDCT_PAGE_H

#include <ssdct/doc.h>

struct ssd_device;

enum ssd_page_kind { SSD_PAGE_LOG, SSD_PAGE_IDENTIFY, SSD_PAGE_FEATURE };

enum {
	SSD_PAGE_CLEARS = 1,      /* reading it clears it: never read unasked */
	SSD_PAGE_NSID0 = 2,       /* asked with NSID 0 instead of FFFFFFFFh */
	SSD_PAGE_DIRECTORY = 4,   /* says which vendor pages there are: a list `pages` with a `lid` each */
	SSD_PAGE_WHOLE = 8,       /* ssd_read_page() refuses a part of it: null would pass for "not reported" */
	SSD_PAGE_NAMESPACE = 16,  /* Identify: of a namespace */
	SSD_PAGE_OWN_CNTID = 32,  /* Identify: asked with the controller's own identifier when no other is given */
	SSD_PAGE_OF_NVM = 64,     /* Identify: this layout belongs to the NVM command set (CSI 00h) */
	SSD_PAGE_LSI = 128,       /* log page: one for each endurance group or NVM set, named by LSI */
	SSD_PAGE_ANNOUNCED = 256, /* a vendor's page: read only when the drive says that it is there */
};

struct ssd_page {
	struct ssd_field field; /* key, label, help, and sub: the table of fields */
	const char *name;       /* for `log get NAME` and `identify DRIVE NAME` */
	enum ssd_page_kind kind;
	uint8_t id; /* log page identifier, CNS, or feature identifier */
	unsigned flags;
	uint32_t size;                                     /* bytes to ask for */
	uint32_t (*size_of)(const struct ssd_device *dev); /* instead, when the drive says how many */
	uint64_t (*total)(const uint8_t *head); /* instead, when the first `size` bytes of a log page say how many */
	const char *command; /* a vendor's page: the command that shows it unasked, "smart" or "show" */
	/* 16 bytes: whose page it is, on drives that list the UUID (Identify CNS 17h); asked for by its index there. NULL: none. */
	const uint8_t *uuid;
	/* Pages that only their contents tell from another one of the same number: these bytes are there, or it is that one. */
	struct {
		uint32_t off, len;
		const uint8_t *bytes;
	} signature;
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

/* Whether the bytes are those of this page: by its signature, when it has one. */
bool ssd_page_recognise(const struct ssd_page *page, const uint8_t *buf, size_t len);
/* Decodes len bytes: what lies beyond them is null. The object belongs to the arena. */
struct ssd_node *ssd_page_decode(struct ssd_arena *a, const struct ssd_page *page, const uint8_t *buf, size_t len);

/* The standard pages. */
extern const struct ssd_page ssd_page_id_ctrl, ssd_page_id_ns, ssd_page_active_ns, ssd_page_ns_descs, ssd_page_nvm_sets,
	ssd_page_ns_nvm, ssd_page_ctrl_nvm, ssd_page_active_ns_csi, ssd_page_independent_ns, ssd_page_allocated_ns_list,
	ssd_page_allocated_ns, ssd_page_attached_ctrls, ssd_page_controllers, ssd_page_primary, ssd_page_secondary,
	ssd_page_granularity, ssd_page_uuid_list, ssd_page_domains, ssd_page_endurance_groups, ssd_page_command_sets;
extern const struct ssd_page ssd_page_supported_logs, ssd_page_error_log, ssd_page_smart, ssd_page_fw_slot,
	ssd_page_changed_ns, ssd_page_effects, ssd_page_self_test, ssd_page_telemetry_host, ssd_page_telemetry_ctrl,
	ssd_page_endurance_group, ssd_page_latency, ssd_page_latency_events, ssd_page_ana, ssd_page_persistent_event,
	ssd_page_lba_status, ssd_page_endurance_group_events, ssd_page_feature_effects, ssd_page_reservation,
	ssd_page_sanitize;
/* Members of the SMART page: a persistent event may hold a copy of it. */
extern const struct ssd_field ssd_smart_fields[];
/* Element of a list of LBA formats, in Identify Namespace and wherever else formats are said. */
extern const struct ssd_field ssd_lba_format_fields[];
/* All of them, NULL-terminated. */
extern const struct ssd_page *const ssd_standard_pages[];
/* The log page that has this number; NULL: none that has a table. */
const struct ssd_page *ssd_log_page(uint8_t lid);

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
/* n entries at most, from o on, one each step bytes; how many there are is said in the first w bytes of the page. */
#define SSD_COUNTED(k, l, w, o, n, step, table, ...)                                                          \
	{                                                                                                     \
		.key = k, .label = l, .type = SSD_LIST, .code = SSD_LE, .off = o, .count = n, .stride = step, \
		.count_in = {0, w, 0}, .sub = table, ##__VA_ARGS__                                            \
	}
#define SSD_ENUM_FIELD(k, l, o, w, table, ...)                                                                \
	{                                                                                                     \
		.key = k, .label = l, .type = SSD_ENUM, .code = SSD_LE, .off = o, .width = w, .names = table, \
		##__VA_ARGS__                                                                                 \
	}
#define SSD_BITS_ENUM(k, l, bit, bits, table, ...)                                                                   \
	{                                                                                                            \
		.key = k, .label = l, .type = SSD_ENUM, .code = SSD_BITS, .off = bit, .width = bits, .names = table, \
		##__VA_ARGS__                                                                                        \
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
