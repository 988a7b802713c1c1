/* SPDX-License-Identifier: MIT */
/* A simulated drive with three firmware slots, images for it, and the commands. */
#ifndef TESTS_UNIT_SIM_FW_H
#define TESTS_UNIT_SIM_FW_H

#include "sim_dir.h"

#define PIECE 4096u
#define IMAGE (3 * PIECE + 512)

/* CRC-32 (IEEE 802.3), bit by bit. */
static inline uint32_t fw_crc(const uint8_t *p, size_t len)
{
	uint32_t value = 0xffffffff;

	for (size_t i = 0; i < len; i++) {
		value ^= p[i];
		for (int k = 0; k < 8; k++)
			value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
	}
	return ~value;
}

static inline void make_image(uint8_t image[IMAGE], const char *revision, const char *model)
{
	memset(image, ' ', 56);
	memcpy(image, "SSDCTFW1", 8);
	memcpy(image + 8, revision, strlen(revision));
	memcpy(image + 16, model, strlen(model));
	for (unsigned i = 64; i < IMAGE; i++)
		image[i] = (uint8_t)(i * 7 + i / 256);
	ssd_put_le(image + 56, 4, fw_crc(image + 64, IMAGE - 64));
	ssd_put_le(image + 60, 4, 0);
}

/* Slot 1 of three runs FW1; activation without reset. */
static const struct sim_ctrl usual = {
	.ver = 0x10400, .nn = 1, .oacs = 4, .frmw = 3 << 1 | 0x10, .fwug = 1, .mdts = 1, .elpe = 3};

static inline struct sim_ctrl with_frmw(uint8_t frmw)
{
	struct sim_ctrl ctrl = usual;

	ctrl.frmw = frmw;
	return ctrl;
}

static inline struct sim_ctrl with_sizes(uint8_t fwug, uint8_t mdts)
{
	struct sim_ctrl ctrl = usual;

	ctrl.fwug = fwug;
	ctrl.mdts = mdts;
	return ctrl;
}

static inline char *drive_of(struct sim_ctrl ctrl, const char *drive_json)
{
	char *host = sim_dir_new();
	uint8_t log[512] = {1};

	memcpy(log + 8, "FW1     ", 8);
	sim_put_ctrl(host, ctrl);
	sim_put(host, "log-03.bin", log, sizeof(log));
	sim_put_text(host, "drive.json", drive_json);
	return host;
}

static inline char *drive(const char *firmware)
{
	AUTO_FREE char *json = ssd_asprintf("{\"firmware\": {%s}}", firmware);

	return drive_of(usual, json);
}

static inline int piece(struct ssd_transport *t, uint32_t offset, const void *data, uint32_t len)
{
	struct sim_answer a;

	return sim_send(t,
			(struct ssd_cmd){.opcode = 0x11,
					 .cdw10 = len / 4 - 1,
					 .cdw11 = offset / 4,
					 .data = (void *)data,
					 .data_len = len,
					 .direction = SSD_DATA_TO_DRIVE},
			&a);
}

static inline int download(struct ssd_transport *t, const uint8_t *image, uint32_t len)
{
	int rc = 0;

	for (uint32_t at = 0; !rc && at < len; at += PIECE)
		rc = piece(t, at, image + at, len - at < PIECE ? len - at : PIECE);
	return rc;
}

static inline int commit(struct ssd_transport *t, unsigned slot, unsigned action)
{
	struct sim_answer a;

	return sim_send(t, (struct ssd_cmd){.opcode = 0x10, .cdw10 = slot | action << 3}, &a);
}

/* Downloads an image of this revision for the test's drive and commits it. */
static inline int update(struct ssd_transport *t, const char *revision, unsigned slot, unsigned action)
{
	uint8_t image[IMAGE];
	int rc;

	make_image(image, revision, "TESTDRIVE");
	rc = download(t, image, IMAGE);
	return rc ? rc : commit(t, slot, action);
}

/* "AFI FR FRS1 FRS2 FRS3", as the drive says it now. */
static inline const char *says(struct ssd_transport *t)
{
	static char text[64];
	struct sim_answer id, log;
	char fr[9] = "", frs[3][9];

	ck_assert_int_eq(sim_identify_cmd(t, 1, 0, &id), 0);
	ck_assert_int_eq(sim_log(t, 3, 512, &log), 0);
	for (int i = 0; i < 3; i++) {
		memcpy(frs[i], log.data + 8 + 8 * i, 8);
		frs[i][8] = '\0';
		frs[i][strcspn(frs[i], " ")] = '\0';
	}
	memcpy(fr, id.data + 64, 8);
	fr[strcspn(fr, " ")] = '\0';
	snprintf(text, sizeof(text), "%02x %s %s %s %s", log.data[0], fr, *frs[0] ? frs[0] : "-",
		 *frs[1] ? frs[1] : "-", *frs[2] ? frs[2] : "-");
	return text;
}
#define START "01 FW1 FW1 - -"

/* nvme1: the same drive by its other port; nvme2: another drive of the same model. */
static inline void add_twins(const char *host)
{
	AUTO_FREE char *command = ssd_asprintf("cp -r %s/nvme0 %s/nvme1 && cp -r %s/nvme0 %s/nvme2 && "
					       "printf SERIAL02 | dd of=%s/nvme2/id-ctrl.bin bs=1 seek=4 conv=notrunc "
					       "2>/dev/null",
					       host, host, host, host, host);

	ck_assert_int_eq(system(command), 0);
}

#endif
