/* SPDX-License-Identifier: MIT */
/* A format that the drive itself calls slower than another one. */
#include "doctor.h"

/* Relative Performance, NVM Command Set Specification 1.0c, figure 98: 0 is best. */
static const char *const performance[] = {"best", "better", "good", "degraded"};

static const struct ssd_node *in_use(const struct ssd_node *formats)
{
	for (const struct ssd_node *f = formats ? formats->child : NULL; f; f = f->next)
		if (ssd_get_int(f, "in_use", 0))
			return f;
	return NULL;
}

/* The best format of blocks of 4096 bytes without metadata. */
static const struct ssd_node *best_4k(const struct ssd_node *formats)
{
	const struct ssd_node *best = NULL;

	for (const struct ssd_node *f = formats ? formats->child : NULL; f; f = f->next)
		if (ssd_get_int(f, "data_bytes", 0) == 4096 && !ssd_get_int(f, "metadata_bytes", 0) &&
		    (!best || ssd_get_int(f, "relative_performance", 3) < ssd_get_int(best, "relative_performance", 3)))
			best = f;
	return best;
}

static void look(struct ssd_doctor *d, const struct ssd_namespace *ns)
{
	const struct ssd_node *id = ssd_read_page(d->dev, d->arena, &ssd_page_id_ns, ns->nsid, NULL);
	const struct ssd_node *formats = ssd_get(id, "lbaf"), *now = in_use(formats), *best = best_4k(formats);
	int64_t rp = ssd_get_int(now, "relative_performance", 0), could = ssd_get_int(best, "relative_performance", 3);

	if (!now || !best || ssd_get_int(now, "data_bytes", 0) != 512 || could >= rp)
		return;
	doctor_say(d, SSD_INFO,
		   "namespace %u is formatted with blocks of 512 bytes, whose relative performance the drive calls %s "
		   "(%lld); with 4096 it is %s (%lld)",
		   ns->nsid, performance[rp & 3], (long long)rp, performance[could & 3], (long long)could);
	doctor_advise(d, "DESTROYS THE DATA: `ssdct format %s --block-size 4096`, when all that uses it can do 4096",
		      *ns->device ? ns->device : d->drive->device);
}

void doctor_block_format(struct ssd_doctor *d)
{
	if (!doctor_id_ctrl(d))
		return;
	for (size_t i = 0; i < d->drive->n_namespaces; i++)
		look(d, &d->drive->namespaces[i]);
}
