/* SPDX-License-Identifier: MIT */
/* Namespace Management and Attachment on a simulated drive, and what Identify says of it. */
#include "sim_admin.h"

#define MANAGE 0x0d
#define ATTACHMENT 0x15
enum { ALL = 0xffffffff, CREATE = 0, DELETE = 1, ATTACH = 0, DETACH = 1 };
#define MB (1u << 20)

/* Two namespaces of 8000 blocks, and 16 MiB that belong to none; NSIDs up to 4. */
static char *drive(const char *json)
{
	char *host = admin_drive((struct admin_ctrl){.oaes = 0x100, .unallocated = 16 * MB}, json);
	uint8_t list[4096] = {0};

	sim_put(host, "log-04.bin", list, sizeof(list));
	return host;
}

struct wish {
	uint64_t nsze, ncap;
	uint8_t flbas, dps, nmic;
	uint32_t nsid; /* CDW1, reserved */
};

/* Returns the status; *nsid is what the drive says. */
static int create(struct ssd_transport *t, struct wish w, uint32_t *nsid)
{
	uint8_t data[4096] = {0};
	struct sim_answer a;
	int rc;

	ssd_put_le(data, 8, w.nsze);
	ssd_put_le(data + 8, 8, w.ncap);
	data[26] = w.flbas;
	data[29] = w.dps;
	data[30] = w.nmic;
	rc = sim_send(t,
		      (struct ssd_cmd){.opcode = MANAGE,
				       .nsid = w.nsid,
				       .data = data,
				       .data_len = sizeof(data),
				       .direction = SSD_DATA_TO_DRIVE},
		      &a);
	*nsid = (uint32_t)a.result;
	return rc;
}

static int attach(struct ssd_transport *t, uint32_t nsid, uint32_t select, unsigned count, const uint16_t *ids)
{
	uint8_t list[4096] = {0};
	struct sim_answer a;

	ssd_put_le(list, 2, count);
	for (unsigned i = 0; i < count && i < 2; i++)
		ssd_put_le(list + 2 + 2 * i, 2, ids[i]);
	return sim_send(t,
			(struct ssd_cmd){.opcode = ATTACHMENT,
					 .nsid = nsid,
					 .cdw10 = select,
					 .data = list,
					 .data_len = sizeof(list),
					 .direction = SSD_DATA_TO_DRIVE},
			&a);
}

static int attach_here(struct ssd_transport *t, uint32_t nsid, uint32_t select)
{
	return attach(t, nsid, select, 1, (const uint16_t[]){0});
}

/* "1 2 /3": a list of NSIDs, or of controllers with two bytes each behind their number. */
static const char *list(struct ssd_transport *t, uint8_t cns, uint32_t nsid)
{
	static char text[4][128];
	static unsigned turn;
	char *out = text[turn++ % 4];
	struct sim_answer a;
	int rc = sim_identify_cmd(t, cns, nsid, &a);
	unsigned n = 0, width = cns == 0x12 || cns == 0x13 ? 2 : 4;

	*out = '\0';
	if (rc)
		snprintf(out, sizeof(text[0]), "%04x", (unsigned)rc);
	if (!rc && width == 2)
		for (; n < ssd_le16(a.data); n++)
			snprintf(out + strlen(out), 16, "%s%u", n ? " " : "", ssd_le16(a.data + 2 + 2 * n));
	if (!rc && width == 4)
		for (; ssd_le32(a.data + 4 * n); n++)
			snprintf(out + strlen(out), 16, "%s%u", n ? " " : "", ssd_le32(a.data + 4 * n));
	return out;
}

static uint64_t unallocated(struct ssd_transport *t)
{
	struct sim_answer a;

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &a), 0);
	return ssd_le64(a.data + 296);
}

static const char *changed(struct ssd_transport *t)
{
	static char text[64];
	struct sim_answer a;

	*text = '\0';
	ck_assert_int_eq(sim_log(t, 4, 4096, &a), 0); /* RAE is clear */
	for (unsigned n = 0; ssd_le32(a.data + 4 * n); n++)
		snprintf(text + strlen(text), 16, "%s%u", n ? " " : "", ssd_le32(a.data + 4 * n));
	return text;
}

START_TEST(from_nothing_to_data)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;
	uint32_t nsid;

	ck_assert_str_eq(list(t, 2, 0), "1 2");
	ck_assert_str_eq(list(t, 0x10, 0), "1 2");
	ck_assert_int_eq(create(t, (struct wish){1024, 1024, 2}, &nsid), 0);
	ck_assert_uint_eq(nsid, 3);
	/* Allocated, and not attached. */
	ck_assert_str_eq(list(t, 2, 0), "1 2");
	ck_assert_str_eq(list(t, 0x10, 0), "1 2 3");
	ck_assert_str_eq(list(t, 0x10, 2), "3");
	ck_assert_str_eq(list(t, 0x12, 3), "");
	ck_assert_str_eq(geometry(t, 3), "0 00 00 00");
	ck_assert_int_eq(sim_identify_cmd(t, 0x11, 3, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data), 1024);
	ck_assert_uint_eq(a.data[26], 2);
	ck_assert_uint_eq(ssd_le64(a.data + 48), 4 * MB);
	ck_assert_uint_eq(unallocated(t), 12 * MB);
	ck_assert_int_eq(sim_identify_cmd(t, 3, 3, &a), 0x400b);
	ck_assert_int_eq(write_block(t, 3, 0, 4096, 7), 0x400b);
	ck_assert_str_eq(changed(t), "");

	ck_assert_int_eq(attach_here(t, 3, ATTACH), 0);
	ck_assert_str_eq(list(t, 2, 0), "1 2 3");
	ck_assert_str_eq(list(t, 0x12, 3), "0");
	ck_assert_str_eq(geometry(t, 3), "1024 02 00 80");
	ck_assert_int_eq(sim_identify_cmd(t, 3, 3, &a), 0);
	ck_assert_uint_eq(a.data[0], 1);
	ck_assert_str_eq(changed(t), "3");
	ck_assert_str_eq(changed(t), "");
	ck_assert_int_eq(write_block(t, 3, 1023, 4096, 7), 0);

	/* Taken away and given back: the data are still there. */
	ck_assert_int_eq(attach_here(t, 3, DETACH), 0);
	ck_assert_int_eq(read_block(t, 3, 1023, 4096), -0x400b);
	ck_assert_int_eq(attach_here(t, 3, ATTACH), 0);
	ck_assert_int_eq(read_block(t, 3, 1023, 4096), 7);

	ck_assert_int_eq(admin(t, MANAGE, 3, DELETE), 0);
	ck_assert_str_eq(list(t, 2, 0), "1 2");
	ck_assert_str_eq(list(t, 0x10, 0), "1 2");
	ck_assert_uint_eq(unallocated(t), 16 * MB);
	ck_assert_str_eq(changed(t), "3");
	ck_assert_int_eq(create(t, (struct wish){1024, 1024, 2}, &nsid), 0);
	ck_assert_int_eq(attach_here(t, nsid, ATTACH), 0);
	ck_assert_int_eq(read_block(t, 3, 1023, 4096), 0);
}
END_TEST

/* A namespace that was there from the beginning. */
START_TEST(detach_and_attach_the_first)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(write_block(t, 1, 5, 512, 9), 0);
	ck_assert_int_eq(attach_here(t, 1, DETACH), 0);
	ck_assert(!sim_has(host, "id-ns-1.bin"));
	ck_assert_str_eq(list(t, 2, 0), "2");
	ck_assert_str_eq(list(t, 0x10, 0), "1 2");
	ck_assert_int_eq(attach_here(t, 1, DETACH), 0x411a);
	/* It is formatted while it is away. */
	ck_assert_int_eq(admin(t, 0x80, 1, 2), 0);
	ck_assert_int_eq(attach_here(t, 1, ATTACH), 0);
	ck_assert_str_eq(geometry(t, 1), "1000 02 00 80");
	ck_assert_int_eq(attach_here(t, 1, ATTACH), 0x4118);
	ck_assert_int_eq(read_block(t, 1, 5, 4096), 0);
}
END_TEST

START_TEST(delete_all_and_make_anew)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	uint32_t nsid;

	ck_assert_int_eq(admin(t, MANAGE, 3, DELETE), 0x400b);
	ck_assert_int_eq(admin(t, MANAGE, 0, DELETE), 0x400b);
	ck_assert_int_eq(admin(t, MANAGE, ALL, DELETE), 0);
	ck_assert_str_eq(list(t, 0x10, 0), "");
	ck_assert_str_eq(changed(t), "1 2");
	ck_assert_uint_eq(unallocated(t), 16 * MB + 2 * BLOCKS * 512);
	ck_assert_int_eq(admin(t, MANAGE, ALL, DELETE), 0);
	/* All of it, block-exact. */
	ck_assert_int_eq(create(t, (struct wish){48769, 48769, 0}, &nsid), 0x4115);
	ck_assert_int_eq(create(t, (struct wish){48768, 48768, 0}, &nsid), 0);
	ck_assert_uint_eq(nsid, 1);
	ck_assert_uint_eq(unallocated(t), 0);
	ck_assert_int_eq(attach_here(t, 1, ATTACH), 0);
	ck_assert_str_eq(geometry(t, 1), "48768 00 00 80");
}
END_TEST

static const struct {
	struct wish wish;
	int status;
} wishes[] = {
	{{1024, 1024, 2}, 0},
	{{1024, 1024, 0x13, 1}, 0},
	{{0, 0, 2}, 0x4002},
	{{1024, 1025, 2}, 0x4002},
	{{1024, 1023, 2}, 0x411b},
	{{4097, 4097, 2}, 0x4115},
	{{1ull << 60, 1ull << 60, 2}, 0x4115},
	{{1024, 1024, 9}, 0x410a},
	{{1024, 1024, 4}, 0x410a},
	{{1024, 1024, 3}, 0x410a},
	{{1024, 1024, 2, 1}, 0x410a},
	{{1024, 1024, 2, 0, 0, 1}, 0x4002},
};

START_TEST(what_can_be_created)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	uint32_t nsid;

	ck_assert_int_eq(create(t, wishes[_i].wish, &nsid), wishes[_i].status);
	ck_assert_str_eq(list(t, 0x10, 0), wishes[_i].status ? "1 2" : "1 2 3");
	if (wishes[_i].status)
		ck_assert_uint_eq(unallocated(t), 16 * MB);
}
END_TEST

START_TEST(numbers_run_out)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);
	uint32_t nsid;

	ck_assert_int_eq(create(t, (struct wish){8, 8, 0}, &nsid), 0);
	ck_assert_int_eq(create(t, (struct wish){8, 8, 0}, &nsid), 0);
	ck_assert_uint_eq(nsid, 4);
	ck_assert_int_eq(create(t, (struct wish){8, 8, 0}, &nsid), 0x4116);
	ck_assert_int_eq(admin(t, MANAGE, 1, DELETE), 0);
	ck_assert_int_eq(create(t, (struct wish){8, 8, 0}, &nsid), 0);
	ck_assert_uint_eq(nsid, 1);
	ck_assert_int_eq(admin(t, MANAGE, 1, 2), 0x4002);
}
END_TEST

START_TEST(whole_units)
{
	AUTO_DIR char *host = drive("{\"namespace_management\": {\"granularity_bytes\": 1048576}}");
	AUTO_SIM t = sim_open(host, true);
	struct sim_answer a;
	uint32_t nsid;

	ck_assert_int_eq(create(t, (struct wish){257, 257, 2}, &nsid), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 0x11, nsid, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data), 257);
	ck_assert_uint_eq(ssd_le64(a.data + 48), 2 * MB);
	ck_assert_uint_eq(unallocated(t), 14 * MB);
	/* A format does not make it larger than it was asked for. */
	ck_assert_int_eq(admin(t, 0x80, nsid, 0), 0);
	ck_assert_int_eq(sim_identify_cmd(t, 0x11, nsid, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data), 257 * 8);
	ck_assert_int_eq(sim_identify_cmd(t, 0x16, 0, &a), 0);
	ck_assert_uint_eq(ssd_le64(a.data + 32), MB);
}
END_TEST

START_TEST(bad_lists)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM t = sim_open(host, true);

	ck_assert_int_eq(attach(t, 1, DETACH, 0, NULL), 0x411c);
	ck_assert_int_eq(attach(t, 1, DETACH, 2048, (const uint16_t[]){0, 1}), 0x411c);
	ck_assert_int_eq(attach(t, 1, DETACH, 1, (const uint16_t[]){5}), 0x411c);
	ck_assert_int_eq(attach(t, 1, DETACH, 2, (const uint16_t[]){0, 0}), 0x411c);
	ck_assert_int_eq(attach_here(t, 3, ATTACH), 0x400b);
	ck_assert_int_eq(attach_here(t, ALL, ATTACH), 0x400b);
	ck_assert_int_eq(attach_here(t, 1, 2), 0x4002);
	ck_assert_str_eq(list(t, 2, 0), "1 2");
}
END_TEST

/* Another controller with CNTLID 1. */
static void add_twin(const char *host)
{
	AUTO_FREE char *command = ssd_asprintf("cp -r %s/nvme0 %s/nvme1 && printf '\\001' | dd of=%s/nvme1/id-ctrl.bin "
					       "bs=1 seek=78 conv=notrunc 2>/dev/null",
					       host, host, host);

	ck_assert_int_eq(system(command), 0);
}

START_TEST(private_and_shared)
{
	AUTO_DIR char *host = drive("{}");
	AUTO_SIM other = NULL;
	AUTO_SIM t = NULL;
	uint32_t nsid;

	add_twin(host);
	t = sim_open(host, true);
	other = ssd_sim_open(host, "nvme1", true, NULL);
	ck_assert_str_eq(list(t, 0x13, 0), "0 1");
	ck_assert_str_eq(list(other, 0x12, 1), "0 1");
	ck_assert_int_eq(create(other, (struct wish){1024, 1024, 2}, &nsid), 0);
	ck_assert_uint_eq(unallocated(t), 12 * MB);
	ck_assert_int_eq(attach(t, 3, ATTACH, 2, (const uint16_t[]){0, 1}), 0x4119);
	ck_assert_int_eq(attach(t, 3, ATTACH, 1, (const uint16_t[]){1}), 0);
	ck_assert_int_eq(attach(other, 3, ATTACH, 1, (const uint16_t[]){0}), 0x4119);
	ck_assert_str_eq(list(t, 2, 0), "1 2");
	ck_assert_str_eq(list(t, 0x10, 0), "1 2 3");
	ck_assert_str_eq(list(other, 2, 0), "1 2 3");
	ck_assert_str_eq(changed(t), "");
	ck_assert_str_eq(changed(other), "3");
	ck_assert_int_eq(create(t, (struct wish){1024, 1024, 2, .nmic = 1}, &nsid), 0);
	ck_assert_int_eq(attach(t, 4, ATTACH, 2, (const uint16_t[]){0, 1}), 0);
	ck_assert_int_eq(write_block(t, 4, 3, 4096, 6), 0);
	ck_assert_int_eq(read_block(other, 4, 3, 4096), 6);
	ck_assert_str_eq(list(other, 0x12, 4), "0 1");
	ck_assert_int_eq(admin(t, MANAGE, 4, DELETE), 0);
	ck_assert_str_eq(list(other, 2, 0), "1 2 3");
	ck_assert_str_eq(changed(other), "4");
}
END_TEST

START_TEST(not_on_every_drive)
{
	AUTO_DIR char *host = admin_drive((struct admin_ctrl){.base.oacs = 6}, "{}");
	AUTO_SIM t = sim_open(host, true);
	uint32_t nsid;

	ck_assert_int_eq(create(t, (struct wish){8, 8, 0}, &nsid), 0x4001);
	ck_assert_int_eq(attach_here(t, 1, DETACH), 0x4001);
	ck_assert_str_eq(list(t, 0x10, 0), "4002");
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {from_nothing_to_data,
				      detach_and_attach_the_first,
				      delete_all_and_make_anew,
				      numbers_run_out,
				      whole_units,
				      bad_lists,
				      private_and_shared,
				      not_on_every_drive};
	const struct check_loop loops[] = {{what_can_be_created, ARRAY_SIZE(wishes)}};

	return admin_main("sim_namespaces", plain, ARRAY_SIZE(plain), loops, ARRAY_SIZE(loops));
}
