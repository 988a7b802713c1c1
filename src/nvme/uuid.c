/* SPDX-License-Identifier: MIT */
/*
 * UUID List (Identify CNS 17h): whose definitions of vendor specific pages a drive knows. Get Log Page chooses one by its
 * index in the list (CDW14 6:0); index 0 is none, and the drive's own choice. NVM Express Base Specification 2.0c, 5.17.2.17
 * and 8.25; CTRATT bit 9 says that there is a list.
 */
#include <ssdct/admin.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>

#define VER_1_4 0x10400
#define CTRATT_UUID_LIST (1u << 9)
enum { ENTRY = 32, UUID_AT = 16, ENTRIES = 128 }; /* the first one is reserved */

static bool has_list(const struct ssd_device *dev)
{
	return dev->id_ctrl && ssd_version(dev) >= VER_1_4 &&
	       ssd_le32(dev->id_ctrl + SSD_ID_CTRL_CTRATT) & CTRATT_UUID_LIST;
}

/* Kept in the device, as zeros when the drive does not give it: nobody asks twice. */
static void read_list(struct ssd_device *dev)
{
	size_t got = 0;

	dev->uuid_list = ssd_page_alloc(ENTRY * ENTRIES);
	if (ssd_identify(dev, &(struct ssd_identify){.cns = 0x17}, dev->uuid_list, &got, NULL))
		got = 0;
	memset(dev->uuid_list + got, 0, ENTRY * ENTRIES - got);
}

/* A guard asks the drive nothing: by what has been read. */
bool ssd_uuid_is_at(const struct ssd_device *dev, const uint8_t uuid[16], unsigned index)
{
	return uuid && dev->uuid_list && index && index < ENTRIES &&
	       !memcmp(dev->uuid_list + (size_t)index * ENTRY + UUID_AT, uuid, 16);
}

uint8_t ssd_uuid_index(struct ssd_device *dev, const uint8_t uuid[16])
{
	if (!uuid || !has_list(dev))
		return 0;
	if (!dev->uuid_list)
		read_list(dev);
	for (unsigned i = 1; i < ENTRIES; i++)
		if (ssd_uuid_is_at(dev, uuid, i))
			return (uint8_t)i;
	return 0;
}
