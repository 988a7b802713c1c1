/* SPDX-License-Identifier: MIT */
/* The trace: tells a sink about every command, reset and rescan, sent or stopped. */
#include <ssdct/transport.h>

struct trace {
	struct ssd_transport base;
	const char *device;
	ssd_trace_fn sink;
	void *ctx;
};

/* Completes the record by what came of it. */
static void tell(const struct trace *t, struct ssd_trace_record *r, int rc, uint64_t start_us)
{
	r->device = t->device;
	r->sent = rc != -SSD_EGUARD;
	r->error = r->sent ? -rc : 0;
	r->us = ssd_now_us() - start_us;
	t->sink(t->ctx, r);
}

static int trace_submit(struct ssd_transport *base, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	uint64_t start = ssd_now_us();
	int rc = base->next->submit(base->next, cmd, cpl);

	tell((struct trace *)base, &(struct ssd_trace_record){.cmd = cmd, .cpl = rc ? NULL : cpl}, rc, start);
	return rc;
}

static int trace_control(struct ssd_transport *base, enum ssd_control op)
{
	uint64_t start = ssd_now_us();
	int rc = base->next->control(base->next, op);

	tell((struct trace *)base, &(struct ssd_trace_record){.control = op}, rc, start);
	return rc;
}

static void trace_close(struct ssd_transport *base)
{
	free(base);
}

struct ssd_transport *ssd_trace_new(struct ssd_transport *next, const char *device, ssd_trace_fn sink, void *ctx)
{
	struct trace *t = ssd_calloc(1, sizeof(*t));

	*t = (struct trace){{trace_submit, trace_control, trace_close, next}, device, sink, ctx};
	return &t->base;
}
