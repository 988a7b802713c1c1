/* SPDX-License-Identifier: MIT */
/* Guard and trace around a transport that counts. */
#include "check.h"

#include <ssdct/transport.h>

struct counter {
	struct ssd_transport base;
	int submitted, *closed, rc;
};

static int counter_submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct counter *c = (struct counter *)t;

	(void)cmd;
	c->submitted++;
	*cpl = (struct ssd_cpl){.status = 0x4109, .result = 77};
	return c->rc;
}

static int counter_control(struct ssd_transport *t, enum ssd_control op)
{
	struct counter *c = (struct counter *)t;

	c->submitted += 100 + (int)op;
	return c->rc;
}

static void counter_close(struct ssd_transport *t)
{
	++*((struct counter *)t)->closed;
	free(t);
}

static struct counter *counter_new(int *closed, int rc)
{
	struct counter *c = ssd_calloc(1, sizeof(*c));

	*c = (struct counter){{counter_submit, counter_control, counter_close, NULL}, 0, closed, rc};
	return c;
}

/* Everything with an odd opcode is a read here, when the context says so. */
static bool is_odd(const void *ctx, const struct ssd_cmd *cmd)
{
	return cmd->opcode % 2 == *(const int *)ctx;
}

static bool is_rescan(const void *ctx, enum ssd_control op)
{
	(void)ctx;
	return op == SSD_RESCAN;
}

static const struct ssd_guard_rules rules = {is_odd, is_rescan};

START_TEST(guard_stops_controls_too)
{
	int closed = 0, odd = 1;
	struct counter *c = counter_new(&closed, 0);
	struct ssd_transport *t = ssd_guard_new(&c->base, &rules, &odd);

	ck_assert_int_eq(t->control(t, SSD_RESET_CONTROLLER), -SSD_EGUARD);
	ck_assert_int_eq(t->control(t, SSD_RESET_SUBSYSTEM), -SSD_EGUARD);
	ck_assert_int_eq(c->submitted, 0);
	ck_assert_int_eq(t->control(t, SSD_RESCAN), 0);
	ck_assert_int_eq(c->submitted, 100 + SSD_RESCAN);
	ssd_transport_close(t);
}
END_TEST

START_TEST(guard_stops_what_is_no_read)
{
	int closed = 0, odd = 1;
	struct counter *c = counter_new(&closed, 0);
	struct ssd_transport *t = ssd_guard_new(&c->base, &rules, &odd);
	struct ssd_cpl cpl = {.status = 0x7777};

	ck_assert_int_eq(t->submit(t, &(struct ssd_cmd){.opcode = 0x80}, &cpl), -SSD_EGUARD);
	ck_assert_int_eq(c->submitted, 0);
	ck_assert_uint_eq(cpl.status, 0x7777);
	ck_assert_int_eq(t->submit(t, &(struct ssd_cmd){.opcode = 0x81}, &cpl), 0);
	ck_assert_int_eq(c->submitted, 1);
	ck_assert_uint_eq(cpl.status, 0x4109);
	ck_assert_uint_eq(cpl.result, 77);
	ssd_transport_close(t);
	ck_assert_int_eq(closed, 1);
	ssd_transport_close(NULL);
}
END_TEST

struct seen {
	int n, error;
	bool sent, completed;
	uint8_t opcode;
	enum ssd_control control;
	const char *device;
};

static void sink(void *ctx, const struct ssd_trace_record *r)
{
	struct seen *s = ctx;

	s->n++;
	s->error = r->error;
	s->sent = r->sent;
	s->completed = r->cpl && r->cpl->status == 0x4109;
	s->opcode = r->cmd ? r->cmd->opcode : 0;
	s->control = r->control;
	s->device = r->device;
}

START_TEST(trace_tells_sent_and_stopped)
{
	int closed = 0, odd = 1;
	struct counter *c = counter_new(&closed, 0);
	struct seen seen = {0};
	struct ssd_transport *t = ssd_trace_new(ssd_guard_new(&c->base, &rules, &odd), "nvme7", sink, &seen);
	struct ssd_cpl cpl;

	ck_assert_int_eq(t->submit(t, &(struct ssd_cmd){.opcode = 0x81}, &cpl), 0);
	ck_assert_int_eq(seen.n, 1);
	ck_assert(seen.sent && seen.completed);
	ck_assert_int_eq(seen.error, 0);
	ck_assert_uint_eq(seen.opcode, 0x81);
	ck_assert_str_eq(seen.device, "nvme7");

	ck_assert_int_eq(t->submit(t, &(struct ssd_cmd){.opcode = 0x80}, &cpl), -SSD_EGUARD);
	ck_assert_int_eq(seen.n, 2);
	ck_assert(!seen.sent && !seen.completed);
	ck_assert_int_eq(seen.error, 0);

	c->rc = -ENODEV;
	ck_assert_int_eq(t->submit(t, &(struct ssd_cmd){.opcode = 0x81}, &cpl), -ENODEV);
	ck_assert_int_eq(seen.n, 3);
	ck_assert(seen.sent && !seen.completed);
	ck_assert_int_eq(seen.error, ENODEV);
	ssd_transport_close(t);
	ck_assert_int_eq(closed, 1);
}
END_TEST

/* Resets and rescan are told as well. */
START_TEST(trace_tells_controls)
{
	int closed = 0, odd = 1;
	struct counter *c = counter_new(&closed, 0);
	struct seen seen = {0};
	struct ssd_transport *t = ssd_trace_new(ssd_guard_new(&c->base, &rules, &odd), "nvme7", sink, &seen);

	ck_assert_int_eq(t->control(t, SSD_RESCAN), 0);
	ck_assert_int_eq(seen.n, 1);
	ck_assert(seen.sent && !seen.completed);
	ck_assert_int_eq(seen.control, SSD_RESCAN);
	ck_assert_int_eq(seen.error, 0);
	ck_assert_str_eq(seen.device, "nvme7");

	ck_assert_int_eq(t->control(t, SSD_RESET_SUBSYSTEM), -SSD_EGUARD);
	ck_assert_int_eq(seen.n, 2);
	ck_assert(!seen.sent);
	ck_assert_int_eq(seen.control, SSD_RESET_SUBSYSTEM);
	ck_assert_int_eq(seen.error, 0);

	c->rc = -ENOTTY;
	ck_assert_int_eq(t->control(t, SSD_RESCAN), -ENOTTY);
	ck_assert_int_eq(seen.n, 3);
	ck_assert(seen.sent);
	ck_assert_int_eq(seen.error, ENOTTY);
	ssd_transport_close(t);
}
END_TEST

CHECK_MAIN("guard", guard_stops_what_is_no_read, guard_stops_controls_too, trace_tells_sent_and_stopped,
	   trace_tells_controls)
