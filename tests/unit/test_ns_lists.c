/* SPDX-License-Identifier: MIT */
/* The lists of namespaces and controllers: whole, cut off, out of order, refused. */
#include "check.h"

#include <ssdct/admin.h>
#include <ssdct/le.h>

#define INVALID_FIELD 0x4002
#define INTERNAL_ERROR 0x0006

/* A drive that answers Identify with `pages`, one after another, or with a status; `sent` bytes of each arrive. */
struct fake {
	struct ssd_transport base;
	uint8_t pages[3][4096];
	size_t sent;
	uint16_t status;
	unsigned n;
	uint32_t nsids[4];
};

static int submit(struct ssd_transport *t, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct fake *f = (struct fake *)t;

	ck_assert_uint_lt(f->n, ARRAY_SIZE(f->pages));
	f->nsids[f->n] = cmd->nsid;
	if (!f->status)
		memcpy(cmd->data, f->pages[f->n], f->sent);
	f->n++;
	*cpl = (struct ssd_cpl){.status = f->status};
	return 0;
}

static struct ssd_namespace kernels[2] = {{.nsid = 3}, {.nsid = 9}};
static struct ssd_host host = {.backend = SSD_BACKEND_LINUX};
static struct ssd_drive drive = {.device = "nvme0", .host = &host, .namespaces = kernels, .n_namespaces = 2};
static uint8_t id_ctrl[4096];
static struct ssd_err err;
static struct fake f;

static struct ssd_device *device(void)
{
	static struct ssd_device dev;

	dev = (struct ssd_device){
		.drive = &drive, .transport = &f.base, .id_ctrl = id_ctrl, .id_ctrl_len = sizeof(id_ctrl)};
	f.base.submit = submit;
	f.n = 0;
	err = (struct ssd_err)SSD_ERR_INIT;
	return &dev;
}

static void setup(void)
{
	f = (struct fake){.sent = 4096};
	memset(id_ctrl, 0, sizeof(id_ctrl));
	ssd_put_le(id_ctrl + 80, 4, 0x10400); /* VER */
	ssd_put_le(id_ctrl + 78, 2, 5);       /* CNTLID */
}

/* Fills page k with n NSIDs from `first` on. */
static void put_nsids(unsigned k, uint32_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ssd_put_le(f.pages[k] + 4 * i, 4, first + i);
}

/* --- NSIDs --- */

START_TEST(one_page)
{
	struct ssd_nsids list;

	setup();
	put_nsids(0, 7, 3);
	ck_assert_int_eq(ssd_nsids_allocated(device(), &list, &err), 0);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_eq(list.v[2], 9);
	ssd_nsids_free(&list);
	setup();
	ck_assert_int_eq(ssd_nsids_attached(device(), &list, &err), 0);
	ck_assert_uint_eq(list.n, 0); /* a drive without any; not the kernel's */
}
END_TEST

/* A full page may be all there is: only the next one tells. */
START_TEST(many_pages)
{
	struct ssd_nsids list;

	setup();
	put_nsids(0, 1, 1024);
	put_nsids(1, 2000, 1024);
	ck_assert_int_eq(ssd_nsids_attached(device(), &list, &err), 0);
	ck_assert_uint_eq(list.n, 2048);
	ck_assert_uint_eq(list.v[2047], 3023);
	ck_assert_uint_eq(f.n, 3);
	ck_assert_uint_eq(f.nsids[0], 0);
	ck_assert_uint_eq(f.nsids[1], 1024);
	ck_assert_uint_eq(f.nsids[2], 3023);
	ssd_nsids_free(&list);
}
END_TEST

static void check_not_written(const struct ssd_nsids *list, int rc)
{
	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(err.code, SSD_ERR_NOT_WRITTEN);
	ck_assert_ptr_null(list->v);
	ck_assert(!ssd_is_missing(&err));
}

START_TEST(no_list)
{
	static const uint32_t wrong[][2] = {{2, 1}, {2, 2}, {1, 0xffffffff}, {1, 0xfffffffe}};
	struct ssd_nsids list;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		setup();
		ssd_put_le(f.pages[0], 4, wrong[i][0]);
		ssd_put_le(f.pages[0] + 4, 4, wrong[i][1]);
		check_not_written(&list, ssd_nsids_attached(device(), &list, &err));
		check_not_written(&list, ssd_nsids_allocated(device(), &list, &err));
	}
	/* The second page goes back to the first one, as of a drive that ignores where to begin. */
	setup();
	put_nsids(0, 1, 1024);
	put_nsids(1, 1, 1024);
	check_not_written(&list, ssd_nsids_allocated(device(), &list, &err));
	/* What has arrived ends with zeros, and is not the end of the list. */
	setup();
	put_nsids(0, 1, 2);
	f.sent = 64;
	check_not_written(&list, ssd_nsids_attached(device(), &list, &err));
}
END_TEST

START_TEST(kernels_list)
{
	struct ssd_nsids list;

	setup();
	f.status = INVALID_FIELD;
	ck_assert_int_eq(ssd_nsids_attached(device(), &list, &err), 0);
	ck_assert_uint_eq(list.n, 2);
	ck_assert_uint_eq(list.v[1], 9);
	ssd_nsids_free(&list);
	ck_assert_int_eq(ssd_nsids_allocated(device(), &list, &err), -1);
	ck_assert(ssd_is_missing(&err));
	/* NVMe 1.0 is not asked. */
	setup();
	ssd_put_le(id_ctrl + 80, 4, 0);
	ck_assert_int_eq(ssd_nsids_attached(device(), &list, &err), 0);
	ck_assert_uint_eq(list.n, 2);
	ck_assert_uint_eq(f.n, 0);
	ssd_nsids_free(&list);
	/* A drive in trouble has not said that it has no list. */
	setup();
	f.status = INTERNAL_ERROR;
	ck_assert_int_eq(ssd_nsids_attached(device(), &list, &err), -1);
	ck_assert_int_eq(err.nvme_status, INTERNAL_ERROR);
}
END_TEST

/* --- controllers --- */

START_TEST(controllers)
{
	struct ssd_controllers list;

	setup();
	ssd_put_le(f.pages[0], 2, 2);
	ssd_put_le(f.pages[0] + 4, 2, 0x1234); /* the first one is controller 0 */
	ck_assert_int_eq(ssd_controllers_of(device(), 7, true, &list, &err), 0);
	ck_assert_uint_eq(f.nsids[0], 7);
	ck_assert_uint_eq(list.n, 2);
	ck_assert(ssd_has_controller(&list, 0));
	ck_assert(ssd_has_controller(&list, 0x1234));
	ck_assert(!ssd_has_controller(&list, 5));
	ssd_put_le(f.pages[0], 2, 2047);
	ssd_put_le(f.pages[0] + 4094, 2, 0xfffe);
	ck_assert_int_eq(ssd_controllers_all(device(), &list, &err), 0);
	ck_assert_uint_eq(list.ids[2046], 0xfffe);
}
END_TEST

/* Fewer bytes than the number says, or more controllers than a list has room for: nobody may be taken for nobody. */
START_TEST(controllers_cut_off)
{
	static const struct {
		unsigned n;
		size_t sent;
	} rows[] = {{1, 1}, {0, 1}, {2, 5}, {3, 4}, {2048, 4096}, {65535, 4096}};
	struct ssd_controllers list;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup();
		memset(f.pages[0], 1, 4096);
		ssd_put_le(f.pages[0], 2, rows[i].n);
		f.sent = rows[i].sent;
		ck_assert_int_eq(ssd_controllers_of(device(), 1, true, &list, &err), -1);
		ck_assert_int_eq(err.code, SSD_ERR_NOT_WRITTEN);
		ck_assert_int_eq(ssd_controllers_all(device(), &list, &err), -1);
		ck_assert_int_eq(err.code, SSD_ERR_NOT_WRITTEN);
	}
}
END_TEST

/* CMIC bit 1 clear: one controller. Set, or not read: unknown. */
START_TEST(nobody_else)
{
	struct ssd_controllers list;
	struct ssd_device *dev;

	setup();
	f.status = INVALID_FIELD;
	ck_assert_int_eq(ssd_controllers_of(device(), 1, true, &list, &err), 0);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.ids[0], 5);
	ck_assert_int_eq(ssd_controllers_of(device(), 1, false, &list, &err), 0);
	ck_assert_uint_eq(list.n, 0);
	dev = device();
	dev->id_ctrl_len = 76;
	ck_assert_int_eq(ssd_controllers_of(dev, 1, true, &list, &err), -1);
	id_ctrl[76] = 2;
	ck_assert_int_eq(ssd_controllers_of(device(), 1, true, &list, &err), -1);
	ck_assert(ssd_is_missing(&err));
	id_ctrl[76] = 0xd;
	ck_assert_int_eq(ssd_controllers_of(device(), 1, true, &list, &err), 0);
	f.status = INTERNAL_ERROR;
	ck_assert_int_eq(ssd_controllers_of(device(), 1, true, &list, &err), -1);
	ck_assert(!ssd_is_missing(&err));
}
END_TEST

CHECK_MAIN("ns_lists", one_page, many_pages, no_list, kernels_list, controllers, controllers_cut_off, nobody_else)
