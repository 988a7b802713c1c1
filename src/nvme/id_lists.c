/* SPDX-License-Identifier: MIT */
/* Identify structures that are lists of identifiers: NVM Express Base Specification 2.0c, sections 4.4.1, 4.4.2, 5.17.2. */
#include <ssdct/page.h>

#define PAGE_BYTES 4096u

static const struct ssd_field nsid[] = {
	{.label = "NSID", .type = SSD_UINT, .code = SSD_LE, .width = 4, .flags = SSD_LAST | SSD_RAW},
	SSD_FIELD_END,
};

/* Namespace List (figure 136): ends at its first 0, or after 1,024. */
static const struct ssd_field nsid_list[] = {
	{.key = "nsids",
	 .label = "Namespaces",
	 .help = "Namespace identifiers, ascending; 1,024 at most: more with --nsid, above which the list begins",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .count = PAGE_BYTES / 4,
	 .stride = 4,
	 .sub = nsid},
	SSD_FIELD_END,
};

static const struct ssd_field identifier[] = {
	{.label = "ID", .type = SSD_UINT, .code = SSD_LE, .width = 2, .flags = SSD_RAW},
	SSD_FIELD_END,
};

/* Controller List (figure 135): a number, then as many identifiers; 0 is one of them. */
#define COUNTED_LIST(k, l, h)                                                                           \
	{                                                                                               \
		SSD_COUNTED(k, l, 2, 2, PAGE_BYTES / 2 - 1, 2, identifier, .help = (h)), SSD_FIELD_END, \
	}

static const struct ssd_field controller_list[] =
	COUNTED_LIST("controllers", "Controllers", "Controller identifiers, ascending");
static const struct ssd_field group_list[] =
	COUNTED_LIST("endurance_groups", "Endurance groups", "Endurance group identifiers, ascending");

#define LIST_PAGE(k, l, h, n, cns, f, s)                                                                    \
	{                                                                                                   \
		.field = {.key = (k), .label = (l), .help = (h), .type = SSD_OBJ, .sub = (s)}, .name = (n), \
		.kind = SSD_PAGE_IDENTIFY, .id = (cns), .flags = (f), .size = PAGE_BYTES                    \
	}

const struct ssd_page ssd_page_active_ns =
	LIST_PAGE("active_namespaces", "Active namespaces", "Namespaces attached to the controller (CNS 02h)",
		  "active-namespaces", 0x02, SSD_PAGE_NSID0, nsid_list);
const struct ssd_page ssd_page_active_ns_csi =
	LIST_PAGE("active_namespaces_csi", "Active namespaces of a command set",
		  "Namespaces attached to the controller that use the command set of --csi (CNS 07h)",
		  "active-namespaces-csi", 0x07, SSD_PAGE_NSID0, nsid_list);
const struct ssd_page ssd_page_allocated_ns_list =
	LIST_PAGE("allocated_namespaces", "Allocated namespaces", "Namespaces of the NVM subsystem (CNS 10h)",
		  "allocated-namespaces", 0x10, SSD_PAGE_NSID0, nsid_list);
const struct ssd_page ssd_page_attached_ctrls = LIST_PAGE(
	"attached_controllers", "Attached controllers", "Controllers that a namespace is attached to (CNS 12h)",
	"attached-controllers", 0x12, SSD_PAGE_NAMESPACE, controller_list);
const struct ssd_page ssd_page_controllers =
	LIST_PAGE("subsystem_controllers", "Controllers", "Controllers of the NVM subsystem (CNS 13h)", "controllers",
		  0x13, SSD_PAGE_NSID0, controller_list);
const struct ssd_page ssd_page_endurance_groups = LIST_PAGE("endurance_group_list", "Endurance groups",
							    "Endurance groups that the controller can reach (CNS 19h)",
							    "endurance-groups", 0x19, SSD_PAGE_NSID0, group_list);
