/* SPDX-License-Identifier: MIT */
/* Lines of --trace, read back by jansson: the same keys in each of them, null for what there is none of. */
#include "check.h"

#include "cli/trace.h"

#include <fcntl.h>
#include <jansson.h>

#define KEYS                                                                                                  \
	"time pid device queue opcode nsid cdw2 cdw3 cdw10 cdw11 cdw12 cdw13 cdw14 cdw15 data_len direction " \
	"timeout_ms "                                                                                         \
	"control sent status result errno us "

/* Writes the record as --trace does; returns the one object of the line, owned. */
static json_t *line_of(const struct ssd_trace_record *record)
{
	char path[] = "/tmp/ssdct-trace-XXXXXX", text[4096] = "", word[32];
	struct ssd_trace_sink sink = {.fd = mkstemp(path)};
	const char *key;
	json_t *json, *value;
	size_t keys = 0;

	ck_assert_int_ge(sink.fd, 0);
	ssd_trace_write(&sink, record);
	ck_assert_int_gt(pread(sink.fd, text, sizeof(text) - 1, 0), 0);
	close(sink.fd);
	unlink(path);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(json_is_object(json), "%s", text);
	json_object_foreach(json, key, value)
	{
		snprintf(word, sizeof(word), "%s ", key);
		ck_assert_msg(strstr(KEYS, word), "%s", key);
		keys++;
	}
	ck_assert_uint_eq(keys, 23);
	return json;
}

static const char *string_of(json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

/* The value, or -1 for null; anything else fails. */
static json_int_t number_of(json_t *json, const char *key)
{
	json_t *value = json_object_get(json, key);

	ck_assert_msg(json_is_integer(value) || json_is_null(value), "%s", key);
	return json_is_null(value) ? -1 : json_integer_value(value);
}

static const struct ssd_cmd cmd = {.opcode = 0x10, .cdw10 = 0x18, .timeout_ms = 120000};

START_TEST(a_command)
{
	struct ssd_cpl cpl = {.status = 0x111, .result = 5};
	json_t *json = line_of(
		&(struct ssd_trace_record){.device = "nvme3", .cmd = &cmd, .cpl = &cpl, .sent = true, .us = 77});

	ck_assert_str_eq(string_of(json, "device"), "nvme3");
	ck_assert_int_eq(number_of(json, "opcode"), 0x10);
	ck_assert_str_eq(string_of(json, "queue"), "admin");
	ck_assert_int_eq(number_of(json, "cdw10"), 0x18);
	ck_assert_int_eq(number_of(json, "status"), 0x111);
	ck_assert_int_eq(number_of(json, "result"), 5);
	ck_assert_int_eq(number_of(json, "errno"), -1);
	ck_assert_int_eq(number_of(json, "us"), 77);
	ck_assert(json_is_true(json_object_get(json, "sent")));
	ck_assert(json_is_null(json_object_get(json, "control")));
	json_decref(json);
}
END_TEST

/* The numbers of admin and I/O commands overlap: 01h is Write here, and Create I/O Submission Queue there. */
START_TEST(an_io_command)
{
	static const struct ssd_cmd write = {.opcode = 0x01, .io = true, .nsid = 1};
	json_t *json = line_of(&(struct ssd_trace_record){.device = "nvme3", .cmd = &write, .sent = true});

	ck_assert_int_eq(number_of(json, "opcode"), 1);
	ck_assert_str_eq(string_of(json, "queue"), "io");
	json_decref(json);
}
END_TEST

START_TEST(a_command_without_completion)
{
	json_t *json =
		line_of(&(struct ssd_trace_record){.device = "nvme3", .cmd = &cmd, .error = ENODEV, .sent = true});

	ck_assert_int_eq(number_of(json, "status"), -1);
	ck_assert_int_eq(number_of(json, "result"), -1);
	ck_assert_int_eq(number_of(json, "errno"), 19);
	json_decref(json);
}
END_TEST

/* How the guard says no to the caller is nobody's business: no system call has failed. */
START_TEST(a_command_that_was_stopped)
{
	json_t *json =
		line_of(&(struct ssd_trace_record){.device = "nvme3", .cmd = &cmd, .error = SSD_EGUARD, .sent = false});

	ck_assert(json_is_false(json_object_get(json, "sent")));
	ck_assert_int_eq(number_of(json, "status"), -1);
	ck_assert_int_eq(number_of(json, "errno"), -1);
	json_decref(json);
}
END_TEST

START_TEST(resets_and_rescan)
{
	static const struct {
		enum ssd_control op;
		const char *word;
	} rows[] = {{SSD_RESET_CONTROLLER, "controller_reset"},
		    {SSD_RESET_SUBSYSTEM, "subsystem_reset"},
		    {SSD_RESCAN, "rescan"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int error = i == 1 ? ENOTTY : 0;
		json_t *json = line_of(&(struct ssd_trace_record){
			.device = "nvme3", .control = rows[i].op, .error = error, .sent = true, .us = 9});

		ck_assert_str_eq(string_of(json, "control"), rows[i].word);
		ck_assert_str_eq(string_of(json, "device"), "nvme3");
		ck_assert(json_is_true(json_object_get(json, "sent")));
		ck_assert_int_eq(number_of(json, "errno"), error ? 25 : -1);
		ck_assert_int_eq(number_of(json, "opcode"), -1);
		ck_assert_int_eq(number_of(json, "data_len"), -1);
		ck_assert_int_eq(number_of(json, "timeout_ms"), -1);
		ck_assert_int_eq(number_of(json, "status"), -1);
		ck_assert_int_eq(number_of(json, "us"), 9);
		ck_assert(json_is_null(json_object_get(json, "direction")));
		ck_assert(json_is_null(json_object_get(json, "queue")));
		json_decref(json);
	}
}
END_TEST

CHECK_MAIN("trace", a_command, an_io_command, a_command_without_completion, a_command_that_was_stopped,
	   resets_and_rescan)
