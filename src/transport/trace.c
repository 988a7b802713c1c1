/* SPDX-License-Identifier: MIT */
/* The trace: tells a sink about every command, sent or stopped. */
#include <ssdct/transport.h>

struct trace {
	struct ssd_transport base;
	const char *device;
	ssd_trace_fn sink;
	void *ctx;
};

static int trace_submit(struct ssd_transport *base, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct trace *t = (struct trace *)base;
	uint64_t start = ssd_now_us();
	int rc = base->next->submit(base->next, cmd, cpl);

	t->sink(t->ctx, &(struct ssd_trace_record){.device = t->device,
						   .cmd = cmd,
						   .cpl = rc ? NULL : cpl,
						   .error = -rc,
						   .sent = rc != -SSD_EGUARD,
						   .us = ssd_now_us() - start});
	return rc;
}

static int trace_control(struct ssd_transport *base, enum ssd_control op)
{
	return base->next->control(base->next, op);
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
