/* SPDX-License-Identifier: MIT */
/* ssdct provision: how much of the drive its namespace shows; what it does not show is spare for the drive's own use. */
#include "change.h"
#include "cmd.h"
#include "ns_common.h"

#include <errno.h>
#include <inttypes.h>
#include <ssdct/plugin.h>

struct options {
	const char *max_lba; /* text, as 0 is a value */
	uint64_t last, percent, size;
	bool native;
};

static const struct ssd_option options[] = {
	{"max-lba", 0, SSD_OPT_STR, SSD_OPTION(struct options, max_lba), "N", "the last block has this number"},
	{"percent", 0, SSD_OPT_UINT, SSD_OPTION(struct options, percent), "P", "of the native size", 1, 100},
	{"size", 0, SSD_OPT_SIZE, SSD_OPTION(struct options, size), "SIZE", "bytes, rounded up to whole blocks", 512,
	 INT64_MAX},
	{"native", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, native), NULL, "all that the drive has"},
	{.type = SSD_OPT_END},
};

static int prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;
	char *end;

	if (!!o->max_lba + !!o->percent + !!o->size + o->native != 1)
		return ssd_fail(err, SSD_ERR_USAGE,
				"how large? One of --max-lba N, --percent P, --size SIZE, --native");
	if (!o->max_lba)
		return 0;
	errno = 0;
	o->last = strtoull(o->max_lba, &end, 10);
	if (!*o->max_lba || o->max_lba[strspn(o->max_lba, "0123456789")] || errno || o->last > INT64_MAX - 1)
		return ssd_fail(err, SSD_ERR_USAGE, "--max-lba: \"%s\" is not the number of a block", o->max_lba);
	return 0;
}

static struct ssd_node *doc(struct ssd_row *row)
{
	struct ssd_node *obj = ssd_get_mutable(row->element, "provision");

	return obj ? obj : ssd_set_obj(row->element, "provision");
}

static void set_size(struct ssd_node *obj, const char *blocks_key, const char *bytes_key, uint64_t blocks,
		     uint32_t block_bytes)
{
	ssd_set_uint(obj, blocks_key, blocks);
	ssd_set_uint(obj, bytes_key, blocks > UINT64_MAX / block_bytes ? UINT64_MAX : blocks * block_bytes);
}

static void doc_plan(struct ssd_node *obj, const struct ns_plan *plan)
{
	ssd_set_str(obj, "method", plan->method == NS_BY_MAX_LBA ? "max_lba" : "namespaces");
	if (plan->method == NS_BY_MAX_LBA)
		ssd_set_str(obj, "unit", plan->counts ? "blocks" : "last_lba");
	ssd_set_uint(obj, "nsid", plan->nsid);
	ssd_set_uint(obj, "block_bytes", plan->block_bytes);
	if (plan->most_blocks)
		set_size(obj, "native_blocks", "native_bytes", plan->most_blocks, plan->block_bytes);
	set_size(obj, "before_blocks", "before_bytes", plan->before_blocks, plan->block_bytes);
	set_size(obj, "size_blocks", "size_bytes", plan->blocks, plan->block_bytes);
	ns_doc_plan(obj, plan);
}

static const char *result_of(const struct ns_change *c, int rc)
{
	const struct ns_outcome *o = &c->outcome;

	if (c->run->globals.dry_run)
		return rc ? NULL : "dry_run";
	if (o->pending)
		return "pending_power_cycle";
	if (!rc)
		return "provisioned";
	if (o->done)
		return "partly_applied";
	return !o->sent || o->known ? "not_applied" : NULL;
}

/* Command specific status codes of Set Features C1h (SPDK nvme_intel.h). */
static const struct {
	int status;
	const char *hint;
} refusals[] = {
	{0x1c0, "the drive says: more than its capacity"},
	{0x1c1, "the drive says: less than its minimum"},
	{0x1c2, "the drive says: less than its namespaces need"},
};

static void add_hint(const struct ns_change *c, struct ssd_err *err)
{
	for (size_t i = 0; c->plan->method == NS_BY_MAX_LBA && i < ARRAY_SIZE(refusals); i++)
		if (err->nvme_status >= 0 && (err->nvme_status & 0x7ff) == refusals[i].status)
			ssd_hint(err, "%s", refusals[i].hint);
	/* The namespace is deleted and no other was made: what is left to do. */
	if (c->plan->method != NS_BY_NAMESPACES || !c->outcome.done || c->outcome.nsid)
		return;
	ssd_hint(err, "make one: ssdct namespace create %s --blocks N --block-size %" PRIu32 " --attach",
		 c->dev->drive->device, c->plan->block_bytes);
}

static void end(struct ns_change *c, int rc)
{
	struct ssd_node *obj = doc(c->row);
	const struct ns_outcome *o = &c->outcome;
	const struct ns_info *ns = ns_find(&o->facts, o->nsid ? o->nsid : c->plan->nsid);

	ssd_set_str(obj, "result", result_of(c, rc));
	ns_doc_change(obj, c);
	if (!o->sent)
		return;
	ssd_set_bool(obj, "controller_reset", o->reset);
	if (o->nsid)
		ssd_set_uint(obj, "nsid", o->nsid);
	if (o->known && ns && ns->block_bytes)
		set_size(obj, "after_blocks", "after_bytes", ns->nsze, ns->block_bytes);
	if (rc)
		add_hint(c, &c->row->err);
	else if (!c->host.agrees)
		ssd_note(c->run, "%s: the drive has done it, but this host does not show it: %s", c->dev->drive->device,
			 c->host.message);
	if (!rc && o->pending)
		c->row->exit = SSD_EXIT_PENDING;
}

static int make_plan(struct ssd_run *run, const struct ns_facts *facts, struct ns_plan *plan, struct ssd_err *err)
{
	const struct options *o = run->options;

	if (o->max_lba)
		return ns_plan_provision(facts, NS_TO_BLOCKS, o->last + 1, plan, err);
	if (o->percent)
		return ns_plan_provision(facts, NS_TO_PERCENT, o->percent, plan, err);
	if (o->size)
		return ns_plan_provision(facts, NS_TO_BYTES, o->size, plan, err);
	return ns_plan_provision(facts, NS_TO_NATIVE, 0, plan, err);
}

static int provision(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts)
{
	char what[300], old[96], new[96];
	struct ns_plan plan;
	struct ns_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = what,
			      .impact = SSD_DESTROYS,
			      .nsid = SSD_NSID_ALL,
			      .facts = facts,
			      .plan = &plan};
	int rc;

	if (make_plan(run, facts, &plan, &row->err)) {
		ssd_err_prefix(&row->err, "%s", dev->drive->device);
		return -1;
	}
	doc_plan(doc(row), &plan);
	if (!plan.n_steps) {
		ssd_set_str(doc(row), "result", "already_so");
		set_size(doc(row), "after_blocks", "after_bytes", plan.before_blocks, plan.block_bytes);
		return 0;
	}
	snprintf(what, sizeof(what), "change the size of namespace %" PRIu32 " from %s to %s", plan.nsid,
		 ns_size_text(plan.before_blocks, plan.block_bytes, old),
		 ns_size_text(plan.blocks, plan.block_bytes, new));
	rc = ns_change_run(&c);
	end(&c, rc);
	ns_change_free(&c);
	return rc;
}

static int provision_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct ns_facts facts = {0};
	int rc = change_check_backend(run, dev, &row->err);

	if (!rc)
		rc = ns_facts_read(dev, &facts, &row->err);
	/* Where the tables of its vendor have the feature; a drive may lack it all the same, and says so. */
	if (!rc && ssd_vendor_feature(dev, "max-lba"))
		rc = ns_max_lba_read(dev, &facts, &row->err);
	if (!rc && facts.managed && !facts.max_lba.known)
		rc = ns_command_set_read(dev, &facts, &row->err);
	if (!rc)
		rc = provision(run, dev, row, &facts);
	ns_facts_free(&facts);
	return rc;
}

const struct ssd_command cmd_provision = {
	.name = "provision",
	.summary = "over-provisioning: how much of the drive is shown; its data are lost",
	.usage = "DRIVE --max-lba N | --percent P | --size SIZE | --native",
	.help = "By the vendor's Max LBA feature where the drive has it, else by deleting the drive's only namespace "
		"and "
		"making it\n"
		"anew. The data are lost for ever: the drive's serial number must be typed, or said by --confirm.",
	.examples = (const char *const[]){"provision nvme0 --percent 80 --dry-run",
					  "provision nvme0 --native --confirm CVFT543000012P0EGN", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM | SSD_CMD_FOLD,
	.drives = SSD_DRIVES_ONE,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = ns_provision_fields,
	.prepare = prepare,
	.each = provision_each,
	.text = ns_provision_text,
};
