/* SPDX-License-Identifier: MIT */
/* Permits for what destroys data, on a terminal and without; locks of this machine; the identity check. */
#include "check.h"

#include "safety/parts.h"
#include "scan_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#define SERIAL "CVFT5152003M2P0EGN"

static struct ssd_host *host;

/* A simulated host with one drive; its files are what the scan reads. */
static void simulated(const char *drive_json)
{
	struct ssd_err err = SSD_ERR_INIT;
	uint8_t id[4096] = {0};

	ssd_host_free(host);
	tree_new();
	snprintf((char *)id + 4, 69, "%-20s%-40s%-8s", SERIAL, "MODEL", "FW1");
	put_bytes("nvme0/id-ctrl.bin", id, sizeof(id));
	memset(id, 0, sizeof(id));
	id[0] = 0x80; /* 128 blocks of 512 bytes */
	id[130] = 9;
	put_bytes("nvme0/id-ns-1.bin", id, sizeof(id));
	put_bytes("nvme0/drive.json", drive_json, strlen(drive_json));
	put(".", "host.json", "{\"format\": \"ssdct-host/1\", \"mode\": \"simulated\"}");
	host = ssd_host_scan(tree_root, &err);
	ck_assert_msg(host != NULL, "%s", err.message);
}

static struct ssd_intent destroy(void)
{
	static const uint8_t opcodes[] = {SSD_ADMIN_FORMAT_NVM};

	return (struct ssd_intent){.what = "format namespace 1 of nvme0",
				   .impact = SSD_DESTROYS,
				   .opcodes = opcodes,
				   .n_opcodes = 1,
				   .drive = &host->drives[0]};
}

/* The exit code that a permit with this intent leads to; 0: there is one, and it grants what was asked for. */
static int attempt(const struct ssd_intent *intent)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_permit *permit = NULL;
	int code = 0;

	if (ssd_permit_get(intent, &permit, &err))
		code = (int)ssd_err_exit(&err);
	else if (permit && ssd_permit_grant(permit)->opcodes[0x10] != 1) /* 80h */
		code = 99;
	if (code && (permit || !strstr(err.message, "nothing was sent")))
		code = 98;
	ssd_permit_free(permit);
	return code;
}

/* Without a terminal, whatever this test has been started on. */
static int attempt_blind(const struct ssd_intent *intent)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
		_exit(attempt(intent));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Reads what the child shows until the question has been put, or until it has ended. */
static void read_question(int master, char *shown, size_t size)
{
	size_t len = strlen(shown);

	while (len < size - 1 && !strstr(shown, "go on: ")) {
		ssize_t n = read(master, shown + len, size - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
		shown[len] = '\0';
	}
}

static char shown[4096];

static int attempt_on_terminal(const struct ssd_intent *intent, const char *answer, int sig)
{
	int master, status;
	pid_t pid = forkpty(&master, NULL, NULL, NULL);

	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(attempt(intent));
	*shown = '\0';
	read_question(master, shown, sizeof(shown));
	if (strstr(shown, "go on: ")) {
		ck_assert_int_eq(write(master, answer, strlen(answer)), (ssize_t)strlen(answer));
		if (sig)
			kill(pid, sig);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(master);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(the_serial_number_is_typed)
{
	static const struct {
		const char *answer;
		int sig, code;
	} rows[] = {
		{SERIAL "\n", 0, 0},
		{"  " SERIAL " \n", 0, 0},
		{"\n", 0, 4},
		{"y\n", 0, 4},
		{"yes\n", 0, 4},
		{"CVFT5152003M2P0EG\n", 0, 4},
		{SERIAL "0\n", 0, 4},
		{"cvft5152003m2p0egn\n", 0, 4},
		{"nvme0\n", 0, 4},
		{"\004", 0, 4},
		{SERIAL "\004\004", 0, 4},
		{"\003", 0, 130},
		{SERIAL "\003", 0, 130},
		{"", SIGTERM, 130},
		{"", SIGHUP, 130},
		{SERIAL, SIGINT, 130},
	};
	struct ssd_intent intent;

	simulated("{}");
	intent = destroy();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_msg(attempt_on_terminal(&intent, rows[i].answer, rows[i].sig) == rows[i].code, "row %zu: %s",
			      i, shown);
	intent.yes = true;
	ck_assert_int_eq(attempt_on_terminal(&intent, "\n", 0), 4);
	ck_assert_msg(strstr(shown, SERIAL) && strstr(shown, "MODEL") && strstr(shown, "namespace 1 (nvme0n1)") &&
			      strstr(shown, "format namespace 1 of nvme0") && strstr(shown, "DATA"),
		      "%s", shown);
}
END_TEST

START_TEST(without_a_terminal)
{
	struct ssd_intent intent;

	simulated("{}");
	intent = destroy();
	intent.yes = intent.force = true;
	ck_assert_int_eq(attempt_blind(&intent), 4);
	intent.confirm = "yes";
	ck_assert_int_eq(attempt_blind(&intent), 4);
	intent.confirm = SERIAL;
	intent.yes = intent.force = false;
	ck_assert_int_eq(attempt_blind(&intent), 0);
}
END_TEST

START_TEST(in_use_or_not_empty)
{
	struct ssd_intent intent;

	simulated("{\"namespaces\": {\"1\": {\"signature\": \"ext4\"}}}");
	intent = destroy();
	intent.confirm = SERIAL;
	ck_assert_int_eq(attempt_blind(&intent), 4);
	ck_assert_int_eq(attempt_on_terminal(&intent, "", 0), 4);
	intent.force = true;
	ck_assert_int_eq(attempt_blind(&intent), 0);
	intent.confirm = NULL;
	ck_assert_int_eq(attempt_on_terminal(&intent, SERIAL "\n", 0), 0);
	ck_assert_msg(strstr(shown, "nvme0n1 contains ext4") != NULL, "%s", shown);

	simulated("{\"namespaces\": {\"1\": {\"mounts\": [\"/srv\"]}}}");
	intent = destroy();
	intent.confirm = SERIAL;
	intent.force = intent.yes = true;
	ck_assert_int_eq(attempt_blind(&intent), 4);
	ck_assert_int_eq(attempt_on_terminal(&intent, SERIAL "\n", 0), 4);
	intent.impact = SSD_TAKES_ACCESS;
	ck_assert_int_eq(attempt_blind(&intent), 4);
	intent.dry_run = true;
	ck_assert_int_eq(attempt_blind(&intent), 4);
	intent.impact = SSD_CHANGES;
	intent.dry_run = false;
	ck_assert_int_eq(attempt_blind(&intent), 0);
}
END_TEST

/* A dry run asks nothing, needs no lock and gives no permit. */
START_TEST(dry_run)
{
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_permit *permit = (struct ssd_permit *)1;
	AUTO_FREE char *lock_file = NULL;
	struct ssd_intent intent;

	simulated("{}");
	intent = destroy();
	intent.dry_run = true;
	ck_assert_int_eq(ssd_permit_get(&intent, &permit, &err), 0);
	ck_assert_ptr_null(permit);
	lock_file = ssd_asprintf("%s/nvme0/.lock", tree_root);
	ck_assert_int_eq(access(lock_file, F_OK), -1);
	intent.confirm = "another";
	ck_assert_int_eq(ssd_permit_get(&intent, &permit, &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
}
END_TEST

START_TEST(identity_is_checked_again)
{
	static const struct {
		const char *host, *drive;
		int rc;
	} rows[] = {
		{SERIAL, SERIAL, 0},
		{SERIAL, "  " SERIAL " ", 0},
		{SERIAL, "CVFT5152003M2P0EGM", -1},
		{SERIAL, "", -1},
		{SERIAL, SERIAL "0", -1},
		{"A\001B", "A?B", 0},
		{"AB", "\001AB\002 ", 0},
		{"AB", "A?B", -1},
	};
	struct ssd_err err = SSD_ERR_INIT;
	struct ssd_intent intent;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ssd_permit *permit = NULL;

		simulated("{}");
		ssd_strcpy(host->drives[0].serial, sizeof(host->drives[0].serial), rows[i].host);
		intent = destroy();
		intent.impact = SSD_CHANGES;
		intent.yes = true;
		ck_assert_int_eq(ssd_permit_get(&intent, &permit, &err), 0);
		ck_assert_msg(ssd_permit_check(permit, rows[i].drive, &err) == rows[i].rc, "row %zu", i);
		if (rows[i].rc)
			ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
		ssd_permit_free(permit);
	}
}
END_TEST

/* --- locks of this machine, in a directory that stands for /run --- */

static int lock(const char *serial, struct ssd_err *err)
{
	int fd = -1;

	*err = (struct ssd_err)SSD_ERR_INIT;
	return safety_lock_at(tree_root, serial, &fd, err) ? -1 : fd;
}

static unsigned mode_of(const char *name)
{
	AUTO_FREE char *path = ssd_asprintf("%s/%s", tree_root, name);
	struct stat st;

	ck_assert_msg(!lstat(path, &st), "%s", path);
	return st.st_mode & 07777;
}

START_TEST(locks_are_private_files_by_serial_number)
{
	struct ssd_err err;
	int a, b;

	tree_new();
	umask(0);
	a = lock("../S 1/%", &err);
	ck_assert_msg(a >= 0, "%s", err.message);
	ck_assert_uint_eq(mode_of("ssdct"), 0700);
	ck_assert_uint_eq(mode_of("ssdct/lock"), 0700);
	ck_assert_uint_eq(mode_of("ssdct/lock/%2E%2E%2FS%201%2F%25"), 0600);
	b = lock("S2", &err);
	ck_assert_msg(b >= 0, "%s", err.message);
	/* The same process does not get it twice either. */
	ck_assert_int_eq(lock("../S 1/%", &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	safety_unlock(&a);
	ck_assert_int_eq(a, -1);
	a = lock("../S 1/%", &err);
	ck_assert_int_ge(a, 0);
	safety_unlock(&a);
	safety_unlock(&b);
}
END_TEST

START_TEST(the_holder_is_named_and_frees_by_dying)
{
	char holder[64];
	struct ssd_err err;
	int ready[2], fd;
	pid_t pid;
	char c;

	tree_new();
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		fd = lock("S1", &err);
		(void)!write(ready[1], fd >= 0 ? "y" : "n", 1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(c, 'y');
	ck_assert_int_eq(lock("S1", &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	snprintf(holder, sizeof(holder), "process %d is changing this drive (", (int)pid);
	ck_assert_msg(strstr(err.message, holder) && strstr(err.message, "test_safety_permit") &&
			      strstr(err.message, "nothing was sent"),
		      "%s", err.message);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fd = lock("S1", &err);
	ck_assert_msg(fd >= 0, "%s", err.message);
	safety_unlock(&fd);
}
END_TEST

/* What somebody else has put there is not used. */
START_TEST(foreign_locks_are_refused)
{
	AUTO_FREE char *dir = NULL, *file = NULL, *target = NULL;
	struct ssd_err err;
	int fd;

	tree_new();
	put_link("ssdct", "/tmp");
	ck_assert_int_eq(lock("S1", &err), -1);

	tree_new();
	put_dir("ssdct/lock");
	dir = ssd_asprintf("%s/ssdct/lock", tree_root);
	chmod(dir, 0777);
	ck_assert_int_eq(lock("S1", &err), -1);
	ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	chmod(dir, 0700);
	fd = lock("S1", &err);
	ck_assert_int_ge(fd, 0);
	safety_unlock(&fd);

	target = ssd_asprintf("%s/target", tree_root);
	file = ssd_asprintf("%s/S2", dir);
	put("", "target", "precious");
	ck_assert_int_eq(symlink(target, file), 0);
	ck_assert_int_eq(lock("S2", &err), -1);
	unlink(file);
	ck_assert_int_eq(link(target, file), 0);
	ck_assert_int_eq(lock("S2", &err), -1);
	unlink(file);
	ck_assert_int_eq(mkfifo(file, 0600), 0);
	ck_assert_int_eq(lock("S2", &err), -1);
	unlink(file);
	if (!geteuid()) {
		ck_assert_int_eq(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
		ck_assert_int_eq(chown(file, 1, 1), 0);
		ck_assert_int_eq(lock("S2", &err), -1);
		ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
		ck_assert_int_eq(chown(dir, 1, 1), 0);
		ck_assert_int_eq(lock("S3", &err), -1);
		ck_assert_int_eq(err.code, SSD_ERR_REFUSED);
	}
}
END_TEST

CHECK_MAIN("safety_permit", the_serial_number_is_typed, without_a_terminal, in_use_or_not_empty, dry_run,
	   identity_is_checked_again, locks_are_private_files_by_serial_number, the_holder_is_named_and_frees_by_dying,
	   foreign_locks_are_refused)
