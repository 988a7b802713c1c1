/* SPDX-License-Identifier: MIT */
/* Commands Supported and Effects (log page 05h): NVM Express Base Specification 2.0c, figures 210 and 211. */
#include <ssdct/page.h>

#include <ssdct/admin.h>

enum { COMMANDS = 256, DESCRIPTOR = 4 };

static const struct ssd_name submission_names[] = {
	{0, "no restriction"}, {1, "one for each namespace"}, {2, "one for the controller"}, {0, NULL}};

static const struct ssd_field effects_bits[] = {
	SSD_BIT("csupp", "supported", 0),
	SSD_BIT("lbcc", "changes blocks", 1),
	SSD_BIT("ncc", "changes a namespace's capabilities", 2),
	SSD_BIT("nic", "changes the inventory of namespaces", 3),
	SSD_BIT("ccc", "changes the controller's capabilities", 4),
	SSD_BITS_ENUM("cse", "at a time:", 16, 3, submission_names, .flags = SSD_QUIET),
	SSD_BIT("uuid_selection", "UUID selection", 19),
	SSD_BITS_FIELD("scope", "scope", 20, 12, .unit = SSD_HEX, .flags = SSD_QUIET),
	SSD_FIELD_END,
};

static const struct ssd_field command_fields[] = {
	{.key = "opcode", .label = "Opcode", .type = SSD_UINT, .unit = SSD_HEX, .code = SSD_INDEX0},
	{.key = "name", .label = "Command", .type = SSD_STR},
	SSD_FLAGS_FIELD("effects", "Effects", 0, 4, effects_bits, .flags = SSD_SKIP),
	SSD_FIELD_END,
};

#define COMMAND_LIST(k, l, o)                                                                                         \
	{                                                                                                             \
		.key = (k), .label = (l), .help = "Commands that the controller says something of", .type = SSD_LIST, \
		.code = SSD_LE, .off = (o), .count = COMMANDS, .stride = DESCRIPTOR, .sub = command_fields            \
	}

static const struct ssd_field fields[] = {
	COMMAND_LIST("admin", "Admin commands", 0),
	COMMAND_LIST("io", "I/O commands", COMMANDS *DESCRIPTOR),
	SSD_FIELD_END,
};

static void name_commands(const struct ssd_node *list, const char *(*name)(uint8_t opcode))
{
	for (struct ssd_node *c = list ? list->child : NULL; c; c = c->next)
		ssd_set_str(c, "name", name((uint8_t)ssd_get_int(c, "opcode", 0)));
}

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	(void)buf;
	(void)len;
	name_commands(ssd_get(obj, "admin"), ssd_opcode_name);
	name_commands(ssd_get(obj, "io"), ssd_io_opcode_name);
}

const struct ssd_page ssd_page_effects = {
	.field = {.key = "commands",
		  .label = "Commands supported and effects",
		  .help = "Commands that the controller supports, and what they change (log page 05h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "commands",
	.kind = SSD_PAGE_LOG,
	.id = 0x05,
	.size = 4096,
	.derive = derive,
};
