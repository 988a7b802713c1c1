/* SPDX-License-Identifier: MIT */
/* Plans of changes to namespaces, computed from facts alone. */
#include <ssdct/ns.h>

#include <inttypes.h>

__attribute__((format(printf, 2, 3))) static void note(struct ns_plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->n_notes >= ARRAY_SIZE(plan->notes))
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

static struct ns_step *add(struct ns_plan *plan, enum ns_step_kind kind, uint32_t nsid)
{
	struct ns_step *step = &plan->steps[plan->n_steps++];

	*step = (struct ns_step){.kind = kind, .nsid = nsid};
	return step;
}

/* Bytes beyond 64 bits are more than any arithmetic here needs. */
static uint64_t clamped(struct ssd_u128 v)
{
	return v.hi || v.top ? UINT64_MAX : v.lo;
}

static int check_idle(const struct ns_facts *f, struct ssd_err *err)
{
	if (!f->busy_with)
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s is in progress in the drive; nothing was sent", f->busy_with);
	ssd_hint(err, "wait until it has ended");
	return -1;
}

static int check_managed(const struct ns_facts *f, struct ssd_err *err)
{
	if (!f->managed) {
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "the drive has no namespace management (OACS bit 3)");
		return -1;
	}
	if (!f->allocated)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"the drive does not list its allocated namespaces (Identify CNS 10h), so what there is "
				"cannot be known");
	return check_idle(f, err);
}

static int fail_no_namespace(const struct ns_facts *f, uint32_t nsid, struct ssd_err *err)
{
	char there[120] = "";

	for (size_t i = 0; i < f->n && i < 16; i++)
		snprintf(there + strlen(there), sizeof(there) - strlen(there), "%s%" PRIu32, i ? ", " : "",
			 f->namespaces[i].nsid);
	ssd_fail(err, SSD_ERR_NOT_FOUND, "the drive has no namespace %" PRIu32, nsid);
	ssd_hint(err, f->n ? "namespaces that there are: %s" : "it has none at all%s", there);
	return -1;
}

/* --- formats --- */

static bool is_there(const struct ns_format *f)
{
	return f->shift >= 9 && f->shift < 32;
}

static uint8_t flbas_of(const struct ns_facts *f, unsigned format)
{
	bool extended = f->formats[format].metadata_bytes && f->extended_only;

	return (uint8_t)((format & 0xf) | (extended ? 0x10 : 0) | (format & 0x30) << 1);
}

/* "512, 512+8, 4096": what there is, for a refusal. */
static void name_formats(const struct ns_facts *f, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (unsigned i = 0; i < f->n_formats && len + 40 < size; i++) {
		if (!is_there(&f->formats[i]))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%u: %u", len ? ", " : "", i,
					1u << f->formats[i].shift);
		if (f->formats[i].metadata_bytes)
			len += (size_t)snprintf(buf + len, size - len, "+%u", f->formats[i].metadata_bytes);
	}
}

/* The fastest format without metadata, of blocks of so many bytes; 0: of any. -1: there is none. */
static int best_format(const struct ns_facts *f, uint32_t block_bytes)
{
	int best = -1;

	for (unsigned i = 0; i < f->n_formats; i++) {
		const struct ns_format *one = &f->formats[i];

		if (!is_there(one) || one->metadata_bytes || (block_bytes && 1u << one->shift != block_bytes))
			continue;
		if (best < 0 || one->performance < f->formats[best].performance)
			best = (int)i;
	}
	return best;
}

/* What all namespaces that there are have; -1: they differ, or there are none. */
static int usual_format(const struct ns_facts *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (f->namespaces[i].format != f->namespaces[0].format)
			return -1;
	return f->n && f->namespaces[0].format < f->n_formats ? (int)f->namespaces[0].format : -1;
}

static int choose_format(const struct ns_facts *f, const struct ns_wish *wish, struct ssd_err *err)
{
	char there[160];
	int format = wish->format;

	if (!f->n_formats)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "the drive does not say which LBA formats it has");
	if (format < 0 && !wish->block_bytes)
		format = usual_format(f);
	if (format < 0)
		format = best_format(f, wish->block_bytes);
	if (format >= 0 && (unsigned)format < f->n_formats && is_there(&f->formats[format]))
		return format;
	name_formats(f, there, sizeof(there));
	if (wish->format >= 0)
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "the drive has no LBA format %d", wish->format);
	else
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "the drive has no LBA format of %" PRIu32 " bytes without metadata",
			 wish->block_bytes);
	ssd_hint(err, "LBA formats that there are: %s", there);
	return -1;
}

/* --- create --- */

static uint64_t blocks_of(uint64_t bytes, uint32_t block_bytes)
{
	return bytes / block_bytes + (bytes % block_bytes != 0);
}

/* The drive gives out capacity in such units: what is over would be lost to the namespace and to all others. */
static uint64_t round_up(uint64_t blocks, uint64_t unit_bytes, uint32_t block_bytes)
{
	uint64_t unit = unit_bytes / block_bytes;

	if (unit < 2 || unit_bytes % block_bytes || blocks % unit == 0 || blocks > UINT64_MAX - unit)
		return blocks;
	return blocks + unit - blocks % unit;
}

static uint64_t round_down(uint64_t blocks, uint64_t unit_bytes, uint32_t block_bytes)
{
	uint64_t unit = unit_bytes / block_bytes;

	return unit < 2 || unit_bytes % block_bytes ? blocks : blocks - blocks % unit;
}

/* Capacity and size are given out in units of their own; what is neither is no whole unit of one of them. */
static uint64_t unit_of(const struct ns_facts *f)
{
	return f->capacity_granularity > f->size_granularity ? f->capacity_granularity : f->size_granularity;
}

static int largest(const struct ns_facts *f, uint32_t block_bytes, uint64_t *blocks, struct ssd_err *err)
{
	if (!f->capacity_known)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"the drive does not say how much capacity is unallocated (TNVMCAP is 0): give a size");
	*blocks = round_down(clamped(f->unused) / block_bytes, unit_of(f), block_bytes);
	return *blocks ? 0 : ssd_fail(err, SSD_ERR_UNSUPPORTED, "no capacity is unallocated; nothing was sent");
}

static int choose_size(const struct ns_facts *f, const struct ns_wish *wish, struct ns_plan *plan, uint64_t *blocks,
		       struct ssd_err *err)
{
	uint32_t block = plan->block_bytes;
	uint64_t exact;

	if (wish->largest)
		return largest(f, block, blocks, err);
	exact = wish->blocks ? wish->blocks : blocks_of(wish->size_bytes, block);
	*blocks = wish->blocks ? exact : round_up(exact, unit_of(f), block);
	if (!wish->blocks && wish->size_bytes % block)
		note(plan,
		     "%" PRIu64 " bytes are no whole number of blocks of %" PRIu32 " bytes: rounded up to %" PRIu64
		     " blocks",
		     wish->size_bytes, block, *blocks);
	else if (*blocks != exact)
		note(plan,
		     "the drive allocates in units of %" PRIu64 " bytes: rounded up from %" PRIu64 " to %" PRIu64
		     " blocks (exactly as many: --blocks)",
		     unit_of(f), exact, *blocks);
	else if (round_up(exact, unit_of(f), block) != exact)
		note(plan, "the drive allocates in units of %" PRIu64 " bytes: %" PRIu64 " bytes stay unusable",
		     unit_of(f), (round_up(exact, unit_of(f), block) - exact) * block);
	return 0;
}

static int choose_capacity(const struct ns_facts *f, const struct ns_wish *wish, uint32_t block, uint64_t size,
			   uint64_t *capacity, struct ssd_err *err)
{
	*capacity = wish->capacity_bytes
			    ? round_up(blocks_of(wish->capacity_bytes, block), f->capacity_granularity, block)
			    : size;
	if (*capacity > size)
		*capacity = size;
	if (wish->capacity_bytes > size * block)
		return ssd_fail(err, SSD_ERR_USAGE, "--capacity is more than the size: %" PRIu64 " bytes, but %" PRIu64,
				wish->capacity_bytes, size * block);
	if (*capacity < size && !f->thin)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"a capacity below the size needs thin provisioning, which the drive does not have "
				"(NSFEAT bit 0)");
	return 0;
}

static int check_room(const struct ns_facts *f, uint64_t blocks, uint32_t block_bytes, struct ssd_err *err)
{
	if (blocks > INT64_MAX / block_bytes) {
		ssd_fail(err, SSD_ERR_USAGE, "%" PRIu64 " blocks of %" PRIu32 " bytes are more than there can be",
			 blocks, block_bytes);
		return -1;
	}
	if (!f->capacity_known || blocks * block_bytes <= clamped(f->unused))
		return 0;
	ssd_fail(err, SSD_ERR_UNSUPPORTED,
		 "%" PRIu64 " bytes are wanted, but only %" PRIu64 " are unallocated; nothing was sent",
		 blocks * block_bytes, clamped(f->unused));
	if (clamped(f->unused))
		ssd_hint(err, "all that is unallocated: --largest");
	return -1;
}

/* A namespace that one controller has alone cannot have another one. */
static int check_sharing(const struct ssd_controllers *wanted, const struct ssd_controllers *has, bool shared,
			 struct ssd_err *err)
{
	unsigned n = has ? has->n : 0;

	for (unsigned i = 0; wanted && i < wanted->n; i++)
		n += !has || !ssd_has_controller(has, wanted->ids[i]);
	if (shared || n <= 1)
		return 0;
	ssd_fail(err, SSD_ERR_UNSUPPORTED,
		 "a namespace that is not shared can be attached to one controller only; nothing was sent");
	ssd_hint(err, "sharing is said when a namespace is made: namespace create --shared");
	return -1;
}

static int check_controllers(const struct ns_facts *f, const struct ssd_controllers *wanted, struct ssd_err *err)
{
	for (unsigned i = 0; wanted && f->controllers.n && i < wanted->n; i++)
		if (!ssd_has_controller(&f->controllers, wanted->ids[i])) {
			ssd_fail(err, SSD_ERR_NOT_FOUND, "the drive has no controller with identifier %u",
				 wanted->ids[i]);
			ssd_hint(err, "see: ssdct namespace list");
			return -1;
		}
	return 0;
}

int ns_plan_create(const struct ns_facts *f, const struct ns_wish *wish, struct ns_plan *plan, struct ssd_err *err)
{
	uint64_t size = 0, capacity = 0;
	struct ns_step *step;
	int format;

	*plan = (struct ns_plan){0};
	if (check_managed(f, err) || check_controllers(f, wish->attach, err) ||
	    check_sharing(wish->attach, NULL, wish->shared, err))
		return -1;
	format = choose_format(f, wish, err);
	if (format < 0)
		return -1;
	plan->format = (unsigned)format;
	plan->block_bytes = 1u << f->formats[format].shift;
	if (choose_size(f, wish, plan, &size, err) ||
	    check_room(f, wish->capacity_bytes ? 0 : size, plan->block_bytes, err) ||
	    check_room(&(struct ns_facts){0}, size, plan->block_bytes, err) ||
	    choose_capacity(f, wish, plan->block_bytes, size, &capacity, err) ||
	    check_room(f, capacity, plan->block_bytes, err))
		return -1;
	plan->blocks = size;
	step = add(plan, NS_CREATE, 0);
	step->nsze = size;
	step->ncap = capacity;
	step->flbas = flbas_of(f, plan->format);
	step->nmic = wish->shared;
	if (wish->attach)
		add(plan, NS_ATTACH, 0)->controllers = *wish->attach;
	return 0;
}

/* --- delete, attach, detach --- */

int ns_plan_delete(const struct ns_facts *f, uint32_t nsid, struct ns_plan *plan, struct ssd_err *err)
{
	*plan = (struct ns_plan){.nsid = nsid};
	if (check_managed(f, err))
		return -1;
	if (nsid == SSD_NSID_ALL ? !f->n : !ns_find(f, nsid))
		return fail_no_namespace(f, nsid, err);
	add(plan, NS_DELETE, nsid);
	return 0;
}

int ns_plan_attach(const struct ns_facts *f, uint32_t nsid, const struct ssd_controllers *controllers, bool attach,
		   struct ns_plan *plan, struct ssd_err *err)
{
	struct ssd_controllers left = {.n = 0};
	const struct ns_info *ns = ns_find(f, nsid);

	*plan = (struct ns_plan){.nsid = nsid};
	if (check_managed(f, err))
		return -1;
	if (!ns)
		return fail_no_namespace(f, nsid, err);
	if (!ns->controllers_known)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"the drive does not say which controllers have the namespace (Identify CNS 12h)");
	if (check_controllers(f, controllers, err) ||
	    (attach && check_sharing(controllers, &ns->controllers, ns->nmic & 1, err)))
		return -1;
	for (unsigned i = 0; i < controllers->n; i++)
		if (ssd_has_controller(&ns->controllers, controllers->ids[i]) != attach)
			left.ids[left.n++] = controllers->ids[i];
	if (left.n)
		add(plan, attach ? NS_ATTACH : NS_DETACH, nsid)->controllers = left;
	return 0;
}

/* --- provisioning --- */

/* The one namespace that provisioning is about. */
static const struct ns_info *only_namespace(const struct ns_facts *f, struct ssd_err *err)
{
	const struct ns_info *ns = f->namespaces;

	if (f->n == 1 && ns->block_bytes && ns->nsze)
		return ns;
	if (!f->n) {
		ssd_fail(err, SSD_ERR_NOT_FOUND, "the drive has no namespace whose size could be changed");
		ssd_hint(err, "make one: ssdct namespace create DRIVE --largest --attach");
	} else if (f->n > 1) {
		ssd_fail(err, SSD_ERR_REFUSED, "the drive has %zu namespaces: provisioning is about one alone", f->n);
		ssd_hint(err, "see ssdct namespace list; ssdct namespace delete and create do the single steps");
	} else {
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "namespace %" PRIu32 " has no valid LBA format, or no blocks",
			 ns->nsid);
	}
	return NULL;
}

/*
 * C1h is the last LBA in isdct's outputs, and a number of blocks in one public example (reference of Intel's features):
 * which one a drive means shows in what it says before anything is set.
 */
static int find_unit(const struct ns_facts *f, const struct ns_info *ns, struct ns_plan *plan, struct ssd_err *err)
{
	uint64_t current = f->max_lba.current;

	plan->counts = current == ns->nsze;
	if (!plan->counts && current != ns->nsze - 1) {
		ssd_fail(err, SSD_ERR_REFUSED,
			 "feature C1h (Max LBA) is %" PRIu64 ", but the namespace has %" PRIu64
			 " blocks: it is neither their number nor the last LBA, so its unit is not known; nothing was "
			 "sent",
			 current, ns->nsze);
		ssd_hint(err, "a change may wait for a reset: ssdct reset, then try again");
		return -1;
	}
	plan->most_blocks = ssd_add_clamped(f->max_lba.native, !plan->counts);
	if (plan->most_blocks >= ns->nsze)
		return 0;
	return ssd_fail(err, SSD_ERR_REFUSED,
			"feature C2h (native Max LBA) is %" PRIu64 ", less than the %" PRIu64
			" blocks that the namespace has; nothing was sent",
			f->max_lba.native, ns->nsze);
}

/*
 * What the namespace takes and what nobody has, in blocks. Whether a drive counts metadata in these capacities is its own
 * affair: taken as counted, so that the new namespace has room for certain, and the old one's blocks had room in any case.
 */
static uint64_t most_by_capacity(const struct ns_facts *f, const struct ns_info *ns)
{
	uint32_t takes_each = ns->block_bytes + ns->metadata_bytes;
	uint64_t takes = ns->nvmcap ? ns->nvmcap : ns->ncap * takes_each;
	uint64_t bytes = ssd_add_clamped(takes, clamped(f->unused));
	uint64_t most = round_down(bytes / takes_each, unit_of(f), ns->block_bytes);

	if (!f->capacity_known)
		return 0;
	return most > ns->ncap ? most : ns->ncap;
}

/* isdct made 3125623328 blocks of 512 bytes of 80 percent of 3907029168 (its outputs for a P3608): whole 4 KiB. */
#define PERCENT_UNIT_BYTES 4096

/* The old namespace is deleted first: that the new one has room must be certain before. */
static int fail_larger(const struct ns_plan *plan, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_UNSUPPORTED,
		 "%" PRIu64
		 " blocks are wanted, but the drive does not say how large it is (TNVMCAP is 0), so no more than "
		 "the %" PRIu64 " that its namespace has can be made for certain; nothing was sent",
		 plan->blocks, plan->before_blocks);
	ssd_hint(err, "ssdct namespace delete and create do the single steps");
	return -1;
}

static int wanted_blocks(enum ns_provision_by by, uint64_t value, struct ns_plan *plan, struct ssd_err *err)
{
	uint64_t most = plan->most_blocks;

	if (!most && (by == NS_TO_PERCENT || by == NS_TO_NATIVE))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"the drive does not say how large it is (TNVMCAP is 0): give the size");
	switch (by) {
	case NS_TO_BLOCKS:
		plan->blocks = value;
		break;
	case NS_TO_BYTES:
		plan->blocks = blocks_of(value, plan->block_bytes);
		if (value % plan->block_bytes)
			note(plan,
			     "%" PRIu64 " bytes are no whole number of blocks of %" PRIu32
			     " bytes: rounded up to %" PRIu64 " blocks",
			     value, plan->block_bytes, plan->blocks);
		break;
	case NS_TO_PERCENT:
		plan->blocks = most / 100 * value + most % 100 * value / 100;
		if (value < 100)
			plan->blocks = round_down(plan->blocks, PERCENT_UNIT_BYTES, plan->block_bytes);
		break;
	case NS_TO_NATIVE:
		plan->blocks = most;
		break;
	}
	if (!most && plan->blocks > plan->before_blocks)
		return fail_larger(plan, err);
	if (plan->blocks && (!most || plan->blocks <= most))
		return 0;
	return ssd_fail(err, SSD_ERR_UNSUPPORTED,
			"%" PRIu64 " blocks are wanted, but the drive has %" PRIu64 " of %" PRIu32
			" bytes at most; nothing was sent",
			plan->blocks, most, plan->block_bytes);
}

static void make_anew(const struct ns_facts *f, const struct ns_info *ns, struct ns_plan *plan)
{
	struct ns_step *create;

	add(plan, NS_DELETE, ns->nsid);
	create = add(plan, NS_CREATE, 0);
	create->nsze = create->ncap = plan->blocks;
	create->flbas = ns->flbas;
	create->dps = ns->dps;
	create->nmic = ns->nmic & 1;
	create->nvmsetid = ns->nvmsetid;
	create->endgid = ns->endgid;
	/* A drive that chooses the group itself would refuse one, when the old namespace is gone already. */
	if (f->ana_chosen)
		create->anagrpid = ns->anagrpid;
	else if (ns->anagrpid)
		note(plan,
		     "the drive chooses the ANA group of the new namespace (ANACAP bit 7); the old one's is %" PRIu32,
		     ns->anagrpid);
	if (ns->controllers.n)
		add(plan, NS_ATTACH, 0)->controllers = ns->controllers;
}

static void set_max_lba(const struct ns_info *ns, struct ns_plan *plan)
{
	struct ns_step *step = add(plan, NS_SET_MAX_LBA, ns->nsid);

	step->value = plan->blocks - !plan->counts;
	step->nsze = plan->blocks;
}

int ns_plan_provision(const struct ns_facts *f, enum ns_provision_by by, uint64_t value, struct ns_plan *plan,
		      struct ssd_err *err)
{
	const struct ns_info *ns;

	*plan = (struct ns_plan){0};
	if (!f->max_lba.known && !f->managed)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"this drive's size cannot be changed: it has neither a Max LBA feature that we know of "
				"nor namespace management");
	if (f->max_lba.known ? check_idle(f, err) : check_managed(f, err))
		return -1;
	ns = only_namespace(f, err);
	if (!ns)
		return -1;
	plan->method = f->max_lba.known ? NS_BY_MAX_LBA : NS_BY_NAMESPACES;
	plan->nsid = ns->nsid;
	plan->before_blocks = ns->nsze;
	plan->block_bytes = ns->block_bytes;
	plan->format = ns->format;
	if (f->max_lba.known && find_unit(f, ns, plan, err))
		return -1;
	if (!f->max_lba.known)
		plan->most_blocks = most_by_capacity(f, ns);
	if (wanted_blocks(by, value, plan, err))
		return -1;
	if (!f->max_lba.known && by == NS_TO_PERCENT)
		plan->blocks = round_down(plan->blocks, unit_of(f), ns->block_bytes);
	if (plan->blocks == ns->nsze)
		return 0;
	if (f->max_lba.known)
		set_max_lba(ns, plan);
	else if (!ns->controllers_known)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"the drive does not say which controllers have the namespace (Identify CNS 12h)");
	else if (ns->csi)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"namespace %" PRIu32
				" has command set %u, and only those of the NVM command set (0) can be "
				"made anew; nothing was sent",
				ns->nsid, ns->csi);
	else
		make_anew(f, ns, plan);
	return 0;
}
