/* SPDX-License-Identifier: MIT */
/* Page descriptions of an operator (ssdct-pages(5)): whose files are read, what they become, what the guard makes of them. */
#include "check.h"

#include <fcntl.h>
#include <ssdct/admin.h>
#include <ssdct/local.h>
#include <sys/stat.h>

#define PAGE(lid, more)                                                                                              \
	"{\"format\": \"ssdct-pages/1\", \"pages\": [{\"key\": \"acme\", \"label\": \"Acme\", \"match\": "           \
	"[{\"vendor\": \"0xfa1d\", \"model\": \"ACME*\"}], \"lid\": \"" lid "\", \"length\": 96, " more              \
	" \"fields\": ["                                                                                             \
	"{\"key\": \"a\", \"label\": \"A\", \"offset\": 0, \"width\": 2, \"kind\": \"uint\"},"                       \
	"{\"key\": \"b\", \"label\": \"B\", \"offset\": 2, \"width\": 4, \"kind\": \"int\", \"scale\": 3},"          \
	"{\"key\": \"c_bytes\", \"label\": \"C\", \"offset\": 6, \"width\": 16, \"kind\": \"wide\", \"unit\": "      \
	"\"bytes\"},"                                                                                                \
	"{\"key\": \"d_celsius\", \"label\": \"D\", \"offset\": 22, \"width\": 2, \"kind\": \"kelvin\"},"            \
	"{\"key\": \"e\", \"label\": \"E\", \"offset\": 24, \"width\": 8, \"kind\": \"text\"},"                      \
	"{\"key\": \"f\", \"label\": \"F\", \"offset\": 32, \"width\": 4, \"kind\": \"hex\"},"                       \
	"{\"key\": \"g\", \"label\": \"G\", \"offset\": 36, \"width\": 4, \"kind\": \"le_hex\"},"                    \
	"{\"key\": \"h\", \"label\": \"H\", \"offset\": 40, \"width\": 16, \"kind\": \"uuid\"},"                     \
	"{\"key\": \"i\", \"label\": \"I\", \"offset\": 56, \"width\": 1, \"kind\": \"enum\", \"enum\": {\"0x07\": " \
	"\"seven\"}},"                                                                                               \
	"{\"key\": \"j\", \"label\": \"J\", \"offset\": 57, \"width\": 8, \"kind\": \"flags\", \"flags\": "          \
	"[{\"key\": \"top\", \"label\": \"top\", \"bit\": 63}]}]}]}"

static char notes[4096], root[] = "/tmp/ssdct-local-XXXXXX", dir[64], tmp[128];

static void note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
}

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof(dir), "%s/pages.d", root);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
}

static const char *path(const char *name)
{
	snprintf(tmp, sizeof(tmp), "%s/%s", dir, name);
	return tmp;
}

static void make_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(path(name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(path(name), mode), 0);
}

static struct ssd_local *load(int64_t owner)
{
	*notes = '\0';
	return ssd_local_load_dir(dir, owner, note, NULL);
}

static size_t count(int64_t owner)
{
	struct ssd_local *local = load(owner);
	size_t n = local ? local->n : 0;

	ssd_local_free(local);
	return n;
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

#define GOOD PAGE("0xc8", "\"read\": \"free\",")

START_TEST(permissions)
{
	static const struct {
		mode_t mode;
		bool good;
	} modes[] = {{0644, true},  {0600, true},  {0444, true},  {0755, true},
		     {0664, false}, {0646, false}, {0666, false}, {0620, false}};
	int64_t me = geteuid();

	make_dir();
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		make_file("a.json", GOOD, modes[i].mode);
		ck_assert_msg(count(me) == modes[i].good, "mode %o: %s", (unsigned)modes[i].mode, notes);
		ck_assert_msg(modes[i].good == !*notes, "mode %o: %s", (unsigned)modes[i].mode, notes);
		ck_assert_msg(modes[i].good || strstr(notes, "/a.json: left out: its group or others may write it"),
			      "%s", notes);
		/* In a host directory they are nobody's business. */
		ck_assert_uint_eq(count(-1), 1);
	}
	make_file("a.json", GOOD, 0644);
	ck_assert_uint_eq(count(me + 1), 0);
	ck_assert_ptr_nonnull(strstr(notes, "page descriptions are not read: it belongs to somebody else"));
	clean();
}
END_TEST

START_TEST(directories)
{
	int64_t me = geteuid();

	make_dir();
	make_file("a.json", GOOD, 0644);
	for (int above = 0; above < 2; above++) {
		const char *which = above ? root : dir;

		for (mode_t mode = 0; mode < 0100; mode++) {
			bool open = mode & 022;

			ck_assert_int_eq(chmod(which, 0700 | mode), 0);
			ck_assert_msg(count(me) == !open, "%s mode %o: %s", which, (unsigned)mode, notes);
			ck_assert_msg(open == (strstr(notes, "may write it") != NULL), "%s", notes);
		}
		ck_assert_int_eq(chmod(which, 0755), 0);
	}
	/* None at all is nothing to talk about. */
	snprintf(dir, sizeof(dir), "%s/none", root);
	ck_assert_ptr_null(load(me));
	ck_assert_str_eq(notes, "");
	clean();
}
END_TEST

/* A note each, none is waited for or followed; what is no *.json is not looked at. */
START_TEST(kinds_of_files)
{
	AUTO_FREE char *big = ssd_calloc((256u << 10) + 2, 1);

	make_dir();
	make_file("target", GOOD, 0644);
	ck_assert_int_eq(symlink("target", path("link.json")), 0);
	ck_assert_int_eq(mkfifo(path("fifo.json"), 0644), 0);
	ck_assert_int_eq(mkdir(path("dir.json"), 0755), 0);
	memset(big, ' ', (256u << 10) + 1);
	make_file("big.json", big, 0644);
	make_file("empty.json", "", 0644);
	make_file(".hidden.json", "{", 0644);
	make_file("old.json.bak", "{", 0644);
	make_file(".json", "{", 0644);
	ck_assert_uint_eq(count(geteuid()), 0);
	ck_assert_ptr_nonnull(strstr(notes, "/link.json: left out: not a regular file\n"));
	ck_assert_ptr_nonnull(strstr(notes, "/fifo.json: left out: not a regular file\n"));
	ck_assert_ptr_nonnull(strstr(notes, "/dir.json: left out: not a regular file\n"));
	ck_assert_ptr_nonnull(strstr(notes, "/big.json: left out: larger than 256 KiB\n"));
	ck_assert_ptr_nonnull(strstr(notes, "/empty.json: left out: line 1, column 0: "));
	ck_assert_ptr_null(strstr(notes, "hidden"));
	ck_assert_ptr_null(strstr(notes, "bak"));
	clean();
}
END_TEST

/* Names and contents cannot steer a terminal. */
START_TEST(printable)
{
	make_dir();
	make_file("\033[31m\n.json", "{\"\033[2J\": 1}", 0644);
	ck_assert_uint_eq(count(-1), 0);
	for (const char *c = notes; *c; c++)
		ck_assert_msg((*c >= ' ' && *c <= '~') || (*c == '\n' && !c[1]), "byte %02x", (unsigned char)*c);
	clean();
}
END_TEST

START_TEST(too_many)
{
	char name[16];

	make_dir();
	for (int i = 0; i < 70; i++) {
		snprintf(name, sizeof(name), "%02d.json", i);
		make_file(name, GOOD, 0644);
	}
	ck_assert_uint_eq(count(-1), 64);
	ck_assert_ptr_nonnull(strstr(notes, "only the first 64"));
	clean();
}
END_TEST

/* Whose drive it is: everything that is said must fit. */
START_TEST(matching)
{
	static const struct {
		struct ssd_local_match match;
		bool fits;
	} rows[] = {
		{{0xfa1d, -1, -1, -1, "ACME*", NULL}, true},     {{0xfa1d, 7, 8, 9, "ACME D1", "F1"}, true},
		{{0xfa1d, 7, -1, -1, NULL, NULL}, true},         {{0xfa1d, -1, -1, -1, "ACME D?", "F[0-9]"}, true},
		{{0x144d, -1, -1, -1, "ACME*", NULL}, false},    {{0xfa1d, 8, -1, -1, "ACME*", NULL}, false},
		{{0xfa1d, -1, 9, -1, "ACME*", NULL}, false},     {{0xfa1d, -1, -1, 8, "ACME*", NULL}, false},
		{{0xfa1d, -1, -1, -1, "ACME D2*", NULL}, false}, {{0xfa1d, -1, -1, -1, "ACME*", "F2"}, false},
		{{0xfa1d, -1, -1, -1, "ACME", NULL}, false},
	};
	const struct ssd_identity id = {"ACME D1", "F1", 0xfa1d, 7, 8, 9},
				  unknown = {"ACME D1", "F1", 0xfa1d, -1, -1, -1};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_local_page page = {.matches = &rows[i].match, .n_matches = 1};

		ck_assert_msg(ssd_local_is_of(&page, &id) == rows[i].fits, "row %zu", i);
	}
	/* What is not known of a drive does not fit what is asked for. */
	ck_assert(!ssd_local_is_of(&(struct ssd_local_page){.matches = &rows[2].match, .n_matches = 1}, &unknown));
	ck_assert(ssd_local_is_of(&(struct ssd_local_page){.matches = &rows[0].match, .n_matches = 1}, &unknown));
}
END_TEST

static const struct ssd_page vendor_clears = {
	.name = "clears", .kind = SSD_PAGE_LOG, .id = 0xc1, .flags = SSD_PAGE_CLEARS};
static const struct ssd_page *const vendor_pages[] = {&vendor_clears, NULL};
static const struct ssd_vendor vendor = {.name = "test", .pages = vendor_pages};

/* A device whose descriptions come from one file. */
static struct ssd_device device_of(const char *text, struct ssd_local **local, struct ssd_host *host,
				   struct ssd_drive *drive)
{
	const struct ssd_identity id = {"ACME D1", "F1", 0xfa1d, -1, -1, -1};
	struct ssd_device dev = {.drive = drive, .vendor = &vendor};

	make_file("a.json", text, 0644);
	*local = load(-1);
	ck_assert_msg(*local != NULL, "%s", notes);
	*host = (struct ssd_host){.local = *local};
	*drive = (struct ssd_drive){.host = host};
	ssd_local_choose(&dev, &id);
	return dev;
}

/* Every value of CDW10's low half and every UUID index: free is what the file says, with RAE and nothing else. */
START_TEST(guard)
{
	static const struct {
		const char *text;
		int free; /* the LID that becomes free; -1: none */
	} rows[] = {
		{GOOD, 0xc8},
		{PAGE("0xc0", "\"read\": \"free\","), 0xc0},
		{PAGE("0xff", "\"read\": \"free\","), 0xff},
		{PAGE("0xc8", "\"read\": \"clears\","), -1},
		{PAGE("0xc8", ""), -1},
		/* the vendor's module knows that reading it clears it */
		{PAGE("0xc1", "\"read\": \"free\","), -1},
	};

	make_dir();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_drive drive;
		struct ssd_host host;
		struct ssd_local *local;
		struct ssd_device dev = device_of(rows[i].text, &local, &host, &drive);
		struct ssd_device without = {.vendor = &vendor};

		for (uint32_t cdw14 = 0; cdw14 < 3; cdw14++) {
			for (uint32_t low = 0; low < 0x10000; low++) {
				struct ssd_cmd cmd = {.opcode = 0x02, .cdw10 = low, .cdw14 = cdw14};
				bool mine = rows[i].free >= 0 && low == (0x8000u | (uint32_t)rows[i].free) && !cdw14;

				ck_assert_msg(ssd_is_read(&dev, &cmd) == (mine || ssd_is_read(&without, &cmd)),
					      "row %zu cdw10 %08x cdw14 %u", i, cmd.cdw10, cdw14);
			}
		}
		for (unsigned opcode = 0; opcode < 256; opcode++)
			ck_assert(opcode == 2 ||
				  ssd_is_read(&dev, &(struct ssd_cmd){.opcode = (uint8_t)opcode, .cdw10 = 0x80c8}) ==
					  (opcode == 6 || opcode == 10));
		free(dev.local);
		ssd_local_free(local);
	}
	clean();
}
END_TEST

static void expect(const struct ssd_node *obj, const char *key, bool there, bool right)
{
	ck_assert_msg((ssd_get(obj, key) != NULL) == there, "%s: there %d", key, there);
	ck_assert_msg(!there || right, "%s is wrong", key);
}

/* Cut at each length: what has arrived whole is right, the rest is null. */
START_TEST(cut_pages)
{
	static const uint8_t page[96] = {
		0x34, 0x12, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0x39, 0x01, ' ',  'A',  'C',  'M',  'E',  0xff, ' ',  ' ',  0x01, 0x02,
		0x03, 0x04, 0x01, 0x02, 0x03, 0x04, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab,
		0xab, 0xab, 0xab, 0xab, 0xab, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
	};
	struct ssd_drive drive;
	struct ssd_host host;
	struct ssd_local *local;
	struct ssd_device dev;

	make_dir();
	dev = device_of(GOOD, &local, &host, &drive);
	for (size_t len = 0; len <= sizeof(page); len++) {
		struct ssd_arena *a = ssd_arena_new(1 << 20);
		/* Of exactly this length, so that a sanitizer sees what reads on. */
		AUTO_FREE uint8_t *cut = ssd_calloc(len, 1);
		const struct ssd_node *n;

		memcpy(cut, page, len);
		n = ssd_page_decode(a, &dev.local[0]->page, cut, len);
		expect(n, "a", len >= 2, ssd_get_int(n, "a", 0) == 0x1234);
		expect(n, "b", len >= 6, ssd_get_int(n, "b", 0) == -6);
		expect(n, "c_bytes", len >= 22, ssd_get_int(n, "c_bytes", 0) == INT64_MAX);
		expect(n, "d_celsius", len >= 24, ssd_get_int(n, "d_celsius", 0) == 40);
		expect(n, "e", len >= 32, !strcmp(ssd_get_str(n, "e", ""), "ACME\\xFF"));
		expect(n, "f", len >= 36, !strcmp(ssd_get_str(n, "f", ""), "01020304"));
		expect(n, "g", len >= 40, !strcmp(ssd_get_str(n, "g", ""), "04030201"));
		expect(n, "h", len >= 56, !strcmp(ssd_get_str(n, "h", ""), "abababab-abab-abab-abab-abababababab"));
		expect(n, "i", len >= 57, !strcmp(ssd_get_str(n, "i.name", ""), "seven"));
		expect(n, "j", len >= 65, ssd_get_int(n, "j.top", 0) == 1);
		ssd_arena_free(a);
	}
	free(dev.local);
	ssd_local_free(local);
	clean();
}
END_TEST

/* Text that is cut or changed at any byte: a note or pages, never anything else. */
START_TEST(damaged_text)
{
	static const char good[] = GOOD;

	make_dir();
	for (size_t i = 0; i + 1 < sizeof(good); i++) {
		AUTO_FREE char *text = ssd_strdup(good);
		struct ssd_local *local;

		if (i % 2)
			text[i] = '\0';
		else
			text[i] = (char)(text[i] == '9' ? '-' : '9');
		make_file("a.json", text, 0644);
		local = load(-1);
		ck_assert_msg((local != NULL) == !*notes, "byte %zu: %s", i, notes);
		ck_assert_msg(local || strstr(notes, "/a.json: left out: "), "byte %zu: %s", i, notes);
		ssd_local_free(local);
	}
	clean();
}
END_TEST

CHECK_MAIN("local", permissions, directories, kinds_of_files, printable, too_many, matching, guard, cut_pages,
	   damaged_text)
