/* SPDX-License-Identifier: MIT */
/* Device Self-test (log page 06h): NVM Express Base Specification 2.0c, figures 212 and 213. */
#include <ssdct/page.h>

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
	{.key = "entry",
	 .label = "Entry",
	 .help = "Place in the log, newest first",
	 .type = SSD_UINT,
	 .code = SSD_INDEX0},
	SSD_ENUM_FIELD("type", "Test", 0, 1, operation_names, .bit = 4, .bits = 4),
	SSD_ENUM_FIELD("result", "Result", 0, 1, result_names, .bits = 4),
	SSD_U8("segment", "Segment", 1, .help = "First segment that failed, when it is known"),
	SSD_FLAGS_FIELD("valid", "Valid", 2, 1, valid_bits, .flags = SSD_NO_TEXT,
			.help = "Which of the diagnostic information is valid; what is not is null"),
	SSD_U64("power_on_hours", "Power on", 4, .unit = SSD_HOURS, .help = "Power on hours at its end"),
	SSD_U32("nsid", "Namespace", 12, .flags = SSD_RAW, .help = "Namespace that failed"),
	SSD_U64("failing_lba", "LBA", 16, .help = "First logical block that failed"),
	SSD_U8("status_code_type", "Type", 24, .unit = SSD_HEX, .bits = 3),
	SSD_U8("status_code", "Code", 25, .unit = SSD_HEX),
	SSD_U16("vendor_specific", "Vendor", 26, .unit = SSD_HEX, .flags = SSD_NO_TEXT),
	SSD_FIELD_END,
};

static void shape(const uint8_t *p, struct ssd_shape *shape)
{
	/* Without a result, or without a test: also in the midst of others. */
	shape->unused = (p[0] & 0x0f) == UNUSED || !(p[0] >> 4);
}

static const struct ssd_field fields[] = {
	SSD_ENUM_FIELD("current_operation", "Running", 0, 1, operation_names, .bits = 4,
		       .help = "Device self-test that is running now"),
	SSD_U8("completion_percent", "Completed", 1, .unit = SSD_PERCENT, .bits = 7, .metric = SSD_GAUGE,
	       .help = "How much of the running test is done; null: none is running"),
	{.key = "results",
	 .label = "Results",
	 .help = "Tests that have ended, newest first, 20 at most",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .off = RESULTS_OFF,
	 .count = RESULTS,
	 .stride = RESULT,
	 .sub = result_fields,
	 .shape = shape},
	SSD_FIELD_END,
};

static void drop_invalid(struct ssd_node *result, const char *key, bool valid)
{
	struct ssd_node *n = ssd_get_mutable(result, key);

	if (n && !valid)
		n->null = true;
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "results");

	(void)buf;
	(void)len;
	drop_invalid(obj, "completion_percent", ssd_get_int(obj, "current_operation", 0));
	for (struct ssd_node *r = list ? list->child : NULL; r; r = r->next) {
		const struct ssd_node *valid = ssd_get(r, "valid");

		drop_invalid(r, "segment", ssd_get_int(r, "result", 0) == SEGMENT_KNOWN);
		for (const struct ssd_field *f = valid_bits; f->type != SSD_END; f++)
			drop_invalid(r, f->key, ssd_get_int(valid, f->key, 0));
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
