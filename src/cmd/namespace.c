/* SPDX-License-Identifier: MIT */
/* ssdct namespace: list, create, delete, attach, detach. */
#include "change.h"
#include "cmd.h"
#include "ns_common.h"

#include <inttypes.h>

static struct ssd_node *doc(struct ssd_row *row)
{
	struct ssd_node *obj = ssd_get_mutable(row->element, "namespace");

	return obj ? obj : ssd_set_obj(row->element, "namespace");
}

static int fail_plan(struct ssd_device *dev, struct ssd_row *row)
{
	ssd_err_prefix(&row->err, "%s", dev->drive->device);
	return -1;
}

/* --- list --- */

static int list_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct ns_facts facts;
	int rc = ns_facts_read(dev, &facts, &row->err);

	if (!rc)
		ns_doc_facts(run, doc(row), dev->drive, &facts);
	ns_facts_free(&facts);
	return rc;
}

static const struct ssd_command ns_list = {
	.name = "list",
	.summary = "namespaces, sizes, controllers that have them, unallocated capacity",
	.usage = "DRIVE... | --all",
	.help = "Asks the drive, not the kernel: allocated namespaces are listed whether or not a controller has "
		"them.\n"
		"A drive without namespace management has those that are attached.",
	.examples = (const char *const[]){"namespace list nvme0", "namespace list --all -o json", NULL},
	.flags = SSD_CMD_FOLD,
	.drives = SSD_DRIVES_SOME,
	.fields = ns_fields,
	.each = list_each,
	.text = ns_list_text,
};

/* --- what the changes share --- */

struct options {
	uint64_t nsid;   /* 0: not given */
	uint32_t target; /* the namespace that is meant, or SSD_NSID_ALL */
	bool all_namespaces;
	const char *controllers;
	/* create */
	uint64_t size, blocks, capacity, block_size;
	const char *lba_format; /* text, as 0 is a value */
	bool largest, shared, attach;
};

#define OPTION_NSID                                                                                                  \
	{                                                                                                            \
		"nsid", 0, SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "namespace, where DRIVE is not one", \
			1, 0xfffffffe                                                                                \
	}
#define OPTION_CONTROLLERS                                                                        \
	{                                                                                         \
		"controllers", 0, SSD_OPT_STR, SSD_OPTION(struct options, controllers), "ID,...", \
			"controller identifiers, or all; default: the controller that DRIVE is"   \
	}

static int ascending(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* "0,1,5" as a Controller List has it: ascending, none twice. */
static int parse_ids(const char *text, struct ssd_controllers *list, struct ssd_err *err)
{
	unsigned n = 0;

	list->n = 0;
	for (const char *p = text;;) {
		char *end;
		unsigned long id = strtoul(p, &end, 10);

		if (*p < '0' || *p > '9' || end - p > 5 || id > UINT16_MAX || (*end && *end != ',') ||
		    list->n == SSD_CONTROLLERS)
			return ssd_fail(err, SSD_ERR_USAGE,
					"--controllers: \"%s\" is neither \"all\" nor identifiers from 0 to 65535 "
					"with commas between",
					text);
		list->ids[list->n++] = (uint16_t)id;
		if (!*end)
			break;
		p = end + 1;
	}
	qsort(list->ids, list->n, sizeof(*list->ids), ascending);
	for (unsigned i = 0; i < list->n; i++)
		if (!n || list->ids[i] != list->ids[n - 1])
			list->ids[n++] = list->ids[i];
	list->n = n;
	return 0;
}

static int check_controllers(const struct options *o, struct ssd_err *err)
{
	AUTO_FREE struct ssd_controllers *list = ssd_calloc(1, sizeof(*list));

	return !o->controllers || !strcmp(o->controllers, "all") ? 0 : parse_ids(o->controllers, list, err);
}

static void choose_controllers(const struct options *o, const struct ns_facts *f, struct ssd_controllers *list)
{
	struct ssd_err unused = SSD_ERR_INIT;

	if (!o->controllers || (!strcmp(o->controllers, "all") && !f->controllers.n))
		*list = (struct ssd_controllers){{(uint16_t)f->controller_id}, 1};
	else if (!strcmp(o->controllers, "all"))
		*list = f->controllers;
	else
		(void)!parse_ids(o->controllers, list, &unused); /* checked before the drive was opened */
}

/* The namespace that is meant: named by DRIVE, or by --nsid. */
static int choose_nsid(struct ssd_run *run, bool all_is_one, struct ssd_err *err)
{
	struct options *o = run->options;

	if (change_nsid(&run->rows[0].target, o->nsid, &o->target, err))
		return -1;
	if (o->all_namespaces && o->target)
		return ssd_fail(err, SSD_ERR_USAGE, "--all-namespaces, but a single namespace was named as well");
	if (o->all_namespaces)
		o->target = SSD_NSID_ALL;
	if (o->target)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, "which namespace? %s is a whole drive", run->rows[0].target.drive->device);
	ssd_hint(err, all_is_one ? "name one: --nsid N; or all of them: --all-namespaces" : "name it: --nsid N");
	return -1;
}

/* What a verb makes of the drive as it is now. */
typedef int (*act_fn)(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts);

static int with_facts(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, act_fn act)
{
	struct ns_facts facts = {0};
	int rc = change_check_backend(run, dev, &row->err) || ns_facts_read(dev, &facts, &row->err) ? -1 : 0;

	if (!rc) {
		ns_doc_facts(run, doc(row), dev->drive, &facts);
		rc = act(run, dev, row, &facts);
	}
	ns_facts_free(&facts);
	return rc;
}

static const char *result_of(const struct ns_change *c, int rc, const char *done)
{
	const struct ns_outcome *o = &c->outcome;

	if (c->run->globals.dry_run)
		return rc ? NULL : "dry_run";
	if (!rc)
		return done;
	if (o->done)
		return "partly_applied";
	return !o->sent || o->known ? "not_applied" : NULL;
}

static void end(struct ns_change *c, int rc, const char *done)
{
	struct ssd_node *obj = doc(c->row);
	const struct ns_outcome *o = &c->outcome;
	uint32_t nsid = o->nsid ? o->nsid : c->plan->nsid;

	ssd_set_str(obj, "result", result_of(c, rc, done));
	if (nsid && nsid != SSD_NSID_ALL)
		ssd_set_uint(obj, "nsid", nsid);
	ns_doc_change(obj, c);
	if (o->known)
		ns_doc_facts(c->run, obj, c->dev->drive, &o->facts);
	else if (o->sent)
		ssd_attach_null(obj, ssd_get(obj, "namespaces")->field);
	if (o->sent && !rc && !c->host.agrees)
		ssd_note(c->run, "%s: the drive has done it, but this host does not show it: %s", c->dev->drive->device,
			 c->host.message);
}

static int change(struct ns_change *c, const char *done)
{
	int rc;

	ns_doc_plan(doc(c->row), c->plan);
	rc = ns_change_run(c);
	end(c, rc, done);
	ns_change_free(c);
	return rc;
}

/* Nothing to do is nothing to ask. */
static int already(struct ns_change *c, const char *result)
{
	struct ssd_node *obj = doc(c->row);

	ssd_set_str(obj, "result", result);
	ssd_set_uint(obj, "nsid", c->plan->nsid);
	ns_doc_plan(obj, c->plan);
	return 0;
}

/* --- create --- */

static const struct ssd_option create_options[] = {
	{"size", 0, SSD_OPT_SIZE, SSD_OPTION(struct options, size), "SIZE",
	 "bytes, rounded up to whole blocks and to the drive's granularity", 512, INT64_MAX},
	{"blocks", 0, SSD_OPT_UINT, SSD_OPTION(struct options, blocks), "N", "exactly so many blocks", 1, INT64_MAX},
	{"largest", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, largest), NULL, "all capacity that is unallocated"},
	{"capacity", 0, SSD_OPT_SIZE, SSD_OPTION(struct options, capacity), "SIZE",
	 "bytes that it may come to hold (NCAP), with thin provisioning; default: its size", 512, INT64_MAX},
	{"block-size", 0, SSD_OPT_UINT, SSD_OPTION(struct options, block_size), "BYTES",
	 "LBA format with such blocks and no metadata, the fastest", 512, 1u << 31},
	{"lba-format", 0, SSD_OPT_STR, SSD_OPTION(struct options, lba_format), "N", "LBA format by its number"},
	{"shared", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, shared), NULL, "more than one controller may have it"},
	{"attach", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, attach), NULL, "attach it at once"},
	OPTION_CONTROLLERS,
	{.type = SSD_OPT_END},
};

/* -1: not given; -2: no number of an LBA format. */
static int format_number(const struct options *o)
{
	const char *s = o->lba_format;
	long number;

	if (!s)
		return -1;
	number = strtol(s, NULL, 10);
	return *s && !s[strspn(s, "0123456789")] && number < NS_FORMATS ? (int)number : -2;
}

static int create_prepare(struct ssd_run *run, struct ssd_err *err)
{
	const struct options *o = run->options;

	if (!!o->size + !!o->blocks + o->largest != 1)
		return ssd_fail(err, SSD_ERR_USAGE, "how large? One of --size SIZE, --blocks N, --largest");
	if (format_number(o) == -2)
		return ssd_fail(err, SSD_ERR_USAGE, "--lba-format: \"%s\" is not a number from 0 to %d", o->lba_format,
				NS_FORMATS - 1);
	if (o->lba_format && o->block_size)
		return ssd_fail(err, SSD_ERR_USAGE, "--block-size or --lba-format, not both");
	if (o->controllers && !o->attach)
		return ssd_fail(err, SSD_ERR_USAGE, "--controllers says where to attach it: --attach is missing");
	return check_controllers(o, err);
}

static int create(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts)
{
	const struct options *o = run->options;
	struct ssd_controllers controllers = {.n = 0};
	struct ns_wish wish = {.size_bytes = o->size,
			       .blocks = o->blocks,
			       .largest = o->largest,
			       .capacity_bytes = o->capacity,
			       .block_bytes = (uint32_t)o->block_size,
			       .format = format_number(o),
			       .shared = o->shared,
			       .attach = o->attach ? &controllers : NULL};
	char what[200], size[96];
	struct ns_plan plan;

	if (o->attach)
		choose_controllers(o, facts, &controllers);
	if (ns_plan_create(facts, &wish, &plan, &row->err))
		return fail_plan(dev, row);
	snprintf(what, sizeof(what), "create a namespace (%s)%s", ns_size_text(plan.blocks, plan.block_bytes, size),
		 o->attach ? " and attach it" : "");
	return change(&(struct ns_change){.run = run,
					  .row = row,
					  .dev = dev,
					  .what = what,
					  .impact = SSD_CHANGES,
					  .facts = facts,
					  .plan = &plan},
		      "created");
}

static int create_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	return with_facts(run, dev, row, create);
}

static const struct ssd_command ns_create = {
	.name = "create",
	.summary = "make a namespace of unallocated capacity",
	.usage = "DRIVE --size SIZE | --blocks N | --largest [--attach [--controllers ID,...|all]]",
	.help = "The LBA format is that of the namespaces that there are, when they all have the same, else the "
		"fastest "
		"without\n"
		"metadata. Nothing that the drive holds is touched. Afterwards the drive is asked, and the kernel "
		"looks "
		"anew.",
	.examples = (const char *const[]){"namespace create nvme0 --size 100GB --attach --yes",
					  "namespace create nvme0 --largest --block-size 4096 --dry-run", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM | SSD_CMD_FOLD,
	.drives = SSD_DRIVES_ONE,
	.options = create_options,
	.options_size = sizeof(struct options),
	.fields = ns_fields,
	.prepare = create_prepare,
	.each = create_each,
	.text = ns_change_text,
};

/* --- delete --- */

static const struct ssd_option delete_options[] = {
	OPTION_NSID,
	{"all-namespaces", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, all_namespaces), NULL, "all that the drive has"},
	{.type = SSD_OPT_END},
};

static int delete_prepare(struct ssd_run *run, struct ssd_err *err)
{
	return choose_nsid(run, true, err);
}

static int delete_one(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts)
{
	const struct options *o = run->options;
	uint32_t nsid = o->target;
	const struct ns_info *ns = ns_find(facts, nsid);
	char what[200], size[96];
	struct ns_plan plan;

	if (ns_plan_delete(facts, nsid, &plan, &row->err))
		return fail_plan(dev, row);
	if (ns)
		snprintf(what, sizeof(what), "delete namespace %" PRIu32 " (%s)", nsid,
			 ns_size_text(ns->nsze, ns->block_bytes, size));
	else
		snprintf(what, sizeof(what), "delete all namespaces of the drive, %zu", facts->n);
	return change(&(struct ns_change){.run = run,
					  .row = row,
					  .dev = dev,
					  .what = what,
					  .impact = SSD_DESTROYS,
					  .nsid = nsid,
					  .facts = facts,
					  .plan = &plan},
		      "deleted");
}

static int delete_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	return with_facts(run, dev, row, delete_one);
}

static const struct ssd_command ns_delete = {
	.name = "delete",
	.summary = "delete a namespace: its data are lost",
	.usage = "DRIVE --nsid N | --all-namespaces",
	.help = "The data are lost for ever, on all controllers: in use on any of them is refused, and the drive's "
		"serial "
		"number\n"
		"must be typed, or said by --confirm.",
	.examples = (const char *const[]){"namespace delete nvme0 --nsid 2 --dry-run",
					  "namespace delete nvme0n2 --confirm PHLJ900000034P0DGN", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_SUBSYSTEM,
	.drives = SSD_DRIVES_ONE,
	.options = delete_options,
	.options_size = sizeof(struct options),
	.fields = ns_fields,
	.prepare = delete_prepare,
	.each = delete_each,
	.text = ns_change_text,
};

/* --- attach, detach --- */

static const struct ssd_option attach_options[] = {OPTION_NSID, OPTION_CONTROLLERS, {.type = SSD_OPT_END}};

static int attach_prepare(struct ssd_run *run, struct ssd_err *err)
{
	return choose_nsid(run, false, err) ? -1 : check_controllers(run->options, err);
}

static int move(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts,
		bool attach)
{
	const struct options *o = run->options;
	struct ssd_controllers controllers;
	struct ns_plan plan;
	char what[200];
	struct ns_change c = {.run = run,
			      .row = row,
			      .dev = dev,
			      .what = what,
			      .impact = attach ? SSD_CHANGES : SSD_TAKES_ACCESS,
			      .nsid = o->target,
			      .facts = facts,
			      .plan = &plan};

	choose_controllers(o, facts, &controllers);
	if (ns_plan_attach(facts, c.nsid, &controllers, attach, &plan, &row->err))
		return fail_plan(dev, row);
	if (!plan.n_steps)
		return already(&c, attach ? "already_attached" : "already_detached");
	snprintf(what, sizeof(what), "%s namespace %" PRIu32 " %s %u controller%s", attach ? "attach" : "detach",
		 c.nsid, attach ? "to" : "from", plan.steps[0].controllers.n,
		 plan.steps[0].controllers.n == 1 ? "" : "s");
	return change(&c, attach ? "attached" : "detached");
}

static int attach(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts)
{
	return move(run, dev, row, facts, true);
}

static int attach_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	return with_facts(run, dev, row, attach);
}

static int detach(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const struct ns_facts *facts)
{
	return move(run, dev, row, facts, false);
}

static int detach_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	return with_facts(run, dev, row, detach);
}

static const struct ssd_command ns_attach = {
	.name = "attach",
	.summary = "let controllers have a namespace",
	.usage = "DRIVE --nsid N [--controllers ID,...|all]",
	.help = "Controllers that have it already are left alone: only the others are named to the drive.",
	.examples = (const char *const[]){"namespace attach nvme0 --nsid 2 --yes",
					  "namespace attach nvme0 --nsid 2 --controllers all --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = attach_options,
	.options_size = sizeof(struct options),
	.fields = ns_fields,
	.prepare = attach_prepare,
	.each = attach_each,
	.text = ns_change_text,
};

static const struct ssd_command ns_detach = {
	.name = "detach",
	.summary = "take a namespace away from controllers: its data stay",
	.usage = "DRIVE --nsid N [--controllers ID,...|all]",
	.help = "In use is refused, whichever controller it is used through.",
	.examples = (const char *const[]){"namespace detach nvme0n2 --yes", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN,
	.drives = SSD_DRIVES_ONE,
	.options = attach_options,
	.options_size = sizeof(struct options),
	.fields = ns_fields,
	.prepare = attach_prepare,
	.each = detach_each,
	.text = ns_change_text,
};

const struct ssd_command cmd_namespace = {
	.name = "namespace",
	.summary = "namespaces: list, create, delete, attach, detach",
	.verbs = (const struct ssd_command *const[]){&ns_list, &ns_create, &ns_delete, &ns_attach, &ns_detach, NULL},
};
