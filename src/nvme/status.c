/* SPDX-License-Identifier: MIT */
/*
 * Status codes: NVM Express Base Specification 2.0c, figures 95 (generic), 97 and 98 (command specific), 101 (media and
 * data integrity) and 102 (path related); NVM Command Set Specification 1.0c, figures 15 to 17; Zoned Namespace Command
 * Set Specification 1.1c for 1B8h to 1BFh; Key Value Command Set Specification 1.0c for 085h to 089h.
 * Codes 180h to 183h mean something else in Fabrics commands, which ssdct never sends.
 */
#include <ssdct/status.h>

#define HOST SSD_STATUS_HOST, false
#define LATER SSD_STATUS_HOST, true
#define PROBE SSD_STATUS_PROBE, false
#define PENDING SSD_STATUS_PENDING, false
#define DEVICE SSD_STATUS_DEVICE, false
#define DEVICE_LATER SSD_STATUS_DEVICE, true
#define MEDIA SSD_STATUS_MEDIA, false
#define PATH SSD_STATUS_PATH, true

/* Ascending by status. */
static const struct ssd_status_info table[] = {
	{0x000, "Successful Completion", SSD_STATUS_SUCCESS, false},
	{0x001, "Invalid Command Opcode", PROBE, "somebody sent a command that the drive does not have"},
	{0x002, "Invalid Field in Command", PROBE,
	 "somebody asked for something that the drive does not have, or put a wrong value into a command"},
	{0x003, "Command ID Conflict", HOST},
	{0x004, "Data Transfer Error", DEVICE_LATER,
	 "the transfer between host and drive failed: link, slot or memory; see the kernel log"},
	{0x005, "Commands Aborted due to Power Loss Notification", DEVICE_LATER},
	{0x006, "Internal Error", DEVICE_LATER,
	 "the drive ran into an error of its own: when it comes again, look for new firmware"},
	{0x007, "Command Abort Requested", LATER, "the host aborted a command, mostly because it took too long"},
	{0x008, "Command Aborted due to SQ Deletion", LATER},
	{0x009, "Command Aborted due to Failed Fused Command", HOST},
	{0x00a, "Command Aborted due to Missing Fused Command", HOST},
	{0x00b, "Invalid Namespace or Format", HOST},
	{0x00c, "Command Sequence Error", HOST},
	{0x00d, "Invalid SGL Segment Descriptor", HOST},
	{0x00e, "Invalid Number of SGL Descriptors", HOST},
	{0x00f, "Data SGL Length Invalid", HOST},
	{0x010, "Metadata SGL Length Invalid", HOST},
	{0x011, "SGL Descriptor Type Invalid", HOST},
	{0x012, "Invalid Use of Controller Memory Buffer", HOST},
	{0x013, "PRP Offset Invalid", HOST},
	{0x014, "Atomic Write Unit Exceeded", HOST},
	{0x015, "Operation Denied", HOST},
	{0x016, "SGL Offset Invalid", HOST},
	{0x018, "Host Identifier Inconsistent Format", HOST},
	{0x019, "Keep Alive Timer Expired", HOST},
	{0x01a, "Keep Alive Timeout Invalid", HOST},
	{0x01b, "Command Aborted due to Preempt and Abort", HOST},
	{0x01c, "Sanitize Failed", DEVICE,
	 "a sanitize operation failed: nothing but sanitize is done until one succeeds"},
	{0x01d, "Sanitize In Progress", LATER},
	{0x01e, "SGL Data Block Granularity Invalid", HOST},
	{0x01f, "Command Not Supported for Queue in CMB", HOST},
	{0x020, "Namespace is Write Protected", HOST,
	 "the namespace is write-protected: by feature 84h, or because its drive has failed"},
	{0x021, "Command Interrupted", LATER},
	{0x022, "Transient Transport Error", PATH},
	{0x023, "Command Prohibited by Command and Feature Lockdown", HOST},
	{0x024, "Admin Command Media Not Ready", DEVICE_LATER},
	{0x080, "LBA Out of Range", HOST,
	 "a host asked for blocks beyond the end of the namespace: its size has changed, or software errs"},
	{0x081, "Capacity Exceeded", HOST},
	{0x082, "Namespace Not Ready", DEVICE_LATER},
	{0x083, "Reservation Conflict", HOST, "another host holds a reservation of the namespace"},
	{0x084, "Format In Progress", LATER},
	{0x085, "Invalid Value Size", HOST},
	{0x086, "Invalid Key Size", HOST},
	{0x087, "KV Key Does Not Exist", HOST},
	{0x088, "Unrecovered Error", MEDIA},
	{0x089, "Key Exists", HOST},

	{0x100, "Completion Queue Invalid", HOST},
	{0x101, "Invalid Queue Identifier", HOST},
	{0x102, "Invalid Queue Size", HOST},
	{0x103, "Abort Command Limit Exceeded", LATER},
	{0x105, "Asynchronous Event Request Limit Exceeded", HOST},
	{0x106, "Invalid Firmware Slot", HOST},
	{0x107, "Invalid Firmware Image", HOST},
	{0x108, "Invalid Interrupt Vector", HOST},
	{0x109, "Invalid Log Page", PROBE, "somebody asked for a log page that the drive does not have"},
	{0x10a, "Invalid Format", HOST},
	{0x10b, "Firmware Activation Requires Conventional Reset", PENDING},
	{0x10c, "Invalid Queue Deletion", HOST},
	{0x10d, "Feature Identifier Not Saveable", HOST},
	{0x10e, "Feature Not Changeable", HOST},
	{0x10f, "Feature Not Namespace Specific", HOST},
	{0x110, "Firmware Activation Requires NVM Subsystem Reset", PENDING},
	{0x111, "Firmware Activation Requires Controller Level Reset", PENDING},
	{0x112, "Firmware Activation Requires Maximum Time Violation", HOST},
	{0x113, "Firmware Activation Prohibited", HOST},
	{0x114, "Overlapping Range", HOST},
	{0x115, "Namespace Insufficient Capacity", HOST},
	{0x116, "Namespace Identifier Unavailable", HOST},
	{0x118, "Namespace Already Attached", HOST},
	{0x119, "Namespace Is Private", HOST},
	{0x11a, "Namespace Not Attached", HOST},
	{0x11b, "Thin Provisioning Not Supported", HOST},
	{0x11c, "Controller List Invalid", HOST},
	{0x11d, "Device Self-test In Progress", LATER},
	{0x11e, "Boot Partition Write Prohibited", HOST},
	{0x11f, "Invalid Controller Identifier", HOST},
	{0x120, "Invalid Secondary Controller State", HOST},
	{0x121, "Invalid Number of Controller Resources", HOST},
	{0x122, "Invalid Resource Identifier", HOST},
	{0x123, "Sanitize Prohibited While Persistent Memory Region is Enabled", HOST},
	{0x124, "ANA Group Identifier Invalid", HOST},
	{0x125, "ANA Attach Failed", HOST},
	{0x126, "Insufficient Capacity", HOST},
	{0x127, "Namespace Attachment Limit Exceeded", HOST},
	{0x128, "Prohibition of Command Execution Not Supported", HOST},
	{0x129, "I/O Command Set Not Supported", HOST},
	{0x12a, "I/O Command Set Not Enabled", HOST},
	{0x12b, "I/O Command Set Combination Rejected", HOST},
	{0x12c, "Invalid I/O Command Set", HOST},
	{0x12d, "Identifier Unavailable", HOST},
	{0x180, "Conflicting Attributes", HOST},
	{0x181, "Invalid Protection Information", HOST},
	{0x182, "Attempted Write to Read Only Range", HOST},
	{0x183, "Command Size Limit Exceeded", HOST},
	{0x1b8, "Zoned Boundary Error", HOST},
	{0x1b9, "Zone Is Full", HOST},
	{0x1ba, "Zone Is Read Only", HOST},
	{0x1bb, "Zone Is Offline", HOST},
	{0x1bc, "Zone Invalid Write", HOST},
	{0x1bd, "Too Many Active Zones", HOST},
	{0x1be, "Too Many Open Zones", HOST},
	{0x1bf, "Invalid Zone State Transition", HOST},

	{0x280, "Write Fault", MEDIA, "the drive could not write data: its media are failing"},
	{0x281, "Unrecovered Read Error", MEDIA, "the drive could not read data back: what stood at this LBA is lost"},
	{0x282, "End-to-end Guard Check Error", MEDIA,
	 "data and their checksum do not match: damaged in memory, on the link or on the media"},
	{0x283, "End-to-end Application Tag Check Error", MEDIA},
	{0x284, "End-to-end Reference Tag Check Error", MEDIA, "data came from, or went to, another place than meant"},
	{0x285, "Compare Failure", HOST},
	{0x286, "Access Denied", HOST, "the data are locked: security settings, or an interrupted erase"},
	{0x287, "Deallocated or Unwritten Logical Block", HOST},
	{0x288, "End-to-end Storage Tag Check Error", MEDIA},

	{0x300, "Internal Path Error", PATH},
	{0x301, "Asymmetric Access Persistent Loss", SSD_STATUS_PATH, false},
	{0x302, "Asymmetric Access Inaccessible", PATH},
	{0x303, "Asymmetric Access Transition", PATH},
	{0x360, "Controller Pathing Error", PATH},
	{0x370, "Host Pathing Error", PATH},
	{0x371, "Command Aborted By Host", PATH},
};

static const struct ssd_status_info vendor_row = {0, "Vendor specific status", SSD_STATUS_VENDOR, false};
static const struct ssd_status_info unknown_row = {0, "Unknown status", SSD_STATUS_UNKNOWN, false};

static int by_status(const void *key, const void *row)
{
	return (int)*(const unsigned *)key - ((const struct ssd_status_info *)row)->status;
}

/* Type 7 belongs to the vendor, and so do codes C0h to FFh of the types that the specification defines. */
static bool is_vendors(unsigned status)
{
	unsigned type = status >> 8;

	return type == 7 || (type <= 3 && (status & 0xff) >= 0xc0);
}

const struct ssd_status_info *ssd_status_info(unsigned status)
{
	unsigned key = status & SSD_STATUS_MASK;
	const struct ssd_status_info *row = bsearch(&key, table, ARRAY_SIZE(table), sizeof(*table), by_status);

	if (row)
		return row;
	return is_vendors(key) ? &vendor_row : &unknown_row;
}

const char *ssd_status_meaning(unsigned status)
{
	static const char *const by_class[] = {
		[SSD_STATUS_SUCCESS] = "no error",
		[SSD_STATUS_PROBE] = "somebody asked for something that the drive does not have",
		[SSD_STATUS_HOST] =
			"the host's request was wrong, or came at the wrong time; the drive is not to blame",
		[SSD_STATUS_PENDING] = "accepted, takes effect later",
		[SSD_STATUS_DEVICE] = "the drive could not do what it should",
		[SSD_STATUS_MEDIA] = "data are damaged or lost",
		[SSD_STATUS_PATH] = "the way to the drive failed, or the host gave the command up",
		[SSD_STATUS_VENDOR] = "the vendor's own: its documentation says what it means",
		[SSD_STATUS_UNKNOWN] = "no specification that this program knows has it",
	};
	const struct ssd_status_info *info = ssd_status_info(status);

	return info->meaning ? info->meaning : by_class[info->class];
}

const char *ssd_status_category(unsigned status, bool admin_queue)
{
	static const char *const words[] = {
		[SSD_STATUS_SUCCESS] = "none", [SSD_STATUS_PROBE] = "host",    [SSD_STATUS_HOST] = "host",
		[SSD_STATUS_PENDING] = "none", [SSD_STATUS_DEVICE] = "device", [SSD_STATUS_MEDIA] = "media",
		[SSD_STATUS_PATH] = "path",    [SSD_STATUS_VENDOR] = "vendor", [SSD_STATUS_UNKNOWN] = "unknown",
	};
	enum ssd_status_class class = ssd_status_info(status)->class;

	return class == SSD_STATUS_PROBE && admin_queue ? "probe" : words[class];
}

bool ssd_status_retry(unsigned status)
{
	return !(status & SSD_STATUS_DNR) && ssd_status_info(status)->retry;
}

/* Alone in a table the name says all; in an error object nothing of it is text. */
const struct ssd_field ssd_status_fields[] = {
	{"value", "Value", "Status as the kernel returns it, 15 bits", SSD_UINT, .flags = SSD_NO_TEXT | SSD_ALWAYS},
	{"hex", "", "The same in hexadecimal", SSD_STR, .flags = SSD_ALWAYS},
	{"name", "", "The specification's name", SSD_STR, .flags = SSD_ALWAYS},
	{"type", "Type", "Status code type", SSD_UINT, .flags = SSD_NO_TEXT | SSD_ALWAYS},
	{"code", "Code", "Status code", SSD_UINT, .flags = SSD_NO_TEXT | SSD_ALWAYS},
	{"do_not_retry", "Do not retry", "The drive says that the same command would fail again", SSD_BOOL,
	 .flags = SSD_NO_TEXT | SSD_ALWAYS},
	{"more", "More", "The error log holds more about it", SSD_BOOL, .flags = SSD_NO_TEXT | SSD_ALWAYS},
	SSD_FIELD_END,
};

void ssd_set_status(struct ssd_node *obj, unsigned status)
{
	char hex[16];

	snprintf(hex, sizeof(hex), "0x%04x", status);
	ssd_set_uint(obj, "value", status);
	ssd_set_str(obj, "hex", hex);
	ssd_set_str(obj, "name", ssd_status_info(status)->name);
	ssd_set_uint(obj, "type", status >> 8 & 7);
	ssd_set_uint(obj, "code", status & 0xff);
	ssd_set_bool(obj, "do_not_retry", status & SSD_STATUS_DNR);
	ssd_set_bool(obj, "more", status & SSD_STATUS_MORE);
}
