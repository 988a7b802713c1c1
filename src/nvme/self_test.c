/* SPDX-License-Identifier: MIT */
/* Device Self-test (log page 06h): NVM Express Base Specification 2.0c, figures 212 and 213. */
#include <ssdct/page.h>

#include <ssdct/le.h>

enum { RESULT = 28, RESULTS = 20, RESULTS_OFF = 4, UNUSED = 0x0f, SEGMENT_KNOWN = 7 };

static const struct ssd_name operation_names[] = {
	{0, "none"}, {1, "short"}, {2, "extended"}, {0xe, "vendor specific"}, {0, NULL}};

static const struct ssd_name result_names[] = {
	{0, "completed without error"},
	{1, "aborted by a Device Self-test command"},
	{2, "aborted by a controller level reset"},
	{3, "aborted: namespace removed"},
	{4, "aborted by a Format NVM command"},
	{5, "fatal error, not completed"},
	{6, "failed, segment not known"},
	{7, "failed in a segment"},
	{8, "aborted for an unknown reason"},
	{9, "aborted by a sanitize operation"},
	{0, NULL},
};

static const struct ssd_field valid_bits[] = {
	SSD_BIT("nsid", "namespace", 0),
	SSD_BIT("failing_lba", "LBA", 1),
	SSD_BIT("status_code_type", "status code type", 2),
	SSD_BIT("status_code", "status code", 3),
	SSD_FIELD_END,
};

static const struct ssd_field result_fields[] = {
	{"entry", "Entry", "Place in the log, newest first", SSD_UINT},
	{"type", "Test", NULL, SSD_ENUM, .names = operation_names},
	{"result", "Result", NULL, SSD_ENUM, .names = result_names},
	{"segment", "Segment", "First segment that failed, when it is known", SSD_UINT},
	{"valid", "Valid", "Which of the diagnostic information is valid; what is not is null", SSD_FLAGS, SSD_HEX,
	 .flags = SSD_NO_TEXT, .width = 1, .sub = valid_bits},
	{"power_on_hours", "Power on", "Power on hours at its end", SSD_UINT, SSD_HOURS},
	{"nsid", "Namespace", "Namespace that failed", SSD_UINT, .flags = SSD_RAW},
	{"failing_lba", "LBA", "First logical block that failed", SSD_UINT},
	{"status_code_type", "Type", NULL, SSD_UINT, SSD_HEX},
	{"status_code", "Code", NULL, SSD_UINT, SSD_HEX},
	{"vendor_specific", "Vendor", NULL, SSD_UINT, SSD_HEX, .flags = SSD_NO_TEXT},
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{"current_operation", "Running", "Device self-test that is running now", SSD_ENUM, .names = operation_names},
	{"completion_percent", "Completed", "How much of the running test is done; null: none is running", SSD_UINT,
	 SSD_PERCENT, SSD_GAUGE},
	{"results", "Results", "Tests that have ended, newest first, 20 at most", SSD_LIST, .sub = result_fields},
	SSD_FIELD_END,
};

static void add_result(struct ssd_node *list, unsigned entry, const uint8_t *p)
{
	struct ssd_node *r = ssd_add_item(list);
	uint8_t valid = p[2];

	ssd_set_uint(r, "entry", entry);
	ssd_set_enum(r, "type", p[0] >> 4);
	ssd_set_enum(r, "result", p[0] & 0xf);
	ssd_set_enum(r, "valid", valid);
	if ((p[0] & 0xf) == SEGMENT_KNOWN)
		ssd_set_uint(r, "segment", p[1]);
	ssd_set_uint(r, "power_on_hours", ssd_le64(p + 4));
	if (valid & 1)
		ssd_set_uint(r, "nsid", ssd_le32(p + 12));
	if (valid & 2)
		ssd_set_uint(r, "failing_lba", ssd_le64(p + 16));
	if (valid & 4)
		ssd_set_uint(r, "status_code_type", p[24] & 7);
	if (valid & 8)
		ssd_set_uint(r, "status_code", p[25]);
	ssd_set_uint(r, "vendor_specific", ssd_le16(p + 26));
}

/* Entries without a result, and those without a test, are unused, also in the midst of others. */
static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	struct ssd_node *list;

	if (len < RESULTS_OFF)
		return;
	ssd_set_enum(obj, "current_operation", buf[0] & 0xf);
	if (buf[0] & 0xf)
		ssd_set_uint(obj, "completion_percent", buf[1] & 0x7f);
	list = ssd_set_list(obj, "results");
	for (unsigned i = 0; i < RESULTS && RESULTS_OFF + (i + 1) * RESULT <= len; i++) {
		const uint8_t *p = buf + RESULTS_OFF + i * RESULT;

		if ((p[0] & 0xf) != UNUSED && p[0] >> 4)
			add_result(list, i, p);
	}
}

const struct ssd_page ssd_page_self_test = {
	.field = {.key = "self_test",
		  .label = "Device self-test",
		  .help = "Device self-tests: the running one and the results of the last (log page 06h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "self-test",
	.kind = SSD_PAGE_LOG,
	.id = 0x06,
	.size = RESULTS_OFF + RESULTS * RESULT,
	.derive = derive,
};
