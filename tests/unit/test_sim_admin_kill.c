/* SPDX-License-Identifier: MIT */
/*
 * A process that is killed, or has no room to write, at any point of a command that changes a drive leaves it as it was
 * or as it was to be, never something between, whichever controller is asked, and the drive goes on working.
 */
#include "sim_admin.h"
#include "sim_trap.h"

enum { ALL = 0xffffffff };

static const char json[] = "{\"features\": {\"0x02\": 0, \"0xc1\": 7999}, \"max_lba\": {\"unit\": \"last_lba\"}}";

static int with_data(struct ssd_transport *t, uint8_t opcode, uint32_t nsid, uint32_t cdw10, uint64_t first,
		     uint64_t second)
{
	uint8_t data[4096] = {0};
	struct sim_answer a;

	ssd_put_le(data, 8, first);
	ssd_put_le(data + 8, 8, second);
	return sim_send(t,
			(struct ssd_cmd){.opcode = opcode,
					 .nsid = nsid,
					 .cdw10 = cdw10,
					 .data = data,
					 .data_len = sizeof(data),
					 .direction = SSD_DATA_TO_DRIVE},
			&a);
}

static int do_format(struct ssd_transport *t)
{
	return admin(t, 0x80, ALL, 2);
}

static int do_sanitize(struct ssd_transport *t)
{
	return admin(t, 0x84, 0, 2);
}

static int do_create(struct ssd_transport *t)
{
	return with_data(t, 0x0d, 0, 0, 1024, 1024);
}

static int do_delete(struct ssd_transport *t)
{
	return admin(t, 0x0d, 1, 1);
}

static int do_detach(struct ssd_transport *t)
{
	return with_data(t, 0x15, 2, 1, 1, 0); /* one controller, CNTLID 0 */
}

static int do_attach(struct ssd_transport *t)
{
	return with_data(t, 0x15, 3, 0, 1, 0);
}

static int do_selftest(struct ssd_transport *t)
{
	return admin(t, 0x14, ALL, 1);
}

static int do_buffer(struct ssd_transport *t)
{
	return with_data(t, 0x09, 0, 0x81, 0x1111111111111111, 0);
}

static int (*const changes[])(struct ssd_transport *t) = {do_format, do_sanitize, do_create,   do_delete,
							  do_detach, do_attach,   do_selftest, do_buffer};

/* Namespaces 1 and 2 with data, 3 allocated; and a second controller of the same drive. */
static char *prepared(void)
{
	char *host = admin_drive((struct admin_ctrl){.sanicap = 2, .oaes = 0x100, .unallocated = 16 << 20}, json);
	AUTO_FREE char *command = ssd_asprintf("cp -r %s/nvme0 %s/nvme1", host, host);
	uint8_t page[4096] = {0};
	AUTO_SIM t = NULL;

	sim_put(host, "log-04.bin", page, 4096);
	sim_put(host, "log-06.bin", page, 564);
	sim_put(host, "log-81.bin", page, 512);
	sim_put(host, "feature-81.bin", page, 8);
	ck_assert_int_eq(system(command), 0);
	t = sim_open(host, true);
	ck_assert_int_eq(do_create(t), 0);
	for (uint32_t nsid = 1; nsid <= 2; nsid++)
		ck_assert_int_eq(write_block(t, nsid, 0, 512, (uint8_t)nsid), 0);
	return host;
}

static void add(char *text, size_t size, const char *what, struct ssd_transport *t, struct ssd_cmd cmd)
{
	struct sim_answer a;
	int rc = sim_send(t, cmd, &a);
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; !rc && i < cmd.data_len; i++)
		hash = (hash ^ a.data[i]) * 16777619u;
	snprintf(text + strlen(text), size - strlen(text), " %s=%04x:%08x", what, (unsigned)rc, rc ? 0 : hash);
}

/* All that the controller says of what may have changed. Reading it changes nothing: RAE is set. */
static char *says(const char *host, const char *controller, bool own)
{
	AUTO_SIM t = ssd_sim_open(host, controller, true, NULL);
	char *text = ssd_calloc(2048, 1);
	static const uint8_t logs[] = {0x04, 0x06, 0x81};

	for (uint32_t nsid = 1; nsid <= 4; nsid++) {
		if (own)
			add(text, 2048, "ns", t, (struct ssd_cmd){.opcode = 6, .nsid = nsid, .data_len = 4096});
		add(text, 2048, "all", t, (struct ssd_cmd){.opcode = 6, .nsid = nsid, .cdw10 = 0x11, .data_len = 4096});
		if (nsid < 3)
			snprintf(text + strlen(text), 32, " data=%d", read_block(t, nsid, 0, 512));
	}
	add(text, 2048, "list", t, (struct ssd_cmd){.opcode = 6, .cdw10 = 0x10, .data_len = 4096});
	add(text, 2048, "id", t, (struct ssd_cmd){.opcode = 6, .cdw10 = 1, .data_len = 4096});
	for (size_t i = 0; own && i < sizeof(logs); i++)
		add(text, 2048, "log", t,
		    (struct ssd_cmd){
			    .opcode = 2, .nsid = ALL, .cdw10 = logs[i] | 127 << 16 | 1 << 15, .data_len = 512});
	if (own)
		add(text, 2048, "feature", t, (struct ssd_cmd){.opcode = 10, .cdw10 = 0x81, .data_len = 8});
	return text;
}

/* Through the second controller, where it comes to the same. */
static const char *actor(size_t i)
{
	return changes[i] == do_format || changes[i] == do_sanitize || changes[i] == do_delete ? "nvme1" : "nvme0";
}

static bool survives(const char *host, size_t i, unsigned n, bool full)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		AUTO_SIM t = ssd_sim_open(host, actor(i), true, NULL);
		int rc;

		trap.full = full;
		trap.left = n;
		rc = changes[i](t);
		_exit(rc == -ENOSPC ? 77 : rc != 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert(WEXITSTATUS(status) == 77 || !WEXITSTATUS(status));
	return !WEXITSTATUS(status);
}

static void check(bool full, size_t i)
{
	AUTO_DIR char *done = prepared();
	AUTO_FREE char *before = says(done, "nvme0", true), *before_other = says(done, "nvme1", false);
	AUTO_FREE char *after = NULL, *after_other = NULL;
	bool survived = false, seen[2] = {false};
	unsigned n = 1;

	ck_assert(survives(done, i, 0, false));
	after = says(done, "nvme0", true);
	after_other = says(done, "nvme1", false);
	ck_assert_str_ne(before, after);
	for (; !survived; n++) {
		AUTO_DIR char *host = prepared();
		AUTO_FREE char *said = NULL, *other = NULL;
		AUTO_SIM t = NULL;

		ck_assert_uint_lt(n, 200);
		survived = survives(host, i, n, full);
		/* The one that did not act is asked first: it must finish what the other has begun. */
		other = says(host, "nvme1", false);
		said = says(host, "nvme0", true);
		ck_assert_msg(!strcmp(said, before) || !strcmp(said, after), "call %u: %s\nnot  %s\nnor  %s", n, said,
			      before, after);
		ck_assert_str_eq(other, !strcmp(said, before) ? before_other : after_other);
		seen[!strcmp(said, after)] = true;
		t = sim_open(host, true);
		ck_assert_int_eq(do_format(t), 0);
		ck_assert_str_eq(geometry(t, 2),
				 changes[i] == do_detach && !strcmp(said, after) ? "0 00 00 00" : "1000 02 00 80");
	}
	ck_assert(seen[0] && seen[1]);
}

START_TEST(killed_anywhere)
{
	check(false, (size_t)_i);
}
END_TEST

START_TEST(no_room_anywhere)
{
	check(true, (size_t)_i);
}
END_TEST

int main(void)
{
	const struct check_loop loops[] = {{killed_anywhere, ARRAY_SIZE(changes)},
					   {no_room_anywhere, ARRAY_SIZE(changes)}};

	return admin_main("sim_admin_kill", NULL, 0, loops, ARRAY_SIZE(loops));
}
