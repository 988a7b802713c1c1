/* SPDX-License-Identifier: MIT */
/* All findings: what they are called, how bad they are at worst, what they explain. */
#include "doctor.h"

#define SLOW SSD_DOCTOR_SLOW
#define RISK SSD_DOCTOR_RISK

const struct ssd_doctor_rule ssd_doctor_rules[] = {
	{"health", SSD_CRITICAL, RISK, doctor_health_verdict, "the verdict of ssdct check is not ok"},
	{"temperature", SSD_CRITICAL, SLOW | RISK, doctor_temperature, "the temperature is at a limit"},
	{"throttling", SSD_WARNING, SLOW | RISK, doctor_throttling, "heat has slowed the drive down"},
	{"firmware_advisory", SSD_CRITICAL, RISK, doctor_firmware_advisory, "the firmware is known to be bad"},
	{"firmware_pending", SSD_WARNING, RISK, doctor_firmware_pending, "new firmware waits for a reset"},
	{"pcie_speed", SSD_WARNING, SLOW, doctor_pcie_speed, "the link is slower than its two ends can do"},
	{"pcie_width", SSD_WARNING, SLOW, doctor_pcie_width, "the link is narrower than its two ends can do"},
	{"pcie_slot", SSD_WARNING, SLOW, doctor_pcie_slot, "the slot can do less than the drive"},
	{"pcie_upstream", SSD_WARNING, SLOW, doctor_pcie_upstream, "a link above can do less than the drive's own"},
	{"pcie_errors", SSD_WARNING, SLOW | RISK, doctor_pcie_errors, "the link has had errors"},
	{"pcie_aspm", SSD_WARNING, SLOW | RISK, doctor_pcie_aspm, "the link sleeps when idle"},
	{"pcie_sleep", SSD_INFO, SLOW | RISK, doctor_pcie_sleep, "the function may be suspended at run time"},
	{"power_state", SSD_WARNING, SLOW, doctor_power_state, "the drive is held below its full power"},
	{"power_governor", SSD_WARNING, SLOW, doctor_power_governor, "the vendor's power governor limits the drive"},
	{"apst", SSD_INFO, SLOW | RISK, doctor_apst, "the drive puts itself to sleep when idle"},
	{"driver", SSD_INFO, SLOW, doctor_driver, "the driver is not nvme"},
	{"scheduler", SSD_WARNING, SLOW, doctor_scheduler, "an I/O scheduler is in use"},
	{"read_ahead", SSD_WARNING, SLOW, doctor_read_ahead, "read-ahead is unusually small or large"},
	{"rq_affinity", SSD_WARNING, SLOW, doctor_rq_affinity, "requests complete on other CPUs"},
	{"max_sectors", SSD_INFO, SLOW, doctor_max_sectors, "requests are cut smaller than the drive takes them"},
	{"queue_count", SSD_INFO, SLOW, doctor_queue_count, "there are fewer I/O queues than CPUs"},
	{"interrupts", SSD_WARNING, SLOW, doctor_interrupts, "interrupts go to few CPUs"},
	{"numa", SSD_INFO, SLOW, doctor_numa, "some CPUs are far from the drive"},
	{"cpu_governor", SSD_WARNING, SLOW, doctor_cpu_governor, "CPUs do not run at full frequency"},
	{"cpu_idle", SSD_INFO, SLOW, doctor_cpu_idle, "idle CPUs take long to wake"},
	{"block_format", SSD_INFO, SLOW, doctor_block_format, "blocks of 512 bytes where the drive prefers 4096"},
	{"partition_alignment", SSD_WARNING, SLOW, doctor_alignment, "a partition begins within a block"},
	{"trim", SSD_WARNING, SLOW | RISK, doctor_trim, "nobody tells the drive what was deleted"},
	{"write_cache", SSD_WARNING, RISK, doctor_write_cache, "a volatile write cache, and power that was lost"},
	{"flush", SSD_WARNING, RISK, doctor_flush, "a volatile write cache that the kernel does not flush"},
	{"md_bitmap", SSD_WARNING, SLOW | RISK, doctor_md_bitmap, "an md array without bitmap, or with a fine one"},
	{"md_stripe_cache", SSD_INFO, SLOW, doctor_md_stripe_cache, "the stripe cache of an md array is small"},
	{"zfs_ashift", SSD_WARNING, SLOW, doctor_zfs_ashift, "a ZFS pool writes less than a block at once"},
	{"virtual_machine", SSD_INFO, SLOW, doctor_virtual_machine, "this host is a virtual machine"},
	{NULL, SSD_OK, 0, NULL, NULL},
};

const struct ssd_doctor_rule ssd_doctor_host_rules[] = {
	{"passed_through", SSD_INFO, RISK, doctor_passed_through, "a drive belongs to a guest"},
	{"no_driver", SSD_WARNING, RISK, doctor_no_driver, "a drive has no driver"},
	{"other_driver", SSD_INFO, RISK, doctor_other_driver, "a drive belongs to a program"},
	{NULL, SSD_OK, 0, NULL, NULL},
};
