/* SPDX-License-Identifier: MIT */
/* The guard: what its rules do not allow does not reach the drive. */
#include <ssdct/transport.h>

struct guard {
	struct ssd_transport base;
	const struct ssd_guard_rules *rules;
	const void *ctx;
};

static int guard_submit(struct ssd_transport *base, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct guard *g = (struct guard *)base;

	if (!g->rules->command(g->ctx, cmd))
		return -SSD_EGUARD;
	return base->next->submit(base->next, cmd, cpl);
}

static int guard_control(struct ssd_transport *base, enum ssd_control op)
{
	struct guard *g = (struct guard *)base;

	if (!g->rules->control(g->ctx, op))
		return -SSD_EGUARD;
	return base->next->control(base->next, op);
}

static void guard_close(struct ssd_transport *base)
{
	free(base);
}

struct ssd_transport *ssd_guard_new(struct ssd_transport *next, const struct ssd_guard_rules *rules, const void *ctx)
{
	struct guard *g = ssd_calloc(1, sizeof(*g));

	*g = (struct guard){{guard_submit, guard_control, guard_close, next}, rules, ctx};
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
