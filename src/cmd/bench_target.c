/* SPDX-License-Identifier: MIT */
/* ssdct bench: which namespace, who uses it, who must be asked; and opening what is measured. */
#include "bench.h"

#include "scan/scan.h"

#include <ssdct/id_ctrl.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#define SCRATCH_BYTES (1ull << 30) /* unless --size says otherwise */
#define GENERIC_SPEED "32.0 GT/s"  /* PCIe 5.0 x4, where the drive's link is not known */
#define GENERIC_WIDTH 4

/* --- which, and by whom --- */

static int which_namespace(struct bench_session *s)
{
	const struct ssd_drive *drive = s->dev->drive;
	uint32_t nsid = s->row->target.nsid;

	for (size_t i = 0; i < drive->n_namespaces; i++) {
		const struct ssd_namespace *ns = &drive->namespaces[i];

		if (nsid ? ns->nsid == nsid : *ns->device) {
			if (s->ns && !nsid) {
				ssd_fail(&s->row->err, SSD_ERR_USAGE, "%s has several namespaces", drive->device);
				ssd_hint(&s->row->err, "name one of them: %s", ns->device);
				return -1;
			}
			s->ns = ns;
		}
	}
	if (!s->ns || !*s->ns->device)
		return ssd_fail(&s->row->err, SSD_ERR_NOT_FOUND, "%s: no namespace with a block device", drive->device);
	s->name = s->ns->device;
	return 0;
}

/* A block device that somebody has opened exclusively, as a mounted file system does; a file has no such user. */
static bool path_in_use(const char *path)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 && errno == EBUSY;
}

static const struct ssd_use *first_use(const struct ssd_usage *usage)
{
	for (size_t i = 0; i < usage->n; i++)
		if (ssd_use_is_active(usage->uses[i].kind))
			return &usage->uses[i];
	return NULL;
}

int bench_find(struct bench_session *s)
{
	const struct ssd_drive *drive = s->dev->drive;

	s->simulated = drive->host->backend == SSD_BACKEND_SIMULATED;
	if (drive->host->backend == SSD_BACKEND_RECORDED) {
		ssd_fail(&s->row->err, SSD_ERR_UNSUPPORTED, "%s: a recorded drive has no data that could be read",
			 drive->device);
		ssd_hint(&s->row->err, "make a simulated copy: ssdct sim create DIR --from HOST");
		return -1;
	}
	if (s->options->engine == BENCH_URING_CMD && (s->simulated || s->row->target.path))
		return ssd_fail(
			&s->row->err, SSD_ERR_UNSUPPORTED,
			"--engine uring_cmd: only a namespace of a real drive has a character device to read it by");
	if (s->row->target.path) {
		s->name = s->row->target.path;
		s->bench.env.shared = path_in_use(s->name);
		return 0;
	}
	if (which_namespace(s))
		return -1;
	ssd_usage_scan(drive, &s->ns->nsid, 1, false, &s->usage);
	s->bench.env.shared = first_use(&s->usage) != NULL;
	return 0;
}

/* --- asking --- */

/*
 * Bytes that will be written at most: what is certain, and for what depends on the drive, what its link carries. A fresh
 * drive writes more than it is rated at.
 */
static double most_bytes(const struct bench_session *s)
{
	const struct ssd_drive *drive = s->dev->drive;
	double link = ssd_bench_link_mb_per_s(drive->max_link_speed, drive->max_link_width);
	double mb_per_s = link > 0 ? link : ssd_bench_link_mb_per_s(GENERIC_SPEED, GENERIC_WIDTH);
	double bytes = 0;

	for (size_t i = 0; i < s->plan.n_tests; i++) {
		const struct ssd_bench_test *t = &s->plan.tests[i];
		double rounds = s->plan.steady && !t->precondition ? SSD_BENCH_STEADY_ROUNDS : 1;

		if (ssd_bench_writes(t->kind))
			bytes +=
				(double)t->bytes + rounds * t->seconds * mb_per_s * 1e6 * (100 - t->read_percent) / 100;
	}
	return bytes;
}

static const struct ssd_rating *rated_endurance(const struct bench_session *s)
{
	for (size_t i = 0; i < s->bench.n_ratings; i++)
		if (s->bench.ratings[i]->endurance_pb > 0)
			return s->bench.ratings[i];
	return NULL;
}

/* "writes at most 48.0 GB, 0.0001 % of ...": two digits of the share, however small it is. */
static char *announcement(const struct bench_session *s)
{
	const struct ssd_rating *r = rated_endurance(s);
	double bytes = most_bytes(s), percent = r ? bytes / (r->endurance_pb * 1e15) * 100 : 0;
	int digits = percent > 0 && percent < 10 ? 1 - (int)floor(log10(percent)) : 0;

	if (!r)
		return ssd_asprintf("writes at most %.1f GB", bytes / 1e9);
	return ssd_asprintf("writes at most %.1f GB, %.*f %% of its %srated endurance, %s%g PB", bytes / 1e9, digits,
			    percent, ssd_rating_is_up_to(r) ? "family's " : "", ssd_rating_is_up_to(r) ? "up to " : "",
			    r->endurance_pb);
}

void bench_announce(const struct bench_session *s)
{
	AUTO_FREE char *writes = most_bytes(s) > 0 ? announcement(s) : NULL;

	if (writes)
		ssd_note(s->run, "%s: %s", s->name, writes);
}

static int get_permit(struct bench_session *s, enum ssd_impact impact, const char *what)
{
	const struct ssd_globals *g = &s->run->globals;
	struct ssd_intent intent = {.what = what,
				    .impact = impact,
				    .drive = s->dev->drive,
				    .nsids = &s->ns->nsid,
				    .n_nsids = 1,
				    .yes = g->yes,
				    .force = g->force,
				    .dry_run = g->dry_run,
				    .quiet = g->quiet,
				    .confirm = g->confirm};

	return ssd_permit_get(&intent, &s->permit, &s->row->err);
}

/* The drive's data are lost, so all that format demands. */
static int permit_overwrite(struct bench_session *s)
{
	AUTO_FREE char *writes = announcement(s);
	AUTO_FREE char *what = ssd_asprintf("overwrite %s with noise (the benchmark %s)", s->name, writes);

	return get_permit(s, SSD_DESTROYS, what);
}

/* The file is filled first, which takes as long as it takes. */
static uint64_t fill_bytes(const struct bench_session *s)
{
	return s->options->write_file ? s->plan.tests[0].bytes : 0;
}

static int permit_shared(struct bench_session *s)
{
	char use[320] = "a file system is mounted on it";
	AUTO_FREE char *what = NULL, *fill = NULL;

	if (s->ns)
		ssd_use_text(first_use(&s->usage), use, sizeof(use));
	if (!s->ns && !s->run->globals.yes) {
		ssd_fail(&s->row->err, SSD_ERR_REFUSED, "%s is in use, and the benchmark would slow that down",
			 s->name);
		ssd_hint(&s->row->err, "for at most %u s: --yes", BENCH_SHARED_SECONDS);
		return -1;
	}
	if (!s->ns)
		return 0;
	if (fill_bytes(s))
		fill = ssd_asprintf(" after writing %.1f GB", (double)fill_bytes(s) / 1e9);
	what = ssd_asprintf("benchmark a namespace that is in use (%.200s) for at most %u s%s, which slows others down",
			    use, BENCH_SHARED_SECONDS, fill ? fill : "");
	if (!get_permit(s, SSD_CHANGES, what))
		return 0;
	if (s->row->err.code == SSD_ERR_REFUSED)
		ssd_err_prefix(&s->row->err, "in use (%.120s)", use);
	return -1;
}

int bench_permit(struct bench_session *s)
{
	if (s->overwrites)
		return permit_overwrite(s);
	return s->bench.env.shared ? permit_shared(s) : 0;
}

/* --- opening --- */

static bool is_part_of(const char *name, const char *whole)
{
	size_t len = strlen(whole);

	if (strncmp(name, whole, len) != 0)
		return false;
	name += len;
	return !*name || (*name == 'p' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0');
}

/* A file on another drive than the one that is named would be measured for the wrong one. */
static int check_place(const struct bench_session *s, struct ssd_err *err)
{
	const char *dir = s->options->write_file;
	char name[256] = "";
	struct stat st, target;

	if (stat(dir, &st))
		return ssd_fail_errno(err, errno, "%s", dir);
	if (s->simulated)
		return 0;
	scan_node_name("/sys", S_IFBLK, st.st_dev, name, sizeof(name));
	if (s->ns ? is_part_of(name, s->name) : !stat(s->name, &target) && target.st_rdev == st.st_dev)
		return 0;
	ssd_fail(err, SSD_ERR_USAGE, "--write-file: the file system of %s is on %s, not on %s itself", dir,
		 *name ? name : "something else", s->name);
	ssd_hint(err, "name the block device that is mounted there, as findmnt shows it");
	return -1;
}

/*
 * A simulated drive's data lie in a sparse file, where they have ever been written. If not, a hole of the namespace's size
 * is read in its stead: nothing is made by reading.
 */
static int open_simulated(struct bench_session *s, struct ssd_err *err)
{
	const struct ssd_drive *drive = s->dev->drive;
	AUTO_FREE char *dir = ssd_asprintf("%s/%s", drive->host->dir, drive->device);
	AUTO_FREE char *media = ssd_asprintf("%s/ns-%u.img", dir, s->ns->nsid);
	struct stat st;

	if (s->overwrites)
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: only reads of a simulated drive are measured",
				drive->device);
	if (!stat(media, &st) && st.st_size >= 1 << 20)
		return ssd_bench_open(media, false, &s->target, err);
	return ssd_bench_scratch(dir, s->ns->size_bytes, true, &s->target, err);
}

/* Once more before the first write: the same drive, and as large as was said. */
static int check_identity(struct bench_session *s, struct ssd_err *err)
{
	AUTO_FREE uint8_t *id = ssd_page_alloc(4096);
	size_t got = 0;

	if (ssd_identify(s->dev, &(struct ssd_identify){.cns = 1}, id, &got, err))
		return -1;
	if (ssd_permit_check(s->permit, ssd_printable(s->row->arena, id + SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES), err))
		return -1;
	if (s->target.size_bytes != s->ns->size_bytes)
		return ssd_fail(err, SSD_ERR_REFUSED, "%s has %llu bytes now, and had %llu; nothing was written",
				s->name, (unsigned long long)s->target.size_bytes,
				(unsigned long long)s->ns->size_bytes);
	return 0;
}

/* The kernel neither splits what is too long nor knows where metadata would go. */
static int open_generic(struct bench_session *s, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("/dev/%s", s->ns->generic);
	uint32_t most = s->dev->drive->max_transfer_bytes;
	const struct ssd_node *id;

	for (size_t i = 0; i < s->plan.n_tests; i++)
		if (most && s->plan.tests[i].block_bytes > most)
			return ssd_fail(
				err, SSD_ERR_USAGE,
				"--engine uring_cmd: %s has blocks of %u bytes, and %s takes %u at once at most",
				s->plan.tests[i].name, s->plan.tests[i].block_bytes, s->dev->drive->device, most);
	id = ssd_read_page(s->dev, s->row->arena, &ssd_page_id_ns, s->ns->nsid, err);
	if (!id)
		return -1;
	if (ssd_get_int(id, "metadata_bytes", -1))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED, "--engine uring_cmd: the blocks of %s have metadata",
				s->name);
	/* Without that node it is done as without the option, and said (say_engine). */
	if (!*s->ns->generic || access(path, F_OK))
		return 0;
	return ssd_bench_open_generic(path, s->ns->nsid, &s->target, err);
}

static int open_namespace(struct bench_session *s, struct ssd_err *err)
{
	AUTO_FREE char *path = ssd_asprintf("/dev/%s", s->name);

	if (ssd_bench_open(path, s->overwrites, &s->target, err))
		return -1;
	s->target.numa_node = s->dev->drive->numa_node;
	if (s->options->engine == BENCH_URING_CMD && open_generic(s, err))
		return -1;
	return s->overwrites ? check_identity(s, err) : 0;
}

static int open_any(struct bench_session *s, struct ssd_err *err)
{
	const struct bench_options *o = s->options;

	if (o->write_file)
		return check_place(s, err) ? -1
					   : ssd_bench_scratch(o->write_file, o->size ? o->size : SCRATCH_BYTES, false,
							       &s->target, err);
	if (!s->ns)
		return ssd_bench_open(s->name, false, &s->target, err);
	return s->simulated ? open_simulated(s, err) : open_namespace(s, err);
}

/* The file may have become smaller than was asked for: it is filled, not written over again, and is all that is used. */
static void fit_file(struct bench_session *s)
{
	uint64_t most = s->target.size_bytes * (s->plan.steady ? 2 : 1);

	for (size_t i = 0; s->options->write_file && i < s->plan.n_tests; i++)
		if (!s->plan.tests[i].span_bytes || s->plan.tests[i].span_bytes > s->target.size_bytes)
			s->plan.tests[i].span_bytes = s->target.size_bytes;
	if (fill_bytes(s) > most)
		s->plan.tests[0].bytes = most;
}

int bench_open(struct bench_session *s)
{
	struct ssd_err *err = &s->row->err;

	if (open_any(s, err))
		return -1;
	fit_file(s);
	for (size_t i = 0; i < s->plan.n_tests; i++)
		if (s->plan.tests[i].block_bytes % s->target.align_bytes)
			return ssd_fail(err, SSD_ERR_USAGE, "--bs: not a multiple of %u bytes, the block size of %s",
					s->target.align_bytes, s->name);
	bench_announce(s);
	return 0;
}
