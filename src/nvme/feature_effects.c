/* SPDX-License-Identifier: MIT */
/*
 * Feature Identifiers Supported and Effects (log page 12h): NVM Express Base Specification 2.0c, "Feature Identifiers Supported
 * and Effects", a dword for each feature.
 */
#include <ssdct/page.h>

#include <ssdct/feature.h>

enum { FEATURES = 256, DESCRIPTOR = 4 };

static const struct ssd_field effects_bits[] = {
	SSD_BIT("fsupp", "supported", 0),
	SSD_BIT("udcc", "changes user data", 1),
	SSD_BIT("ncc", "changes a namespace's capabilities", 2),
	SSD_BIT("nic", "changes the inventory of namespaces", 3),
	SSD_BIT("ccc", "changes the controller's capabilities", 4),
	SSD_BIT("uuid_selection", "UUID selection", 19),
	SSD_BIT("scope_namespace", "of a namespace", 20),
	SSD_BIT("scope_controller", "of a controller", 21),
	SSD_BIT("scope_nvm_set", "of an NVM set", 22),
	SSD_BIT("scope_endurance_group", "of an endurance group", 23),
	SSD_BIT("scope_domain", "of a domain", 24),
	SSD_BIT("scope_subsystem", "of the NVM subsystem", 25),
	SSD_FIELD_END,
};

static const struct ssd_field feature_fields[] = {
	{.key = "fid",
	 .label = "FID",
	 .help = "Feature identifier",
	 .type = SSD_UINT,
	 .unit = SSD_HEX,
	 .code = SSD_INDEX0},
	{.key = "name", .label = "Feature", .help = "Null: not a feature of the specification", .type = SSD_STR},
	SSD_FLAGS_FIELD("effects", "Effects", 0, 4, effects_bits, .flags = SSD_SKIP),
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	{.key = "features",
	 .label = "Features",
	 .help = "Features of which the controller says something",
	 .type = SSD_LIST,
	 .code = SSD_LE,
	 .count = FEATURES,
	 .stride = DESCRIPTOR,
	 .sub = feature_fields},
	SSD_FIELD_END,
};

static void derive(const uint8_t *buf, size_t len, struct ssd_node *obj)
{
	const struct ssd_node *list = ssd_get(obj, "features");

	(void)buf;
	(void)len;
	for (struct ssd_node *f = list ? list->child : NULL; f; f = f->next) {
		const struct ssd_std_feature *std = ssd_std_feature((uint8_t)ssd_get_int(f, "fid", 0));

		ssd_set_str(f, "name", std ? std->page.field.label : NULL);
	}
}

const struct ssd_page ssd_page_feature_effects = {
	.field = {.key = "supported_features",
		  .label = "Features supported and effects",
		  .help = "Features that the controller supports, and what setting them changes (log page 12h)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "features",
	.kind = SSD_PAGE_LOG,
	.id = 0x12,
	.size = FEATURES * DESCRIPTOR,
	.derive = derive,
};
