/* SPDX-License-Identifier: MIT */
/* Every form of DRIVE on the command line (ssdct(8), "Drives"). */
#include "check.h"
#include "scan/scan.h"
#include "scan_tree.h"

/*
 * Six drives by hand: two ports of one drive, one in another PCI domain, one whose address is not PCI, two whose serial
 * numbers are not plain words.
 */
static struct ssd_host *sample(void)
{
	static const char *const serial[] = {"PHDUAL01", "PHDUAL01", "CVFT4030004A2P0EGN",
					     "7",        "S4/X 12",  "A\xff\x01Z"};
	static const char *const address[] = {
		"0000:03:00.0", "0000:04:00.0", "10000:03:00.0", "traddr=10.0.0.1", "", ""};
	struct ssd_host *host = ssd_calloc(1, sizeof(*host));

	for (int i = 0; i < 6; i++) {
		AUTO_FREE char *name = ssd_asprintf("nvme%d", i), *block = ssd_asprintf("nvme%dn1", i),
			       *generic = ssd_asprintf("ng%dn1", i);
		struct ssd_drive *d = scan_add_drive(host, name);
		struct ssd_namespace *ns = scan_add_namespace(d);

		ssd_strcpy(d->serial, sizeof(d->serial), serial[i]);
		ssd_strcpy(d->address, sizeof(d->address), address[i]);
		ssd_strcpy(d->state, sizeof(d->state), "live");
		ns->nsid = 5;
		ssd_strcpy(ns->device, sizeof(ns->device), block);
		ssd_strcpy(ns->generic, sizeof(ns->generic), generic);
	}
	return host;
}

static const struct {
	const char *word, *device;
	uint32_t nsid;
} good[] = {
	{"nvme0", "nvme0", 0},
	{"/dev/nvme2", "nvme2", 0},
	{"nvme1n1", "nvme1", 5},
	{"/dev/nvme1n1", "nvme1", 5},
	{"nvme1n1p3", "nvme1", 5},
	{"/dev/nvme1n1p12", "nvme1", 5},
	{"ng3n1", "nvme3", 5},
	{"/dev/ng0n1", "nvme0", 5},
	{"CVFT4030004A2P0EGN", "nvme2", 0},
	{"0000:03:00.0", "nvme0", 0},
	{"0000:04:00.0", "nvme1", 0},
	{"04:00.0", "nvme1", 0},
	{"10000:03:00.0", "nvme2", 0},
	/* The serial number of a drive, not a position: */
	{"7", "nvme3", 0},
	{"S4/X 12", "nvme4", 0},
	/* As it is shown, and as it is. */
	{"A\\xFF\\x01Z", "nvme5", 0},
	{"A\xff\x01Z", "nvme5", 0},
};

START_TEST(test_good)
{
	struct ssd_host *host = sample();

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct ssd_err err = SSD_ERR_INIT;
		struct ssd_target t;

		ck_assert_msg(!ssd_host_resolve(host, good[i].word, &t, &err), "%s: %s", good[i].word, err.message);
		ck_assert_msg(!strcmp(t.drive->device, good[i].device), "%s is %s", good[i].word, t.drive->device);
		ck_assert_msg(t.nsid == good[i].nsid, "%s: nsid %u", good[i].word, t.nsid);
	}
	ssd_host_free(host);
}
END_TEST

static const char *const bad[] = {
	"0",
	"1",
	"nvme6",
	"nvme",
	"nvme00",
	"NVME0",
	"nvme1n2",
	"nvme1n1p",
	"nvme1n1px",
	"nvme1n1p1x",
	"nvme0p1",
	"ng0n1p1",
	"n1",
	"",
	"cvft4030",
	"CVFT4030004",
	"05:00.0",
	"03:00",
	"/dev/",
	"/",
	"/dev/null",
	"/dev/zero",
	"/tmp/nvme0",
	"./nvme0",
	"/dev/x/nvme0",
	"0000:3:0.0x",
	"traddr=10.0.0.1",
};

START_TEST(test_bad)
{
	struct ssd_host *host = sample();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ssd_err err = SSD_ERR_INIT;
		struct ssd_target t;

		ck_assert_msg(ssd_host_resolve(host, bad[i], &t, &err) == -1, "%s", bad[i]);
		ck_assert_msg(err.code == SSD_ERR_NOT_FOUND, "%s: %s", bad[i], err.message);
		ck_assert_str_eq(err.hint, "the drives here: nvme0, nvme1, nvme2, nvme3, nvme4, nvme5");
	}
	ssd_host_free(host);
}
END_TEST

START_TEST(test_ambiguous)
{
	struct ssd_host *host = sample();
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_target t;

	ck_assert_int_eq(ssd_host_resolve(host, "PHDUAL01", &t, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_AMBIGUOUS);
	ck_assert_int_eq(ssd_err_exit(&err), 2);
	ck_assert_str_eq(err.message, "serial number PHDUAL01 matches several controllers: "
				      "nvme0 (0000:03:00.0), nvme1 (0000:04:00.0)");
	ck_assert_ptr_eq(t.drive, &host->drives[0]);
	ck_assert_int_eq(ssd_host_resolve(host, "03:00.0", &t, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_AMBIGUOUS);
	ck_assert_str_eq(err.message, "PCI address 03:00.0 matches several controllers: "
				      "nvme0 (0000:03:00.0), nvme2 (10000:03:00.0)");
	ssd_host_free(host);
}
END_TEST

/* However many drives, message and hint end properly. */
START_TEST(test_bounded)
{
	struct ssd_host *host = ssd_calloc(1, sizeof(*host));
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_target t;
	char name[32], long_word[1000];

	for (int i = 0; i < 128; i++) {
		snprintf(name, sizeof(name), "nvme%d", i);
		ssd_strcpy(scan_add_drive(host, name)->serial, 32, "SAME");
	}
	ck_assert_int_eq(ssd_host_resolve(host, "SAME", &t, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_AMBIGUOUS);
	ck_assert_ptr_nonnull(strstr(err.message, " more"));
	memset(long_word, 'x', sizeof(long_word));
	long_word[sizeof(long_word) - 1] = '\0';
	ck_assert_int_eq(ssd_host_resolve(host, long_word, &t, &err), -1);
	ck_assert_str_eq(err.hint + strlen(err.hint) - 5, " more");
	ssd_host_free(host);
}
END_TEST

/* udev's by-id links, also when the node at the end cannot be seen from here. */
START_TEST(test_symlinks)
{
	struct ssd_host *host = sample();
	AUTO_FREE char *by_id = NULL, *chain = NULL, *loop = NULL, *elsewhere = NULL;
	struct ssd_target t;

	tree_new();
	put_link("by-id", "/dev/nvme1n1");
	put_link("chain", "by-id");
	put_link("loop", "loop");
	put_link("elsewhere", "/nowhere/nvme0");
	by_id = ssd_asprintf("%s/by-id", tree_root);
	chain = ssd_asprintf("%s/chain", tree_root);
	loop = ssd_asprintf("%s/loop", tree_root);
	elsewhere = ssd_asprintf("%s/elsewhere", tree_root);
	if (access("/dev/nvme1n1", F_OK)) {
		ck_assert_int_eq(ssd_host_resolve(host, by_id, &t, NULL), 0);
		ck_assert_str_eq(t.drive->device, "nvme1");
		ck_assert_uint_eq(t.nsid, 5);
		ck_assert_int_eq(ssd_host_resolve(host, chain, &t, NULL), 0);
	}
	ck_assert_int_eq(ssd_host_resolve(host, loop, &t, NULL), -1);
	ck_assert_int_eq(ssd_host_resolve(host, elsewhere, &t, NULL), -1);
	ssd_host_free(host);
}
END_TEST

START_TEST(test_hostdir_paths)
{
	struct ssd_host *host = sample();
	AUTO_FREE char *drive = NULL, *deeper = NULL;
	struct ssd_target t;

	host->dir = ssd_strdup(tree_new());
	put("nvme1", "drive.json", "{}");
	drive = ssd_asprintf("%s/nvme1/", tree_root);
	deeper = ssd_asprintf("%s/nvme1/drive.json", tree_root);
	ck_assert_int_eq(ssd_host_resolve(host, drive, &t, NULL), 0);
	ck_assert_str_eq(t.drive->device, "nvme1");
	ck_assert_int_eq(ssd_host_resolve(host, "/dev/nvme2n1", &t, NULL), 0);
	ck_assert_str_eq(t.drive->device, "nvme2");
	ck_assert_int_eq(ssd_host_resolve(host, deeper, &t, NULL), -1);
	ck_assert_int_eq(ssd_host_resolve(host, "/tmp/nvme0", &t, NULL), -1);
	ssd_host_free(host);
}
END_TEST

CHECK_MAIN("scan_resolve", test_good, test_bad, test_ambiguous, test_bounded, test_symlinks, test_hostdir_paths)
