/* SPDX-License-Identifier: MIT */
/* Which commands are pure reads (ssdct-identify(8), "What is refused"), and which log pages a drive announces. */
#include "check.h"

#include <ssdct/admin.h>
#include <ssdct/plugin.h>

static const struct ssd_page vendor_smart = {.name = "vendor-smart", .kind = SSD_PAGE_LOG, .id = 0xca};
static const struct ssd_page vendor_latency = {
	.name = "vendor-latency", .kind = SSD_PAGE_LOG, .id = 0xc1, .flags = SSD_PAGE_CLEARS};
static const struct ssd_page vendor_identify = {.name = "vendor-id", .kind = SSD_PAGE_IDENTIFY, .id = 0xc5};
static const struct ssd_page *const vendor_pages[] = {&vendor_smart, &vendor_latency, &vendor_identify, NULL};
static const struct ssd_vendor vendor = {.name = "test", .pages = vendor_pages};

static bool in(const char *hex, unsigned v)
{
	char word[4];

	snprintf(word, sizeof(word), "%02x ", v & 0xff);
	return strstr(hex, word);
}

/* The same rules as in ssdct-identify(8), written once more. */
static bool expected(bool has_vendor, uint32_t cdw10)
{
	unsigned lid = cdw10 & 0xff, lsp = cdw10 >> 8 & 0x7f;
	/* standard pages that reading cannot change, telemetry included as long as none is created */
	bool free = in("00 01 02 03 05 06 07 08 09 0a 0b 0c 0e 0f 10 11 12 13 14 15 16 70 81 ", lid) ||
		    (has_vendor && lid == 0xca);

	if (!(cdw10 & 0x8000) || !free)
		return false;
	if (lid == 0x0c || lid == 0x15)
		return lsp <= 1;
	return lid == 0x14 ? lsp < 0x40 : lsp == 0;
}

START_TEST(get_log_page)
{
	struct ssd_device dev = {0};

	for (int has_vendor = 0; has_vendor < 2; has_vendor++) {
		dev.vendor = has_vendor ? &vendor : NULL;
		for (uint32_t low = 0; low < 0x10000; low++) {
			/* NUMDL must not matter. */
			struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = low | (low * 31u << 16)};

			ck_assert_msg(ssd_is_read(&dev, &cmd) == expected(has_vendor, low), "cdw10 %08x", cmd.cdw10);
		}
	}
}
END_TEST

/*
 * A UUID index (CDW14 bits 6:0) chooses whose definition of a vendor specific page is meant: no table knows those, and
 * page CAh of somebody else may do anything when it is read. Standard pages are what they are.
 */
START_TEST(uuid_index)
{
	static const uint32_t words[] = {0, 1, 2, 0x40, 0x7f, 0x80, 0x81, 0xff};
	struct ssd_device dev = {.vendor = &vendor};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		uint32_t cdw14 = words[i];

		for (uint32_t low = 0; low < 0x10000; low++) {
			struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = low, .cdw14 = cdw14};
			bool other = (low & 0xff) >= 0xc0 && cdw14 & 0x7f;

			ck_assert_msg(ssd_is_read(&dev, &cmd) == (expected(true, low) && !other),
				      "cdw10 %08x cdw14 %08x", cmd.cdw10, cmd.cdw14);
		}
	}
}
END_TEST

/* The page of a UUID that the drive's list has: at its index, and at no other; other pages of the table are not meant. */
START_TEST(listed_uuid)
{
	static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	static const struct ssd_page
		named = {.name = "n", .kind = SSD_PAGE_LOG, .id = 0xc8, .uuid = uuid},
		clears = {.name = "c", .kind = SSD_PAGE_LOG, .id = 0xc9, .flags = SSD_PAGE_CLEARS, .uuid = uuid},
		maybe = {.name = "m", .kind = SSD_PAGE_LOG, .id = 0xcd, .flags = SSD_PAGE_ANNOUNCED, .uuid = uuid};
	static const struct ssd_page *const pages[] = {&vendor_smart, &named, &clears, &maybe, NULL};
	static const struct ssd_vendor named_vendor = {.name = "test", .pages = pages};
	struct ssd_device dev = {.vendor = &named_vendor};
	uint8_t list[4096] = {0};

	memcpy(list + 32 * 3 + 16, uuid, sizeof(uuid));
	for (uint32_t index = 0; index < 256; index++) {
		bool right = (index & 0x7f) == 3, none = !(index & 0x7f);
		struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = 0x80c8, .cdw14 = index};

		dev.uuid_list = NULL;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == none, "no list, index %02x", index);
		dev.uuid_list = list;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == (none || right), "index %02x", index);
		cmd.cdw10 = 0x80cd;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == right, "only announced, index %02x", index);
		cmd.cdw10 = 0x80c9;
		ck_assert_msg(!ssd_is_read(&dev, &cmd), "clears, index %02x", index);
		cmd.cdw10 = 0x80ca;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == none, "a page without a UUID, index %02x", index);
		cmd.cdw10 = 0x00c8;
		ck_assert_msg(!ssd_is_read(&dev, &cmd), "without RAE, index %02x", index);
	}
}
END_TEST

/* Of a recording also the pages that a drive would not give for nothing, with no parameter that would start anything. */
START_TEST(recorded_pages)
{
	static const struct ssd_host recorded = {.backend = SSD_BACKEND_RECORDED},
				     simulated = {.backend = SSD_BACKEND_SIMULATED};
	struct ssd_drive of = {.host = &recorded};
	struct ssd_device dev = {.drive = &of};

	for (uint32_t low = 0; low < 0x10000; low++) {
		struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = low};
		bool kept = (low & 0xff00) == 0x8000 && in("04 0d 80 bf ", low & 0xff);

		of.host = &recorded;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == (kept || expected(false, low)), "cdw10 %08x", low);
		of.host = &simulated;
		ck_assert_msg(ssd_is_read(&dev, &cmd) == expected(false, low), "cdw10 %08x", low);
	}
}
END_TEST

START_TEST(all_opcodes)
{
	struct ssd_device dev = {.vendor = &vendor};

	for (unsigned opcode = 0; opcode < 256; opcode++) {
		for (uint32_t cdw10 = 0; cdw10 < 0x10000; cdw10 += 0x91) {
			struct ssd_cmd cmd = {.opcode = (uint8_t)opcode, .cdw10 = cdw10};
			bool admin = opcode == 0x06 || opcode == 0x0a || (opcode == 0x02 && expected(true, cdw10));
			bool io = in("00 02 05 0c 0e ", opcode);

			ck_assert_msg(ssd_is_read(&dev, &cmd) == admin, "admin %02x %08x", opcode, cdw10);
			cmd.io = true;
			ck_assert_msg(ssd_is_read(&dev, &cmd) == io, "io %02x %08x", opcode, cdw10);
		}
	}
}
END_TEST

/* The direction of the data does not make a write a read. */
START_TEST(never_by_direction)
{
	struct ssd_device dev = {0};
	struct ssd_cmd cmd = {.opcode = 0x11, .direction = SSD_DATA_FROM_DRIVE};

	ck_assert(!ssd_is_read(&dev, &cmd));
	cmd.opcode = 0xc2; /* bits 1:0 say "controller to host" */
	ck_assert(!ssd_is_read(&dev, &cmd));
}
END_TEST

START_TEST(table)
{
	int last = -1;

	for (const struct ssd_log_info *row = ssd_log_table; row->name; row++) {
		ck_assert_int_gt(row->lid, last);
		last = row->lid;
		ck_assert_ptr_nonnull(row->label);
		ck_assert_ptr_eq(ssd_log_info(row->lid), row);
		for (const struct ssd_log_info *other = row + 1; other->name; other++)
			ck_assert_str_ne(other->name, row->name);
	}
	ck_assert_str_eq(ssd_log_info(0x02)->name, "smart");
	ck_assert_str_eq(ssd_log_info(0x01)->name, "error");
	ck_assert_str_eq(ssd_log_info(0x03)->name, "firmware-slot");
	ck_assert_ptr_null(ssd_log_info(0xca));
	ck_assert_ptr_null(ssd_log_info(0xff));
}
END_TEST

/* A drive that answers page 00h. */
struct fake {
	struct ssd_transport base;
	int commands;
	uint16_t status;
	uint8_t page[1024];
};

static int fake_submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct fake *f = (struct fake *)t;

	f->commands++;
	ck_assert_uint_eq(cmd->opcode, 0x02);
	ck_assert_uint_eq(cmd->cdw10 & 0xffff, 0x8000); /* LID 00h, LSP 0, RAE */
	ck_assert_uint_eq(cmd->data_len, 1024);
	if (!f->status)
		memcpy(cmd->data, f->page, 1024);
	*cpl = (struct ssd_cpl){.status = f->status};
	return 0;
}

static struct ssd_drive drive = {.device = "nvme0"};

static void device(struct ssd_device *dev, struct fake *f, uint8_t id[4096])
{
	memset(id, 0, 4096);
	memset(f, 0, sizeof(*f));
	f->base.submit = fake_submit;
	*dev = (struct ssd_device){.drive = &drive, .transport = &f->base, .id_ctrl = id, .id_ctrl_len = 4096};
}

/* Bits of Identify Controller: byte offset, mask, and the pages (NVMe Base Specification 2.0c, figure 275). */
START_TEST(announced_by_identify)
{
	static const struct {
		unsigned byte, mask;
		const char *lids;
	} rows[] = {
		{261, 0x02, "05 "},   {261, 0x08, "07 08 "}, {261, 0x10, "0d "}, {256, 0x10, "06 "}, /* OACS bit 4 */
		{257, 0x04, "14 "},                                                                  /* OACS bit 10 */
		{93, 0x01, "04 "},                                                                   /* OAES bit 8 */
		{93, 0x20, "0e "},                                                                   /* OAES bit 13 */
		{93, 0x40, "0f "},                                                                   /* OAES bit 14 */
		{95, 0x08, "bf "},                                                                   /* OAES bit 27 */
		{96, 0x10, "09 "},                                                                   /* CTRATT bit 4 */
		{96, 0x20, "0a 0b "},                                                                /* CTRATT bit 5 */
		{97, 0x08, "11 "},                                                                   /* CTRATT bit 11 */
		{76, 0x08, "0c "},                                                                   /* CMIC bit 3 */
		{520, 0x20, "80 "},                                                                  /* ONCS bit 5 */
		{328, 0x01, "81 "}, /* SANICAP: crypto erase, block erase, overwrite */
		{328, 0x02, "81 "},   {328, 0x04, "81 "},    {111, 0x02, "70 "}, /* CNTRLTYPE: discovery controller */
		{261, 0x05, ""}, /* per-namespace SMART, extended data: no page */
		{259, 0xff, ""}, /* AERL */
	};
	struct ssd_device dev;
	struct fake f;
	uint8_t id[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		device(&dev, &f, id);
		id[rows[i].byte] = (uint8_t)rows[i].mask;
		for (unsigned lid = 0; lid < 256; lid++)
			ck_assert_msg(ssd_announces_log(&dev, (uint8_t)lid) ==
					      (in("01 02 03 ", lid) || in(rows[i].lids, lid)),
				      "byte %u mask %02x lid %02x", rows[i].byte, rows[i].mask, lid);
		ck_assert_int_eq(f.commands, 0);
	}
}
END_TEST

/* LPA bit 5: page 00h lists them; it is read once, and its word counts. */
START_TEST(announced_by_page)
{
	struct ssd_device dev;
	struct fake f;
	uint8_t id[4096];

	device(&dev, &f, id);
	id[261] = 0x20 | 0x08;
	f.page[0x10 * 4] = 1;
	f.page[0xca * 4] = 1;
	f.page[0xcb * 4 + 1] = 0xff; /* not the supported bit */
	for (unsigned lid = 0; lid < 256; lid++)
		ck_assert_msg(ssd_announces_log(&dev, (uint8_t)lid) == in("00 01 02 03 10 ca ", lid), "%02x", lid);
	ck_assert_int_eq(f.commands, 1);
}
END_TEST

START_TEST(page_unreadable)
{
	struct ssd_device dev;
	struct fake f;
	uint8_t id[4096];

	device(&dev, &f, id);
	id[261] = 0x20 | 0x08;
	f.status = 0x4109;
	for (unsigned lid = 0; lid < 256; lid++)
		ck_assert_msg(ssd_announces_log(&dev, (uint8_t)lid) == in("00 01 02 03 07 08 12 13 ", lid), "%02x",
			      lid);
	ck_assert_int_eq(f.commands, 1);
}
END_TEST

/* Bytes that did not arrive announce nothing. */
START_TEST(short_identify)
{
	struct ssd_device dev;
	struct fake f;
	uint8_t id[4096];

	device(&dev, &f, id);
	memset(id, 0xff, sizeof(id));
	dev.id_ctrl_len = 261;
	ck_assert(!ssd_announces_log(&dev, 0x05));
	ck_assert(!ssd_announces_log(&dev, 0x00));
	ck_assert(!ssd_announces_log(&dev, 0x81));
	ck_assert(ssd_announces_log(&dev, 0x06));
	ck_assert(ssd_announces_log(&dev, 0x02));
	ck_assert_int_eq(f.commands, 0);
}
END_TEST

CHECK_MAIN("logs", get_log_page, uuid_index, listed_uuid, recorded_pages, all_opcodes, never_by_direction, table,
	   announced_by_identify, announced_by_page, page_unreadable, short_identify)
