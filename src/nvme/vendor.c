/* SPDX-License-Identifier: MIT */
/* What the tables of vendor modules say: whose drive it is, its pages and features. */
#include <ssdct/admin.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>

const struct ssd_vendor *ssd_vendor_find(const struct ssd_identity *id, const char **family)
{
	*family = NULL;
	for (const struct ssd_vendor *const *v = ssd_vendors; *v; v++) {
		*family = (*v)->family(id);
		if (*family)
			return *v;
	}
	return NULL;
}

struct ssd_identity ssd_drive_identity(const struct ssd_drive *drive)
{
	return (struct ssd_identity){.model = drive->model,
				     .firmware = drive->firmware,
				     .pci_vendor = drive->pci_vendor,
				     .pci_device = drive->pci_device,
				     .pci_subsystem_vendor = drive->pci_subsystem_vendor,
				     .pci_subsystem_device = drive->pci_subsystem_device};
}

bool ssd_device_identity(const struct ssd_device *dev, struct ssd_identity_text *text, struct ssd_identity *id)
{
	if (!dev->id_ctrl || dev->id_ctrl_len < SSD_ID_CTRL_FR + SSD_ID_CTRL_FR_BYTES)
		return false;
	*text = (struct ssd_identity_text){"", ""};
	memcpy(text->model, dev->id_ctrl + SSD_ID_CTRL_MN, SSD_ID_CTRL_MN_BYTES);
	memcpy(text->firmware, dev->id_ctrl + SSD_ID_CTRL_FR, SSD_ID_CTRL_FR_BYTES);
	for (size_t n = SSD_ID_CTRL_MN_BYTES; n && (text->model[n - 1] == ' ' || !text->model[n - 1]); n--)
		text->model[n - 1] = '\0';
	*id = (struct ssd_identity){
		.model = text->model,
		.firmware = text->firmware,
		.pci_vendor = ssd_le16(dev->id_ctrl + SSD_ID_CTRL_VID),
		.pci_device = dev->drive->pci_device,
		.pci_subsystem_vendor = ssd_le16(dev->id_ctrl + SSD_ID_CTRL_SSVID),
		.pci_subsystem_device = dev->drive->pci_subsystem_device,
	};
	return true;
}

const struct ssd_page *ssd_vendor_page(const struct ssd_device *dev, const char *key)
{
	for (const struct ssd_page *const *p = dev->vendor ? dev->vendor->pages : NULL; p && *p; p++)
		if (!strcmp((*p)->field.key, key))
			return *p;
	return NULL;
}

const struct ssd_feature *ssd_vendor_feature(const struct ssd_device *dev, const char *name)
{
	for (const struct ssd_feature *const *f = dev->vendor ? dev->vendor->features : NULL; f && *f; f++)
		if (!strcmp((*f)->page.name, name))
			return *f;
	return NULL;
}

struct ssd_node *ssd_read_feature(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_feature *feature,
				  struct ssd_err *err)
{
	const struct ssd_feature_request req = {.fid = feature->page.id, .cdw11 = feature->cdw11};
	AUTO_FREE uint8_t *buf = feature->page.size ? ssd_page_alloc(feature->page.size) : NULL;
	uint8_t dwords[8];
	uint64_t result = 0;
	size_t got = 0;

	if (ssd_get_feature_data(dev, &req, &result, buf, feature->page.size, &got, err))
		return NULL;
	ssd_put_le(dwords, sizeof(dwords), result);
	return buf ? ssd_page_decode_from(dev, a, &feature->page, buf, got)
		   : ssd_page_decode_from(dev, a, &feature->page, dwords, sizeof(dwords));
}
