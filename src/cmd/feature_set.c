/* SPDX-License-Identifier: MIT */
/* ssdct feature set: checked before, read back after. */
#include "bytes.h"
#include "change.h"
#include "feature.h"

#include <inttypes.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>
#include <time.h>

#define SAVE 0x80000000u
#define MAX_DATA 4096u
/* Six bytes of milliseconds. */
#define MAX_TIME ((1ull << 48) - 1)

struct options {
	bool save;
	uint64_t nsid;
	const char *which, *data;
	uint8_t *bytes; /* of --data, owned */
	size_t n_bytes;
};

static const struct ssd_option options[] = {
	{"save", 0, SSD_OPT_FLAG, SSD_OPTION(struct options, save), NULL,
	 "keep the value through resets and power cycles, on drives that can"},
	{"data", 0, SSD_OPT_STR, SSD_OPTION(struct options, data), "FILE",
	 "data of a feature that has more than a number"},
	{"which", 0, SSD_OPT_STR, SSD_OPTION(struct options, which), "KEY=VALUE,...",
	 "which of several values, as in `feature get`"},
	{"nsid", 'n', SSD_OPT_UINT, SSD_OPTION(struct options, nsid), "N", "namespace", 1, 0xffffffff},
	{.type = SSD_OPT_END},
};

/* What is to be set. */
struct plan {
	struct feature_choice choice;
	struct feature_ask ask;
	struct feature_value before; /* nothing when it cannot be read */
	uint64_t value;              /* CDW11 (or 12), CDW12 above */
	uint64_t mask;               /* bits of dwords 0 and 1 that must come back */
	uint8_t data[MAX_DATA];
	size_t data_len;
	bool save;
	struct ssd_cmd cmd;
};

static bool is_wide(const struct plan *p)
{
	return p->choice.vendor && p->choice.vendor->flags & SSD_FEATURE_WIDE;
}

static bool can_be_read(const struct plan *p)
{
	return !(p->choice.vendor && p->choice.vendor->flags & SSD_FEATURE_WRITE_ONLY);
}

static bool has_flag(const struct plan *p, unsigned flag)
{
	return p->choice.std && p->choice.std->flags & flag;
}

/* --- what may be set at all --- */

static int check_choice(const struct ssd_run *run, const struct ssd_device *dev, const struct feature_choice *c,
			struct ssd_err *err)
{
	char label[64];

	if (c->class == SSD_FEATURE_KERNELS) {
		ssd_fail(err, SSD_ERR_REFUSED, "%s: %s belongs to the kernel's driver; nothing was sent",
			 dev->drive->device, feature_label(c, label));
		ssd_hint(err, "no option goes past this: setting it behind the driver's back breaks the controller");
		return -1;
	}
	if (c->vendor && c->vendor->flags & SSD_FEATURE_READ_ONLY)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: %s cannot be set; nothing was sent", dev->drive->device,
				feature_label(c, label));
	return change_check_backend(run, dev, err);
}

static int check_can(struct ssd_device *dev, struct ssd_row *row, struct plan *p, bool force)
{
	struct feature_can can = feature_can(dev, &p->choice, p->ask);
	char label[64];

	feature_doc_can(ssd_get_mutable(row->element, "feature"), &can);
	if (can.known && !can.changeable && !force) {
		ssd_fail(&row->err, SSD_ERR_UNSUPPORTED,
			 "%s: the drive says that %s cannot be changed; nothing was sent", dev->drive->device,
			 feature_label(&p->choice, label));
		ssd_hint(&row->err, "some drives say so of features that they do change: --force tries");
		return -1;
	}
	if (!p->save || (can.known && can.saveable))
		return 0;
	ssd_fail(&row->err, SSD_ERR_UNSUPPORTED, "%s: the drive %s; nothing was sent", dev->drive->device,
		 ssd_has_select(dev) ? "says that it cannot save this feature" : "cannot save features (ONCS bit 4)");
	ssd_hint(&row->err, "without --save it is set until the next reset");
	return -1;
}

/* --- what it is set to --- */

static int parse_digits(struct plan *p, const char *text, struct ssd_err *err)
{
	size_t bytes = p->choice.page->size;
	char pair[3] = "";

	if (strlen(text) != bytes * 2 || text[strspn(text, "0123456789abcdefABCDEF")])
		return ssd_fail(err, SSD_ERR_USAGE, "%s is %zu hexadecimal digits, the most significant first",
				p->choice.page->name, bytes * 2);
	for (size_t i = 0; i < bytes; i++) {
		memcpy(pair, text + 2 * i, 2);
		p->data[bytes - 1 - i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	p->data_len = bytes;
	return 0;
}

static int parse_time(struct plan *p, const char *text, struct ssd_err *err)
{
	struct timespec now;
	uint64_t ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (strcmp(text, "now") != 0 && !ssd_parse_number(text, MAX_TIME, &ms))
		return ssd_fail(err, SSD_ERR_USAGE,
				"\"%.60s\" is neither \"now\" nor milliseconds since 1970 (0 to %" PRIu64 ")", text,
				(uint64_t)MAX_TIME);
	ssd_put_le(p->data, 6, ms);
	p->data_len = 8;
	return 0;
}

/* What no table describes is a number; one that is told apart by its data may leave it out. */
static int parse_plain(struct plan *p, const char *text, struct ssd_err *err)
{
	uint64_t max = is_wide(p) ? INT64_MAX : UINT32_MAX;
	size_t bytes = p->choice.vendor ? p->choice.vendor->page.size : 0;

	/* Its number says which of several values it is. */
	if (text && bytes)
		return ssd_fail(err, SSD_ERR_USAGE, "%s is %zu bytes: --data FILE", p->choice.vendor->page.name, bytes);
	p->mask = is_wide(p) ? UINT64_MAX : UINT32_MAX;
	if (!text || ssd_parse_number(text, max, &p->value))
		return 0;
	return ssd_fail(err, SSD_ERR_USAGE, "\"%.60s\" is not a whole number from 0 to %" PRIu64, text, max);
}

/* A vendor's own words, such as watts. */
static int parse_vendor(struct plan *p, const char *text, struct ssd_err *err)
{
	const struct ssd_feature *feature = p->choice.vendor;

	p->mask = feature->mask ? feature->mask : UINT32_MAX;
	return feature->parse(p->choice.dev, text, &p->value, err);
}

static int parse_value(struct plan *p, const char *text, struct ssd_err *err)
{
	const struct ssd_std_feature *std = p->choice.std;

	if (has_flag(p, SSD_STD_DIGITS))
		return parse_digits(p, text ? text : "", err);
	if (has_flag(p, SSD_STD_TIME))
		return parse_time(p, text ? text : "", err);
	if (!std && text && p->choice.vendor && p->choice.vendor->parse)
		return parse_vendor(p, text, err);
	if (!std)
		return parse_plain(p, text, err);
	p->mask = ssd_feature_mask(std->page.field.sub);
	p->value = p->before.result & p->mask;
	return text ? ssd_feature_parse(std, text, &p->value, err) : 0;
}

/* A feature with data is set with data: without others with those that it has. */
static int keep_data(struct plan *p, struct ssd_err *err)
{
	const struct ssd_device *dev = p->choice.dev;
	char label[64];

	if (p->data_len || !p->ask.data_len)
		return 0;
	if (!can_be_read(p))
		return ssd_fail(err, SSD_ERR_USAGE, "%s has data, which cannot be read: give --data FILE",
				feature_label(&p->choice, label));
	if (p->before.len < p->ask.data_len)
		return ssd_fail_short(dev, feature_label(&p->choice, label), p->before.len, p->ask.data_len, err);
	memcpy(p->data, p->before.data, p->ask.data_len);
	p->data_len = p->ask.data_len;
	return 0;
}

static int take_data(const struct options *o, struct plan *p, struct ssd_err *err)
{
	size_t size = p->choice.page ? p->ask.data_len : MAX_DATA;
	char label[64];

	if (!o->data)
		return keep_data(p, err);
	if (p->data_len || !size)
		return ssd_fail(err, SSD_ERR_USAGE, "--data: %s %s", feature_label(&p->choice, label),
				p->data_len ? "takes its value from the command line" : "has no data");
	if (o->n_bytes > size || (p->choice.page && o->n_bytes != size))
		return ssd_fail(err, SSD_ERR_BAD_INPUT, "%s: %zu bytes, but the feature's data are %zu", o->data,
				o->n_bytes, size);
	memcpy(p->data, o->bytes, o->n_bytes);
	p->data_len = o->n_bytes;
	return 0;
}

static void make_command(struct plan *p)
{
	uint32_t low = (uint32_t)p->value, high = (uint32_t)(p->value >> 32);
	bool second = has_flag(p, SSD_STD_CDW12);

	p->cmd = (struct ssd_cmd){.opcode = SSD_ADMIN_SET_FEATURES,
				  .nsid = p->ask.nsid,
				  .cdw10 = p->choice.fid | (p->save ? SAVE : 0),
				  .cdw11 = p->ask.cdw11 | (second ? 0 : low),
				  .cdw12 = second ? low : high,
				  .data_len = (uint32_t)p->data_len,
				  .direction = p->data_len ? SSD_DATA_TO_DRIVE : SSD_DATA_NONE};
}

/* --- setting --- */

static struct feature_value wanted_value(const struct plan *p)
{
	struct feature_value v = {.result = p->value, .len = p->data_len};

	memcpy(v.data, p->data, p->data_len);
	return v;
}

static bool same_data(const struct plan *p, const struct feature_value *v)
{
	if (has_flag(p, SSD_STD_TIME)) /* a clock has gone on */
		return v->len >= 6 && ssd_le(v->data, 6) >= ssd_le(p->data, 6);
	return v->len >= p->data_len && !memcmp(v->data, p->data, p->data_len);
}

/* Dword 1 is not reported by every drive that takes a value of more than 32 bits. */
static bool same(const struct plan *p, const struct feature_value *v)
{
	uint64_t mask = v->result >> 32 ? p->mask : p->mask & UINT32_MAX;

	return !((v->result ^ p->value) & mask) && same_data(p, v);
}

static int read_back(struct change *c, const struct plan *p, enum ssd_select select, struct ssd_err *err)
{
	struct feature_value want = wanted_value(p), now;
	struct ssd_arena *a = c->row->arena;
	struct feature_ask ask = p->ask;

	ask.select = select;
	ask.data_len = p->data_len;
	if (feature_read(c->dev, &p->choice, &ask, &now, err)) {
		ssd_err_prefix(err, "set, but reading it back failed");
		return -1;
	}
	if (select == SSD_CURRENT)
		feature_doc_value(c->row, &p->choice, &now);
	if (same(p, &now))
		return 0;
	ssd_set_bool(ssd_get_mutable(c->row->element, "feature"), "verified", false);
	return ssd_fail(err, SSD_ERR_UNVERIFIED, "%s: the drive accepted %.80s, but the %s value is %.80s",
			c->dev->drive->device, feature_text(a, &p->choice, &want),
			select == SSD_SAVED ? "saved" : "current", feature_text(a, &p->choice, &now));
}

/* Only the drive knows what came of a command whose answer was lost: a value as asked for is the proof that it was set. */
static int find_lost(struct change *c, const struct plan *p, struct ssd_err *err)
{
	struct feature_value now;
	struct feature_ask ask = p->ask;

	ask.select = p->save ? SSD_SAVED : SSD_CURRENT;
	ask.data_len = p->data_len;
	if (!can_be_read(p) || feature_read(c->dev, &p->choice, &ask, &now, NULL) || !same(p, &now))
		return change_fail_lost(c->dev, err);
	*err = (struct ssd_err)SSD_ERR_INIT;
	ssd_note(c->run, "%s: an answer was lost; the drive shows the value as asked for", c->dev->drive->device);
	return 0;
}

static int act(struct change *c, struct ssd_err *err)
{
	struct plan *p = c->ctx;
	AUTO_FREE uint8_t *buf = p->data_len ? ssd_page_alloc(MAX_DATA) : NULL;
	struct ssd_cpl cpl;
	int rc;

	if (buf)
		memcpy(buf, p->data, p->data_len);
	p->cmd.data = buf;
	rc = ssd_submit(c->dev, &p->cmd, &cpl);
	p->cmd.data = NULL;
	if (ssd_check(c->dev, &p->cmd, rc, &cpl, err) && (!ssd_is_lost(rc, &cpl) || find_lost(c, p, err)))
		return -1;
	if (!can_be_read(p))
		return 0;
	if (read_back(c, p, SSD_CURRENT, err) || (p->save && read_back(c, p, SSD_SAVED, err)))
		return -1;
	ssd_set_bool(ssd_get_mutable(c->row->element, "feature"), "verified", true);
	return 0;
}

static void describe_command(struct ssd_row *row, const struct plan *p)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "Set Features (09h): nsid 0x%x, cdw10 0x%x, cdw11 0x%x, cdw12 0x%x, %zu bytes of data", p->cmd.nsid,
		 p->cmd.cdw10, p->cmd.cdw11, p->cmd.cdw12, p->data_len);
	ssd_set_str(ssd_get_mutable(row->element, "feature"), "command", text);
}

static int run_change(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, struct plan *p)
{
	struct ssd_node *obj = ssd_get_mutable(row->element, "feature");
	struct feature_value want = wanted_value(p);
	char label[64], what[200];
	struct change c = {.run = run,
			   .row = row,
			   .dev = dev,
			   .what = what,
			   .impact = p->choice.class == SSD_FEATURE_DESTROYS ? SSD_DESTROYS : SSD_CHANGES,
			   .opcode = SSD_ADMIN_SET_FEATURES,
			   .nsid = has_flag(p, SSD_STD_NAMESPACE) && p->ask.nsid != SSD_NSID_ALL ? &p->ask.nsid : NULL,
			   .act = act,
			   .ctx = p};

	snprintf(what, sizeof(what), "set %s to %.100s%s", feature_label(&p->choice, label),
		 feature_text(row->arena, &p->choice, &want), p->save ? ", and save it" : "");
	if (change_run(&c))
		return -1;
	ssd_set_str(obj, "result", c.done ? "done" : "dry_run");
	return 0;
}

static int set(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const char *name, const char *value,
	       const struct options *o)
{
	struct plan p = {.save = o->save};
	struct ssd_node *obj;

	if (ssd_id_ctrl(dev, &row->err) || feature_choose(dev, name, &p.choice, &row->err) ||
	    check_choice(run, dev, &p.choice, &row->err) ||
	    feature_ask_for(&p.choice, &row->target, o->nsid, o->which, &p.ask, &row->err))
		return -1;
	obj = feature_doc(dev, row, &p.choice, &p.ask);
	ssd_set_bool(obj, "save", p.save);
	if (can_be_read(&p)) {
		if (feature_read(dev, &p.choice, &p.ask, &p.before, &row->err))
			return -1;
		ssd_set_uint(obj, "before", p.before.result);
		ssd_set_str(obj, "before_text", feature_text(row->arena, &p.choice, &p.before));
	}
	if (parse_value(&p, value, &row->err) || take_data(o, &p, &row->err) ||
	    check_can(dev, row, &p, run->globals.force))
		return -1;
	make_command(&p);
	describe_command(row, &p);
	return run_change(run, dev, row, &p);
}

static int set_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	return set(run, dev, row, run->words[0], run->n_words > 1 ? run->words[1] : NULL, run->options);
}

int ssd_feature_set(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row, const char *name,
		    const char *value)
{
	return set(run, dev, row, name, value, &(struct options){.save = false});
}

static int set_prepare(struct ssd_run *run, struct ssd_err *err)
{
	struct options *o = run->options;
	int rc = o->data ? ssd_read_file(o->data, MAX_DATA, &o->bytes, &o->n_bytes) : 0;

	if (run->n_words < 2 && !o->data)
		return ssd_fail(err, SSD_ERR_USAGE, "VALUE is missing");
	if (!rc && (!o->data || o->n_bytes))
		return 0;
	ssd_fail_errno(err, rc ? -rc : EINVAL, "--data %s", o->data);
	err->code = SSD_ERR_BAD_INPUT;
	return -1;
}

static int set_finish(struct ssd_run *run, struct ssd_err *err)
{
	(void)err;
	free(((struct options *)run->options)->bytes);
	return 0;
}

void ssd_feature_set_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_row *row = &run->rows[0];
	const struct ssd_node *f = ssd_get(row->element, "feature");
	const char *result = ssd_get_str(f, "result", NULL);

	if (!result)
		return;
	ssd_text_title(run, row, out);
	if (!strcmp(result, "dry_run"))
		fprintf(out, "  %s\n  dry_run: nothing was sent\n", ssd_get_str(f, "command", ""));
	else
		ssd_render_text(row->element, out);
}

const struct ssd_command feature_set = {
	.name = "set",
	.summary = "set a feature, and read it back",
	.usage = "DRIVE NAME|FID VALUE [--save] [--which KEY=VALUE,...] [--data FILE] [--nsid N]",
	.help = "VALUE is KEY=VALUE[,KEY=VALUE] with the keys that `feature get` shows, all bits at once as 0x..., or "
		"where\n"
		"there is one key its value: numbers in the key's unit, on or off, a name, degrees Celsius. Keys that "
		"are "
		"not\n"
		"named stay as they are. Features of a vendor, and those that no table knows, take a number; they need "
		"--confirm\n"
		"unless a table says that they touch no data. What belongs to the kernel (07h, 0Bh, 0Dh, 0Fh, 16h) is "
		"never set.",
	.examples = (const char *const[]){"feature set nvme0 temperature-threshold 75 --yes",
					  "feature set nvme0 arbitration burst=8,high_weight=16 --dry-run",
					  "feature set nvme0 write-protection protected --confirm SERIAL", NULL},
	.flags = SSD_CMD_CHANGES | SSD_CMD_DRY_RUN | SSD_CMD_ANY_FEATURE,
	.drives = SSD_DRIVES_ONE,
	.min_words = 1,
	.max_words = 2,
	.options = options,
	.options_size = sizeof(struct options),
	.fields = ssd_feature_fields,
	.prepare = set_prepare,
	.each = set_each,
	.finish = set_finish,
	.text = ssd_feature_set_text,
};
