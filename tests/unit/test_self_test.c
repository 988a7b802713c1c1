/* SPDX-License-Identifier: MIT */
/* Log page 06h by its table; the bytes are libnvme's structs. */
#include "check.h"
#include "page_image.h"

#include <endian.h>
#include <nvme/types.h>

static struct nvme_self_test_log empty(void)
{
	struct nvme_self_test_log log = {0};

	for (unsigned i = 0; i < NVME_LOG_ST_MAX_RESULTS; i++)
		log.result[i].dsts = NVME_ST_RESULT_NOT_USED;
	return log;
}

START_TEST(unused_entries_are_left_out)
{
	struct nvme_self_test_log log = empty();
	const struct ssd_node *n;

	ck_assert_ptr_null(ssd_get(decode(&ssd_page_self_test, &log, sizeof(log)), "results")->child);
	/* Bug 33: unused entries in the midst, by result Fh and by test 0. */
	log.result[1].dsts = 1 << 4;
	log.result[2].dsts = 0;
	log.result[3].dsts = 2 << 4 | 6;
	n = ssd_get(decode(&ssd_page_self_test, &log, sizeof(log)), "results")->child;
	ck_assert_int_eq(ssd_get_int(n, "entry", -1), 1);
	ck_assert_str_eq(ssd_get_str(n, "type.name", ""), "short");
	ck_assert_str_eq(ssd_get_str(n, "result.name", ""), "completed without error");
	n = n->next;
	ck_assert_int_eq(ssd_get_int(n, "entry", -1), 3);
	ck_assert_int_eq(ssd_get_int(n, "result", -1), 6);
	ck_assert_ptr_null(n->next);
	/* A page of zeros has no results either. */
	memset(&log, 0, sizeof(log));
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_self_test, &log, sizeof(log)), "results")->child);
}
END_TEST

START_TEST(running_and_failed)
{
	struct nvme_self_test_log log = empty();
	struct nvme_st_result *r = &log.result[0];
	const struct ssd_node *n;

	log.current_operation = 0xa2; /* the upper half is reserved */
	log.completion = 0x80 | 42;
	*r = (struct nvme_st_result){.dsts = 2 << 4 | 7,
				     .seg = 3,
				     .vdi = 0xf,
				     .poh = htole64(8760),
				     .nsid = htole32(1),
				     .flba = htole64(1234),
				     .sct = 2,
				     .sc = 0x81};
	n = decode(&ssd_page_self_test, &log, sizeof(log));
	ck_assert_str_eq(ssd_get_str(n, "current_operation.name", ""), "extended");
	ck_assert_int_eq(ssd_get_int(n, "completion_percent", -1), 42);
	n = ssd_get(n, "results")->child;
	ck_assert_int_eq(ssd_get_int(n, "segment", -1), 3);
	ck_assert_int_eq(ssd_get_int(n, "power_on_hours", -1), 8760);
	ck_assert_int_eq(ssd_get_int(n, "failing_lba", -1), 1234);
	ck_assert_int_eq(ssd_get_int(n, "status_code_type", -1), 2);
	ck_assert_int_eq(ssd_get_int(n, "status_code", -1), 0x81);
	/* What is not valid is null, whatever its bytes say. */
	r->vdi = 0;
	r->dsts = 2 << 4 | 6;
	log.current_operation = 0;
	n = decode(&ssd_page_self_test, &log, sizeof(log));
	ck_assert_ptr_null(ssd_get(n, "completion_percent"));
	n = ssd_get(n, "results")->child;
	ck_assert_ptr_null(ssd_get(n, "segment"));
	ck_assert_ptr_null(ssd_get(n, "failing_lba"));
	ck_assert_ptr_null(ssd_get(n, "nsid"));
}
END_TEST

/* No byte past the end is read, and half an entry is none. */
START_TEST(short_pages)
{
	struct nvme_self_test_log log = empty();

	log.result[0].dsts = log.result[1].dsts = 1 << 4;
	for (size_t len = 0; len < sizeof(log); len++) {
		const struct ssd_node *n = decode(&ssd_page_self_test, &log, len);

		ck_assert_int_eq(len >= 32, n && ssd_get(n, "results") && ssd_get(n, "results")->child);
	}
	ck_assert_uint_eq(ssd_page_self_test.size, sizeof(log));
}
END_TEST

CHECK_MAIN("self_test", unused_entries_are_left_out, running_and_failed, short_pages)
