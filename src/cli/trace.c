/* SPDX-License-Identifier: MIT */
/* Records of commands, resets and rescans: one JSON line, one write each. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <ssdct/status.h>
#include <sys/stat.h>
#include <time.h>

static const struct ssd_field record_fields[] = {
	{.key = "time", .type = SSD_STR},        {.key = "pid", .type = SSD_UINT},
	{.key = "device", .type = SSD_STR},      {.key = "queue", .type = SSD_STR},
	{.key = "opcode", .type = SSD_UINT},     {.key = "nsid", .type = SSD_UINT},
	{.key = "cdw2", .type = SSD_UINT},       {.key = "cdw3", .type = SSD_UINT},
	{.key = "cdw10", .type = SSD_UINT},      {.key = "cdw11", .type = SSD_UINT},
	{.key = "cdw12", .type = SSD_UINT},      {.key = "cdw13", .type = SSD_UINT},
	{.key = "cdw14", .type = SSD_UINT},      {.key = "cdw15", .type = SSD_UINT},
	{.key = "data_len", .type = SSD_UINT},   {.key = "direction", .type = SSD_STR},
	{.key = "timeout_ms", .type = SSD_UINT}, {.key = "control", .type = SSD_STR},
	{.key = "sent", .type = SSD_BOOL},       {.key = "status", .type = SSD_UINT},
	{.key = "result", .type = SSD_UINT},     {.key = "errno", .type = SSD_UINT},
	{.key = "us", .type = SSD_UINT},         SSD_FIELD_END,
};
static const struct ssd_field record_field = {.type = SSD_OBJ, .sub = record_fields};

static const char *const directions[] = {"none", "to_drive", "from_drive"};
static const char *const controls[] = {
	[SSD_RESET_CONTROLLER] = "controller_reset",
	[SSD_RESET_SUBSYSTEM] = "subsystem_reset",
	[SSD_RESCAN] = "rescan",
};

/* Whether it is where standard output or error goes: /dev/stderr leads there. */
static bool is_own(const struct stat *st)
{
	struct stat own;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return true;
	return false;
}

/* A pipe may be read slowly or never, and a disk (a drive's own node, mistyped) must not be written to. */
static bool is_fit(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	return S_ISREG(st.st_mode) || S_ISCHR(st.st_mode) || (S_ISFIFO(st.st_mode) && is_own(&st));
}

int ssd_trace_open(struct ssd_trace_sink *sink, const struct ssd_globals *globals, struct ssd_err *err)
{
	*sink = (struct ssd_trace_sink){.fd = -1, .verbose = globals->verbose};
	if (!globals->trace)
		return 0;
	if (!strcmp(globals->trace, "-")) {
		ssd_fail(err, SSD_ERR_USAGE, "--trace -: standard output is for the result");
		ssd_hint(err, "--trace /dev/stderr, or a file");
		return -1;
	}
	/* O_NONBLOCK: opening a pipe that nobody reads would wait for ever. */
	sink->fd = open(globals->trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (sink->fd < 0 && errno != ENXIO) {
		ssd_fail_errno(err, errno, "--trace %s", globals->trace);
		err->code = SSD_ERR_OUTPUT;
		return -1;
	}
	if (sink->fd < 0 || !is_fit(sink->fd)) {
		ssd_fail(err, SSD_ERR_OUTPUT, "--trace %s: is neither a file nor a terminal", globals->trace);
		return -1;
	}
	fcntl(sink->fd, F_SETFL, O_APPEND);
	return 0;
}

static void set_words(struct ssd_node *n, const struct ssd_cmd *cmd)
{
	const struct {
		const char *key;
		uint64_t value;
	} words[] = {
		{"opcode", cmd->opcode}, {"nsid", cmd->nsid},         {"cdw2", cmd->cdw2},
		{"cdw3", cmd->cdw3},     {"cdw10", cmd->cdw10},       {"cdw11", cmd->cdw11},
		{"cdw12", cmd->cdw12},   {"cdw13", cmd->cdw13},       {"cdw14", cmd->cdw14},
		{"cdw15", cmd->cdw15},   {"data_len", cmd->data_len}, {"timeout_ms", cmd->timeout_ms},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		ssd_set_uint(n, words[i].key, words[i].value);
}

static void set_cmd(struct ssd_node *n, const struct ssd_cmd *cmd)
{
	ssd_set_str(n, "queue", cmd->io ? "io" : "admin");
	set_words(n, cmd);
	ssd_set_str(n, "direction", directions[cmd->direction]);
}

static struct ssd_node *record_doc(struct ssd_arena *a, const struct ssd_trace_record *r)
{
	struct ssd_node *n = ssd_obj_new(a, &record_field);
	struct timespec now;
	char date[32];
	AUTO_FREE char *text = NULL;

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", gmtime(&now.tv_sec));
	text = ssd_asprintf("%s.%06ldZ", date, (long)(now.tv_nsec / 1000));
	ssd_set_str(n, "time", text);
	ssd_set_uint(n, "pid", (uint64_t)getpid());
	ssd_set_str(n, "device", r->device);
	if (r->cmd)
		set_cmd(n, r->cmd);
	else
		ssd_set_str(n, "control", controls[r->control]);
	ssd_set_bool(n, "sent", r->sent);
	if (r->cpl) {
		ssd_set_uint(n, "status", r->cpl->status);
		ssd_set_uint(n, "result", r->cpl->result);
	} else if (r->sent && r->error) {
		ssd_set_uint(n, "errno", (uint64_t)r->error);
	}
	ssd_set_uint(n, "us", r->us);
	return n;
}

/* A trace that cannot be written must not stop what is being done to the drive. */
static void put_line(struct ssd_trace_sink *sink, const char *device, const char *line, size_t len)
{
	ssize_t n;

	errno = ENOSPC; /* what a short write means */
	n = write(sink->fd, line, len);
	if (n == (ssize_t)len || sink->torn)
		return;
	fprintf(stderr, "ssdct: %s: --trace: lines are missing: %s\n", device, strerrordesc_np(errno));
	sink->torn = true;
}

static void write_line(struct ssd_trace_sink *sink, const struct ssd_trace_record *r)
{
	struct ssd_arena *a = ssd_arena_new(64 << 10);
	AUTO_FREE char *line = NULL;
	size_t len = 0;
	FILE *out;

	if (!a)
		return;
	out = open_memstream(&line, &len);
	if (out) {
		ssd_render_json(record_doc(a, r), out, true);
		fclose(out);
		put_line(sink, r->device, line, len);
	}
	ssd_arena_free(a);
}

static void say(const struct ssd_trace_record *r)
{
	const struct ssd_cmd *c = r->cmd;
	char outcome[128];

	if (!r->sent)
		snprintf(outcome, sizeof(outcome), "not sent");
	else if (r->error)
		snprintf(outcome, sizeof(outcome), "%s", strerrordesc_np(r->error));
	else if (!c)
		snprintf(outcome, sizeof(outcome), "done");
	else
		snprintf(outcome, sizeof(outcome), "%s (0x%04x), result 0x%" PRIx64,
			 ssd_status_info(r->cpl->status)->name, r->cpl->status, r->cpl->result);
	if (!c) {
		fprintf(stderr, "ssdct: %s: %s: %s, %" PRIu64 " us\n", r->device, ssd_control_name(r->control), outcome,
			r->us);
		return;
	}
	fprintf(stderr,
		"ssdct: %s: %s nsid %08x cdw10 %08x cdw11 %08x cdw12 %08x cdw13 %08x, %u bytes: %s, %" PRIu64 " us\n",
		r->device, ssd_cmd_name(c), c->nsid, c->cdw10, c->cdw11, c->cdw12, c->cdw13, c->data_len, outcome,
		r->us);
}

void ssd_trace_write(void *ctx, const struct ssd_trace_record *record)
{
	struct ssd_trace_sink *sink = ctx;

	if (sink->fd >= 0)
		write_line(sink, record);
	if (sink->verbose)
		say(record);
}
