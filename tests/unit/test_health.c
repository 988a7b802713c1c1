/* SPDX-License-Identifier: MIT */
/*
 * Every health rule at its edges: the defaults of CONTRACT section 3 (`check`), and the reports that are behind them
 * (numbers of nvme-cli, smartmontools and others beside the tests).
 */
#include "check.h"

#include <ssdct/admin.h>
#include <ssdct/health.h>
#include <ssdct/le.h>

static const struct ssd_field root_sub[] = {
	{.key = "findings", .label = "Findings", .type = SSD_LIST, .sub = ssd_finding_fields},
	SSD_FIELD_END,
};
static const struct ssd_field root_field = {.type = SSD_OBJ, .sub = root_sub};

/* One drive to be judged: bytes of its SMART page, and the rest. */
struct bench {
	struct ssd_arena *a;
	uint8_t smart[512];
	struct ssd_health_input in;
	struct ssd_health_options options;
	struct ssd_node *findings;
	struct ssd_health health;
};

/* A drive in good health: 38 C, spare 99 of 10, used 41. */
static void setup(struct bench *b)
{
	*b = (struct bench){.a = ssd_arena_new(1 << 20), .options = SSD_HEALTH_OPTIONS_INIT};
	ssd_put_le(b->smart + 1, 2, 273 + 38);
	b->smart[3] = 99;
	b->smart[4] = 10;
	b->smart[5] = 41;
	ssd_put_le(b->smart + 112, 8, 33);    /* power cycles */
	ssd_put_le(b->smart + 128, 8, 57288); /* power-on hours */
	b->in = (struct ssd_health_input){.device = "nvme0",
					  .serial = "CVFT0001",
					  .state = "live",
					  .model = "INTEL SSDPEDMD020T4",
					  .firmware = "8DV10131",
					  .family_known = true,
					  .capacity_bytes = 2000398934016ull,
					  .over_temperature_kelvin = -1};
}

static enum ssd_severity judge(struct bench *b)
{
	b->findings = ssd_set_list(ssd_obj_new(b->a, &root_field), "findings");
	b->in.smart = ssd_page_decode(b->a, &ssd_page_smart, b->smart, sizeof(b->smart));
	b->health = ssd_health_judge(&b->in, &b->options, b->findings);
	ck_assert_int_ne(b->health.severity, SSD_INFO);
	/* The verdict is the same when nobody wants the findings. */
	ck_assert_int_eq(ssd_health_judge(&b->in, &b->options, NULL).severity, b->health.severity);
	return b->health.severity;
}

static unsigned count(const struct bench *b)
{
	unsigned n = 0;

	for (const struct ssd_node *f = b->findings->child; f; f = f->next)
		n++;
	return n;
}

/* The severity of the finding with this id, "" when there is none; every id must be in the public list. */
static const char *severity(const struct bench *b, const char *id)
{
	const char *const *known = ssd_finding_ids;

	while (*known && strcmp(*known, id))
		known++;
	ck_assert_msg(*known, "%s is not a known id", id);
	for (const struct ssd_node *f = b->findings->child; f; f = f->next)
		if (!strcmp(ssd_get_str(f, "id", ""), id))
			return ssd_get_str(f, "severity", "");
	return "";
}

#define FOUND(b, id, word) ck_assert_str_eq(severity(b, id), word)

START_TEST(good_drive)
{
	struct bench b;

	setup(&b);
	ck_assert_int_eq(judge(&b), SSD_OK);
	ck_assert_uint_eq(count(&b), 0);
	ck_assert_ptr_eq(b.health.smart, b.in.smart);
	ck_assert_int_eq(b.health.temperature_warning, 70);
	ck_assert_int_eq(b.health.temperature_critical, 80);
}
END_TEST

/* Spare against the drive's threshold: below is critical, at is a warning (smartmontools manual against NVMe). */
START_TEST(spare)
{
	static const struct {
		uint8_t spare, threshold;
		const char *word;
		enum ssd_severity verdict;
	} rows[] = {
		{11, 10, "", SSD_OK},
		{10, 10, "warning", SSD_WARNING},
		{9, 10, "critical", SSD_CRITICAL},
		{0, 10, "critical", SSD_CRITICAL},
		{100, 0, "", SSD_OK},
		{0, 0, "warning", SSD_WARNING},
		{100, 100, "warning", SSD_WARNING},
	};
	struct bench b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup(&b);
		b.smart[3] = rows[i].spare;
		b.smart[4] = rows[i].threshold;
		ck_assert_int_eq(judge(&b), rows[i].verdict);
		FOUND(&b, "available_spare", rows[i].word);
		ck_assert_uint_eq(count(&b), *rows[i].word ? 1 : 0);
	}
}
END_TEST

START_TEST(spare_options)
{
	struct bench b;

	setup(&b);
	b.options.thresholds.spare_warning_percent = 30;
	b.options.thresholds.spare_critical_percent = 20;
	b.smart[3] = 31;
	ck_assert_int_eq(judge(&b), SSD_OK);
	b.smart[3] = 30;
	ck_assert_int_eq(judge(&b), SSD_WARNING);
	b.smart[3] = 20;
	ck_assert_int_eq(judge(&b), SSD_WARNING);
	b.smart[3] = 19;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	ck_assert_int_eq(ssd_get_int(b.findings->child, "value", 0), 19);
	ck_assert_int_eq(ssd_get_int(b.findings->child, "threshold", 0), 20);
}
END_TEST

/* Bits are independent, unknown ones are named: warnings 1Fh and E0h (smartmontools-support, June 2019). */
START_TEST(critical_warnings)
{
	static const char *const ids[] = {
		"critical_warning_available_spare", "critical_warning_temperature",
		"critical_warning_reliability",     "critical_warning_read_only",
		"critical_warning_volatile_backup", "critical_warning_persistent_memory",
		"critical_warning_reserved",        "critical_warning_reserved",
	};
	struct bench b;

	for (unsigned value = 0; value < 256; value++) {
		unsigned expected = 0;

		setup(&b);
		b.smart[0] = (uint8_t)value;
		/* Only the temperature bit is a mere warning. */
		ck_assert_int_eq(judge(&b), !value ? SSD_OK : value == 2 ? SSD_WARNING : SSD_CRITICAL);
		for (unsigned bit = 0; bit < 7; bit++) {
			bool set = bit < 6 ? value >> bit & 1 : value & 0xc0;

			FOUND(&b, ids[bit], !set ? "" : bit == 1 ? "warning" : "critical");
			expected += set;
		}
		ck_assert_uint_eq(count(&b), expected);
		ssd_arena_free(b.a);
	}
	setup(&b);
	b.smart[0] = 0xe0;
	judge(&b);
	ck_assert(strstr(ssd_get_str(b.findings->last, "message", ""), "0xe0"));
}
END_TEST

/* smartmontools#537, Napsty/check_smart#101: up to 255, above 100 is no failure. */
START_TEST(percentage_used)
{
	static const uint8_t worn[] = {90, 91, 100, 101, 161, 254, 255};
	struct bench b;

	setup(&b);
	b.smart[5] = 89;
	ck_assert_int_eq(judge(&b), SSD_OK);
	for (size_t i = 0; i < ARRAY_SIZE(worn); i++) {
		b.smart[5] = worn[i];
		ck_assert_int_eq(judge(&b), SSD_WARNING);
		FOUND(&b, "percentage_used", "warning");
		ck_assert_int_eq(ssd_get_int(b.findings->child, "value", 0), worn[i]);
		ck_assert_int_eq(ssd_get_int(b.findings->child, "threshold", 0), 90);
	}
	ck_assert(strstr(ssd_get_str(b.findings->child, "message", ""), "255% or more"));
	b.options.thresholds.used_critical_percent = 100;
	b.smart[5] = 99;
	ck_assert_int_eq(judge(&b), SSD_WARNING);
	b.smart[5] = 100;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	ck_assert_uint_eq(count(&b), 1);
	b.options.thresholds.used_critical_percent = -1;
	b.options.thresholds.used_warning_percent = 200;
	b.smart[5] = 161;
	ck_assert_int_eq(judge(&b), SSD_OK);
}
END_TEST

static enum ssd_severity at_celsius(struct bench *b, int celsius)
{
	ssd_put_le(b->smart + 1, 2, 273 + (uint64_t)celsius);
	return judge(b);
}

static void edges(struct bench *b, int warning, int critical)
{
	ck_assert_int_eq(at_celsius(b, warning - 1), SSD_OK);
	ck_assert_int_eq(at_celsius(b, warning), SSD_WARNING);
	FOUND(b, "temperature", "warning");
	ck_assert_int_eq(at_celsius(b, critical - 1), SSD_WARNING);
	ck_assert_int_eq(at_celsius(b, critical), SSD_CRITICAL);
	FOUND(b, "temperature", "critical");
	ck_assert_uint_eq(count(b), 1);
	ck_assert_int_eq(b->health.temperature_warning, warning);
	ck_assert_int_eq(b->health.temperature_critical, critical);
}

START_TEST(temperature_limits)
{
	struct bench b;

	setup(&b);
	edges(&b, 70, 80); /* the drive says nothing */
	b.in.over_temperature_kelvin = 358;
	edges(&b, 80, 85);                     /* feature 04h is critical, 5 K below it the warning */
	b.in.over_temperature_kelvin = 0xffff; /* disabled: lm-sensors/lm-sensors#574 */
	edges(&b, 70, 80);
	b.in.over_temperature_kelvin = 0;
	edges(&b, 70, 80);
	b.in.over_temperature_kelvin = 358;
	b.in.wctemp_kelvin = 343;
	b.in.cctemp_kelvin = 353;
	edges(&b, 70, 80); /* the drive's own limits come first */
	b.in.wctemp_kelvin = 350;
	b.in.cctemp_kelvin = 373;
	edges(&b, 77, 100);
	b.in.wctemp_kelvin = 0; /* only the critical one is reported */
	b.in.cctemp_kelvin = 348;
	edges(&b, 70, 75);
	b.in.wctemp_kelvin = 338; /* only the warning one */
	b.in.cctemp_kelvin = 0;
	edges(&b, 65, 80);
	b.in.wctemp_kelvin = 70; /* Celsius where kelvin belong */
	b.in.cctemp_kelvin = 80;
	b.in.over_temperature_kelvin = -1;
	edges(&b, 70, 80);
	b.options.thresholds.temperature_warning = 50;
	b.options.thresholds.temperature_critical = 60;
	b.in.wctemp_kelvin = 343;
	edges(&b, 50, 60); /* the user's word above all */
}
END_TEST

START_TEST(temperature_values)
{
	struct bench b;

	setup(&b);
	/* 0 K is "not reported": nvme-cli#884 */
	ssd_put_le(b.smart + 1, 2, 0);
	ck_assert_int_eq(judge(&b), SSD_OK);
	ck_assert_uint_eq(count(&b), 0);
	/* 253 K is -20 C, not 65516 C: nvme-cli#141 */
	ck_assert_int_eq(at_celsius(&b, -20), SSD_OK);
	ck_assert_int_eq(at_celsius(&b, 313 - 273), SSD_OK);
	/* A sensor alone raises nothing: the composite temperature is what the limits are for. */
	ssd_put_le(b.smart + 200, 2, 273 + 99);
	ck_assert_int_eq(judge(&b), SSD_OK);
}
END_TEST

START_TEST(media_errors)
{
	struct bench b;

	setup(&b);
	ssd_put_le(b.smart + 160, 8, 3);
	ck_assert_int_eq(judge(&b), SSD_OK);
	FOUND(&b, "media_errors", "info");
	b.options.thresholds.media_errors_critical = 4;
	ck_assert_int_eq(judge(&b), SSD_OK);
	FOUND(&b, "media_errors", "info");
	b.options.thresholds.media_errors_critical = 3;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	FOUND(&b, "media_errors", "critical");
	ck_assert_uint_eq(count(&b), 1);
	ssd_put_le(b.smart + 160, 8, 0);
	ck_assert_int_eq(judge(&b), SSD_OK);
	ck_assert_uint_eq(count(&b), 0);
}
END_TEST

/* nvme-cli#1224, #2002: operating systems and tools make entries; that is nothing. */
START_TEST(error_log_is_nothing)
{
	struct bench b;

	setup(&b);
	ssd_put_le(b.smart + 176, 8, 1234567);
	ck_assert_int_eq(judge(&b), SSD_OK);
	ck_assert_uint_eq(count(&b), 0);
}
END_TEST

START_TEST(impossible)
{
	static const unsigned counters[] = {32, 48, 64, 80, 112, 144, 160};
	struct bench b;

	setup(&b);
	b.smart[3] = 100;
	ck_assert_int_eq(judge(&b), SSD_OK);
	b.smart[3] = 101;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	FOUND(&b, "impossible_value", "critical");
	setup(&b);
	b.smart[4] = 101;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	FOUND(&b, "impossible_value", "critical");
	setup(&b);
	ssd_put_le(b.smart + 128, 8, 999999);
	ck_assert_int_eq(judge(&b), SSD_OK);
	ssd_put_le(b.smart + 128, 8, 1000000);
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		setup(&b);
		ssd_put_le(b.smart + counters[i], 8, INT64_MAX - 1);
		ck_assert_int_eq(judge(&b), SSD_OK);
		memset(b.smart + counters[i], 0xff, 16);
		ck_assert_int_eq(judge(&b), SSD_CRITICAL);
		FOUND(&b, "impossible_value", "critical");
	}
}
END_TEST

/* nvme-cli#2759, linux-nvme/libnvme#980: a page of zeros is no healthy drive. */
START_TEST(blank_page)
{
	struct bench b;

	setup(&b);
	memset(b.smart, 0, sizeof(b.smart));
	ck_assert_int_eq(judge(&b), SSD_UNKNOWN);
	FOUND(&b, "smart_blank", "unknown");
	ck_assert_uint_eq(count(&b), 1);
	b.smart[176] = 3; /* errors were counted, nothing else was */
	ck_assert_int_eq(judge(&b), SSD_UNKNOWN);
	for (unsigned i = 0; i < 6; i++) {
		memset(b.smart, 0, sizeof(b.smart));
		b.smart[i] = 1;
		judge(&b);
		FOUND(&b, "smart_blank", "");
	}
}
END_TEST

static enum ssd_severity judge_without_smart(struct bench *b)
{
	b->findings = ssd_set_list(ssd_obj_new(b->a, &root_field), "findings");
	b->in.smart = NULL;
	b->health = ssd_health_judge(&b->in, &b->options, b->findings);
	return b->health.severity;
}

START_TEST(unreadable)
{
	static const struct {
		enum ssd_err_code code;
		const char *id;
	} rows[] = {
		{SSD_ERR_NVME, "unreadable"}, {SSD_ERR_PERMISSION, "unreadable"}, {SSD_ERR_GONE, "unreadable"},
		{SSD_ERR_TIMEOUT, "timeout"}, {SSD_ERR_NOT_WRITTEN, "no_data"},   {SSD_ERR_BUSY, "unreadable"},
	};
	struct ssd_err err = SSD_ERR_INIT;
	struct bench b;

	setup(&b);
	b.in.err = &err;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ssd_fail(&err, rows[i].code, "nvme0: no luck");
		ck_assert_int_eq(judge_without_smart(&b), SSD_UNKNOWN);
		FOUND(&b, rows[i].id, "unknown");
		ck_assert_str_eq(ssd_get_str(b.findings->child, "message", ""), "nvme0: no luck");
		ck_assert_uint_eq(count(&b), 1);
	}
	b.in.err = NULL;
	ck_assert_int_eq(judge_without_smart(&b), SSD_UNKNOWN);
	/* What is known without the page still counts: critical is worse than unknown. */
	b.in.firmware = "ERRORMOD";
	ck_assert_int_eq(judge_without_smart(&b), SSD_CRITICAL);
	ck_assert_uint_eq(count(&b), 2);
}
END_TEST

START_TEST(states)
{
	static const struct {
		const char *state;
		bool lost;
	} rows[] = {{"live", false},       {"", false},    {"new", false},     {"resetting", false},
		    {"connecting", false}, {"dead", true}, {"deleting", true}, {"deleting (no IO)", true}};
	struct bench b;

	setup(&b);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.in.state = rows[i].state;
		ck_assert_int_eq(judge_without_smart(&b), rows[i].lost ? SSD_CRITICAL : SSD_UNKNOWN);
		FOUND(&b, "state", rows[i].lost ? "critical" : "");
		ck_assert_uint_eq(count(&b), 1);
	}
	b.in.state = NULL;
	ck_assert_int_eq(judge(&b), SSD_OK);
}
END_TEST

/* nvme-cli#2844 and its relatives. */
START_TEST(fault_identity)
{
	static const char *const bad[] = {"ERRORMOD", "8BBOOT01", "ASSERT", "xERR", "", "   "};
	static const char *const good[] = {"8DV10131", "8EV10171", "VDV10182", "QDV10170",
					   "E2010435", "2CV1L034", "1.0"};
	struct bench b;

	setup(&b);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		b.in.firmware = good[i];
		ck_assert_int_eq(judge(&b), SSD_OK);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		b.in.firmware = bad[i];
		ck_assert_int_eq(judge(&b), SSD_CRITICAL);
		FOUND(&b, "fault_identity", "critical");
		ck_assert_uint_eq(count(&b), 1);
	}
	b.in.firmware = NULL; /* not read is not blank */
	ck_assert_int_eq(judge(&b), SSD_OK);
}
END_TEST

/* On a drive that no module knows only the two strings count that have been seen; the others may be its ordinary names. */
START_TEST(fault_identity_of_others)
{
	static const struct {
		const char *model, *firmware;
		enum ssd_severity severity;
	} rows[] = {
		{"KERR SSD 1TB", "3B2QERR7", SSD_OK},
		{"Other 1TB", "BOOT0012", SSD_OK},
		{"Other 1TB", "ASSERT01", SSD_OK},
		{"Virtual NVMe disk", "", SSD_OK},
		{"Bootloader Express", "1.0", SSD_OK},
		{"Other 1TB", "ERRORMOD", SSD_CRITICAL},
		{"Intel SSD Bootloader", "1.0", SSD_CRITICAL},
		{"INTEL SSD Bootloader", NULL, SSD_CRITICAL},
	};
	struct bench b;

	setup(&b);
	b.in.family_known = false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.in.model = rows[i].model;
		b.in.firmware = rows[i].firmware;
		ck_assert_int_eq(judge(&b), rows[i].severity);
		FOUND(&b, "fault_identity", rows[i].severity == SSD_OK ? "" : "critical");
	}
}
END_TEST

START_TEST(fault_capacity)
{
	struct bench b;

	setup(&b);
	b.in.capacity_bytes = 8000000001ull;
	ck_assert_int_eq(judge(&b), SSD_OK);
	b.in.capacity_bytes = 8000000000ull;
	ck_assert_int_eq(judge(&b), SSD_CRITICAL);
	FOUND(&b, "fault_capacity", "critical");
	b.in.capacity_bytes = 0; /* not reported, or no namespace */
	ck_assert_int_eq(judge(&b), SSD_OK);
	b.in.capacity_bytes = 1073741824; /* somebody's virtual drive */
	b.in.family_known = false;
	ck_assert_int_eq(judge(&b), SSD_OK);
}
END_TEST

/* v-zhuravlev/zbx-smartctl#129: spare and wear are two things. */
START_TEST(spare_is_not_wear)
{
	struct bench b;

	setup(&b);
	b.smart[3] = 100;
	b.smart[5] = 91;
	ck_assert_int_eq(judge(&b), SSD_WARNING);
	FOUND(&b, "percentage_used", "warning");
	FOUND(&b, "available_spare", "");
}
END_TEST

START_TEST(ignoring)
{
	const char *ignore[1];
	struct bench b;
	static const struct {
		const char *entry;
		bool works;
	} rows[] = {
		{"percentage_used", true},
		{"percentage_used:nvme0", true},
		{"percentage_used:/dev/nvme0", true},
		{"percentage_used:CVFT0001", true},
		{"percentage_used:nvme1", false},
		{"percentage_used:", false},
		{"percentage", false},
		{"percentage_used_", false},
		{"temperature", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup(&b);
		b.smart[5] = 95;
		ignore[0] = rows[i].entry;
		b.options.ignore = ignore;
		b.options.n_ignore = 1;
		ck_assert_int_eq(judge(&b), rows[i].works ? SSD_OK : SSD_WARNING);
		FOUND(&b, "percentage_used", rows[i].works ? "info" : "warning");
	}
	/* Without a serial number nothing is taken for "the same". */
	setup(&b);
	b.in.serial = NULL;
	b.smart[5] = 95;
	ignore[0] = "percentage_used:CVFT0001";
	b.options.ignore = ignore;
	b.options.n_ignore = 1;
	ck_assert_int_eq(judge(&b), SSD_WARNING);
}
END_TEST

START_TEST(order_of_severities)
{
	ck_assert_int_eq(ssd_severity_worse(SSD_CRITICAL, SSD_UNKNOWN), SSD_CRITICAL);
	ck_assert_int_eq(ssd_severity_worse(SSD_WARNING, SSD_UNKNOWN), SSD_UNKNOWN);
	ck_assert_int_eq(ssd_severity_worse(SSD_WARNING, SSD_OK), SSD_WARNING);
	ck_assert_int_eq(ssd_severity_worse(SSD_INFO, SSD_OK), SSD_OK);
	ck_assert_str_eq(ssd_severity_name(SSD_CRITICAL), "critical");
	ck_assert_str_eq(ssd_severity_name(SSD_OK), "ok");
}
END_TEST

/* A drive that answers Identify, SMART and feature 04h, and notes what it was asked. */
struct fake {
	struct ssd_transport base;
	uint8_t id[4096], smart[512];
	uint32_t feature;
	uint16_t smart_status;
	unsigned identify, log, features;
};

static int fake_submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct fake *f = (struct fake *)t;

	*cpl = (struct ssd_cpl){0};
	switch (cmd->opcode) {
	case SSD_ADMIN_IDENTIFY:
		f->identify++;
		ck_assert_uint_eq(cmd->nsid, 0); /* collectd/collectd#3974 */
		memcpy(cmd->data, f->id, 4096);
		break;
	case SSD_ADMIN_GET_LOG_PAGE:
		f->log++;
		ck_assert_uint_eq(cmd->cdw10 & 0xffff, 0x8002);
		cpl->status = f->smart_status;
		if (!f->smart_status)
			memcpy(cmd->data, f->smart, 512);
		break;
	default:
		f->features++;
		ck_assert_uint_eq(cmd->opcode, SSD_ADMIN_GET_FEATURES);
		ck_assert_uint_eq(cmd->cdw10, 0x04);
		ck_assert_uint_eq(cmd->cdw11, 0);
		cpl->result = f->feature;
	}
	return 0;
}

static void fake_close(struct ssd_transport *t)
{
	(void)t;
}

static struct ssd_drive drive = {.device = "nvme0", .state = "live"};

static struct ssd_device fake_device(struct fake *f, struct bench *b)
{
	setup(b);
	b->findings = ssd_set_list(ssd_obj_new(b->a, &root_field), "findings");
	memset(f, 0, sizeof(*f));
	f->base.submit = fake_submit;
	f->base.close = fake_close;
	memset(f->id + 4, ' ', 68);
	memcpy(f->id + 4, "SERIAL", 6);
	memcpy(f->id + 24, "MODEL", 5);
	memcpy(f->id + 64, "FW1", 3);
	memcpy(f->smart, b->smart, 512);
	return (struct ssd_device){.drive = &drive, .transport = &f->base};
}

START_TEST(collects)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_device dev;
	struct fake f;
	struct bench b;

	dev = fake_device(&f, &b);
	f.feature = 273 + 43; /* critical at 43, warning at 38 */
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, &err), 0);
	ck_assert_int_eq(b.health.severity, SSD_WARNING);
	ck_assert_uint_eq(f.identify + f.log + f.features, 3);
	ck_assert_int_eq(ssd_get_int(b.health.smart, "percentage_used", -1), 41);
	ssd_device_close(&dev);

	dev = fake_device(&f, &b);
	ssd_put_le(f.id + 266, 2, 273 + 30); /* WCTEMP */
	ssd_put_le(f.id + 268, 2, 273 + 38); /* CCTEMP */
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, &err), 0);
	ck_assert_int_eq(b.health.severity, SSD_CRITICAL);
	ck_assert_uint_eq(f.features, 0); /* not asked for what is not needed */
	ssd_device_close(&dev);

	/* FFFFh is no limit, so the feature is asked; without a temperature it would not matter. */
	dev = fake_device(&f, &b);
	ssd_put_le(f.id + 266, 2, 0xffff);
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, &err), 0);
	ck_assert_uint_eq(f.features, 1);
	ssd_device_close(&dev);
	dev = fake_device(&f, &b);
	ssd_put_le(f.smart + 1, 2, 0);
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, &err), 0);
	ck_assert_uint_eq(f.features, 0);
	ssd_device_close(&dev);
}
END_TEST

START_TEST(collects_in_spite_of_errors)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_device dev;
	struct fake f;
	struct bench b;

	dev = fake_device(&f, &b);
	f.smart_status = 0x4109;
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_NVME);
	ck_assert_int_eq(b.health.severity, SSD_UNKNOWN);
	FOUND(&b, "unreadable", "unknown");
	ck_assert_ptr_null(b.health.smart);
	ssd_device_close(&dev);

	dev = fake_device(&f, &b);
	memcpy(f.id + 64, "ERRORMOD", 8);
	f.smart_status = 0x4006;
	ck_assert_int_eq(ssd_health_check(&dev, b.a, &b.options, b.findings, &b.health, NULL), -1);
	ck_assert_int_eq(b.health.severity, SSD_CRITICAL);
	FOUND(&b, "fault_identity", "critical");
	FOUND(&b, "unreadable", "unknown");
	ssd_device_close(&dev);
}
END_TEST

START_TEST(unreached)
{
	struct ssd_drive dead = {.device = "nvme3", .state = "dead", .firmware = "8DV10131"};
	struct ssd_device dev = {.drive = &dead};
	struct ssd_err err = SSD_ERR_INIT;
	struct bench b;

	setup(&b);
	b.findings = ssd_set_list(ssd_obj_new(b.a, &root_field), "findings");
	ssd_fail(&err, SSD_ERR_GONE, "nvme3: the controller is dead");
	ck_assert_int_eq(ssd_health_unreached(&dev, &err, &b.options, b.findings).severity, SSD_CRITICAL);
	FOUND(&b, "state", "critical");
	ck_assert_uint_eq(count(&b), 1);

	strcpy(dead.state, "live");
	dead.firmware[0] = '\0'; /* sysfs did not say: not a blank revision */
	b.findings = ssd_set_list(ssd_obj_new(b.a, &root_field), "findings");
	ssd_fail(&err, SSD_ERR_TIMEOUT, "nvme3: no answer within 10 s");
	ck_assert_int_eq(ssd_health_unreached(&dev, &err, &b.options, b.findings).severity, SSD_UNKNOWN);
	FOUND(&b, "timeout", "unknown");
	ck_assert_uint_eq(count(&b), 1);
}
END_TEST

CHECK_MAIN("health", good_drive, spare, spare_options, critical_warnings, percentage_used, temperature_limits,
	   temperature_values, media_errors, error_log_is_nothing, impossible, blank_page, unreadable, states,
	   fault_identity, fault_identity_of_others, fault_capacity, spare_is_not_wear, ignoring, order_of_severities,
	   collects, collects_in_spite_of_errors, unreached)
