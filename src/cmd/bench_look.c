/* SPDX-License-Identifier: MIT */
/* ssdct bench: what the drive and the host say before, meanwhile and afterwards. */
#include "bench.h"

#include "scan/scan.h"

#include <ssdct/health.h>

#include <fcntl.h>
#include <sys/utsname.h>

#define ARENA_BYTES (1u << 20)
#define WATCH_MS 1000
#define HOT_MARGIN 2 /* kelvin below the critical temperature */

static int64_t smart_sum(const struct ssd_node *smart, const char *first, const char *second)
{
	int64_t a = ssd_get_int(smart, first, -1), b = ssd_get_int(smart, second, -1);

	return a < 0 || b < 0 ? -1 : a + b;
}

static void look_at_smart(struct bench_session *s, struct ssd_bench_look *look)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_arena *arena = ssd_arena_new(ARENA_BYTES);
	const struct ssd_node *smart = arena && s->ns ? ssd_read_page(s->dev, arena, &ssd_page_smart, 0, &err) : NULL;

	look->temperature_celsius = (int)ssd_get_int(smart, "temperature_celsius", INT32_MIN);
	look->warning_minutes = ssd_get_int(smart, "warning_temperature_minutes", -1);
	look->critical_minutes = ssd_get_int(smart, "critical_temperature_minutes", -1);
	look->throttle_seconds = smart_sum(smart, "tmt1_seconds", "tmt2_seconds");
	look->throttle_count = smart_sum(smart, "tmt1_transition_count", "tmt2_transition_count");
	look->media_errors = ssd_get_int(smart, "media_errors", -1);
	look->error_log_entries = ssd_get_int(smart, "error_log_entries", -1);
	look->critical_warning = ssd_get_int(smart, "critical_warning.value", -1);
	ssd_arena_free(arena);
}

/* What a vendor counts itself: Intel's drives of NVMe 1.0 and 1.2 have no other count of throttling. */
static void look_at_vendor(struct bench_session *s, struct ssd_bench_look *look)
{
	const struct ssd_page *page = s->ns ? ssd_vendor_page(s->dev, "intel_smart") : NULL;
	struct ssd_arena *arena = page && !s->dev->vendor_refused ? ssd_arena_new(ARENA_BYTES) : NULL;
	struct ssd_err err = SSD_ERR_INIT;
	const struct ssd_node *n = arena ? ssd_read_page(s->dev, arena, page, 0, &err) : NULL;

	s->dev->vendor_refused |= err.nvme_status >= 0;
	look->vendor_throttle_count = ssd_get_int(n, "thermal_throttle.count", -1);
	ssd_arena_free(arena);
}

/* The number behind a word; -1: not there. */
static int64_t line_number(const char *path, const char *word)
{
	AUTO_FCLOSE FILE *f = fopen(path, "re");
	size_t len = strlen(word);
	char line[80];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, word, len) && line[len] == ' ')
			return scan_int(line + len + 1, -1);
	}
	return -1;
}

/* Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats: the last line of each file is the sum. */
int64_t bench_pcie_errors(const char *dir)
{
	static const char *const sums[][2] = {{"aer_dev_correctable", "TOTAL_ERR_COR"},
					      {"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"},
					      {"aer_dev_fatal", "TOTAL_ERR_FATAL"}};
	int64_t all = -1;

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		AUTO_FREE char *path = ssd_asprintf("%s/%s", dir, sums[i][0]);
		int64_t n = line_number(path, sums[i][1]);

		if (n >= 0)
			all = all < 0 ? n : all + n;
	}
	return all;
}

/* Documentation/block/stat.rst: I/Os, merges, sectors of 512 bytes, milliseconds; of reads, then of writes. */
static void look_at_traffic(const struct bench_session *s, struct ssd_bench_look *look)
{
	AUTO_FREE char *path = ssd_asprintf("/sys/class/block/%s/stat", s->name);
	char line[256] = "", *at = line;
	long long v[7];

	look->read_ios = look->write_ios = look->read_bytes = look->write_bytes = -1;
	if (s->ns && !s->simulated)
		scan_attr(AT_FDCWD, path, line, sizeof(line));
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		char *end;

		v[i] = strtoll(at, &end, 10);
		if (end == at)
			return;
		at = end;
	}
	look->read_ios = v[0];
	look->read_bytes = v[2] * 512;
	look->write_ios = v[4];
	look->write_bytes = v[6] * 512;
}

/* As it is now, which is not what the host looked like when the program began. */
static void look_at_link(const struct bench_session *s, struct ssd_bench_look *look)
{
	const struct ssd_drive *drive = s->dev->drive;
	AUTO_FREE char *speed = ssd_asprintf("/sys/class/nvme/%s/device/current_link_speed", drive->device);
	AUTO_FREE char *width = ssd_asprintf("/sys/class/nvme/%s/device/current_link_width", drive->device);
	char text[32];

	look->link_width = drive->current_link_width;
	ssd_strcpy(look->link_speed, sizeof(look->link_speed), drive->current_link_speed);
	if (!s->ns || s->simulated)
		return;
	scan_attr(AT_FDCWD, speed, text, sizeof(text));
	if (*text)
		ssd_strcpy(look->link_speed, sizeof(look->link_speed), text);
	scan_attr(AT_FDCWD, width, text, sizeof(text));
	look->link_width = *text ? scan_width(scan_int(text, -1)) : look->link_width;
}

void bench_look(struct bench_session *s, struct ssd_bench_look *look)
{
	AUTO_FREE char *pcie = ssd_asprintf("/sys/class/nvme/%s/device", s->ns ? s->dev->drive->device : "");

	look_at_smart(s, look);
	look_at_vendor(s, look);
	look->busy = s->ns ? ssd_busy_with(s->dev) : NULL;
	look->pcie_errors = s->ns && !s->simulated ? bench_pcie_errors(pcie) : -1;
	look_at_link(s, look);
	look_at_traffic(s, look);
}

int bench_hot_celsius(const struct bench_session *s)
{
	int critical = s->bench.env.critical_celsius;

	return critical == INT32_MIN ? INT32_MAX : critical - HOT_MARGIN;
}

bool bench_watch(void *ctx, struct ssd_bench_result *result)
{
	struct bench_session *s = ctx;
	struct ssd_bench_look look;

	if (!s->ns || ssd_now_ms() - s->looked_ms < WATCH_MS)
		return false;
	look_at_smart(s, &look);
	s->looked_ms = ssd_now_ms();
	if (look.temperature_celsius > result->temperature_max_celsius)
		result->temperature_max_celsius = look.temperature_celsius;
	result->stopped_hot = look.temperature_celsius != INT32_MIN && look.temperature_celsius >= bench_hot_celsius(s);
	return result->stopped_hot;
}

/* The word in brackets: "[none] mq-deadline". */
static void scheduler(const char *name, char *buf, size_t size)
{
	AUTO_FREE char *path = ssd_asprintf("/sys/class/block/%s/queue/scheduler", name);
	char line[128], *open, *close;

	scan_attr(AT_FDCWD, path, line, sizeof(line));
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	ssd_strcpy(buf, size, close ? open + 1 : line);
}

static int64_t percent_allocated(struct bench_session *s)
{
	struct ssd_err err = SSD_ERR_INIT;
	const struct ssd_node *id = ssd_read_page(s->dev, s->row->arena, &ssd_page_id_ns, s->ns->nsid, &err);
	int64_t size = ssd_get_int(id, "size_bytes", -1), used = ssd_get_int(id, "utilization_bytes", -1);

	return size <= 0 || used < 0 || used > size ? -1 : (int64_t)(100.0 * (double)used / (double)size);
}

/* The limit that check has, too: CCTEMP, and without one what the drive was told (feature 04h), or 80 C. */
static int critical_celsius(struct bench_session *s)
{
	struct ssd_health_options options = SSD_HEALTH_OPTIONS_INIT;
	struct ssd_health health = {.temperature_critical = INT64_MIN};
	struct ssd_err err = SSD_ERR_INIT;

	ssd_health_check(s->dev, s->row->arena, &options, NULL, &health, &err);
	return health.temperature_critical == INT64_MIN ? INT32_MIN : (int)health.temperature_critical;
}

static void ask_drive(struct bench_session *s)
{
	const struct ssd_drive *drive = s->dev->drive;
	struct ssd_bench_env *env = &s->bench.env;

	env->critical_celsius = critical_celsius(s);
	env->block_bytes = s->ns->block_bytes;
	env->metadata_bytes = s->ns->metadata_bytes;
	env->max_transfer_bytes = drive->max_transfer_bytes;
	env->max_link_width = drive->max_link_width;
	ssd_strcpy(env->max_link_speed, sizeof(env->max_link_speed), drive->max_link_speed);
	if (!s->simulated && !env->is_file)
		env->allocated_percent = percent_allocated(s);
}

void bench_environment(struct bench_session *s)
{
	struct ssd_bench_env *env = &s->bench.env;
	struct utsname name;
	char text[32];

	if (!uname(&name))
		ssd_strcpy(env->kernel, sizeof(env->kernel), name.release);
	scan_attr(AT_FDCWD, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", env->governor,
		  sizeof(env->governor));
	scan_attr(AT_FDCWD, "/sys/module/nvme/parameters/poll_queues", text, sizeof(text));
	env->poll_queues = (int)scan_int(text, -1);
	env->numa_node = s->target.numa_node;
	env->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	env->max_link_width = -1;
	env->metadata_bytes = -1;
	env->critical_celsius = INT32_MIN;
	env->allocated_percent = s->target.allocated_percent;
	env->simulated = s->simulated;
	env->is_file = s->options->write_file || (!s->ns && s->target.allocated_percent >= 0);
	env->cached = !s->target.direct;
	if (!s->ns)
		return;
	if (!s->simulated)
		scheduler(s->name, env->scheduler, sizeof(env->scheduler));
	ask_drive(s);
}
