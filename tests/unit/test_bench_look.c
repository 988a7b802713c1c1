/* SPDX-License-Identifier: MIT */
/* What ssdct bench reads of sysfs before and after a run. */
#include "check.h"

#include "cmd/bench.h"
#include "scan_tree.h"

/* A file as the kernel writes it (Linux, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats), shortened. */
START_TEST(test_pcie_errors_of_all_kinds)
{
	ck_assert_int_eq(bench_pcie_errors(tree_new()), -1);
	put(".", "aer_dev_correctable", "Receiver Error 2\nBad TLP 1\nTOTAL_ERR_COR 3");
	ck_assert_int_eq(bench_pcie_errors(tree_root), 3);
	put(".", "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 40");
	put(".", "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 500");
	ck_assert_int_eq(bench_pcie_errors(tree_root), 543);
	put(".", "aer_dev_fatal", "TOTAL_ERR_FATALITIES 7");
	ck_assert_int_eq(bench_pcie_errors(tree_root), 43);
}
END_TEST

CHECK_MAIN("bench_look", test_pcie_errors_of_all_kinds)
