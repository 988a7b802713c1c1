/* SPDX-License-Identifier: MIT */
/* The guard: what is not known to be a pure read does not reach the drive. */
#include <ssdct/transport.h>

struct guard {
	struct ssd_transport base;
	ssd_is_read_fn is_read;
	const void *ctx;
};

static int guard_submit(struct ssd_transport *base, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct guard *g = (struct guard *)base;

	if (!g->is_read(g->ctx, cmd))
		return -SSD_EGUARD;
	return base->next->submit(base->next, cmd, cpl);
}

static void guard_close(struct ssd_transport *base)
{
	free(base);
}

struct ssd_transport *ssd_guard_new(struct ssd_transport *next, ssd_is_read_fn is_read, const void *ctx)
{
	struct guard *g = ssd_calloc(1, sizeof(*g));

	*g = (struct guard){{guard_submit, guard_close, next}, is_read, ctx};
	return &g->base;
}

void ssd_transport_close(struct ssd_transport *t)
{
	while (t) {
		struct ssd_transport *next = t->next;

		t->close(t);
		t = next;
	}
}
