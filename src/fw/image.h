/* SPDX-License-Identifier: MIT */
/* What the parts of image reading share. */
#ifndef SSDCT_FW_IMAGE_H
#define SSDCT_FW_IMAGE_H

#include <ssdct/fw.h>

void fw_sha256(const uint8_t *data, size_t size, char hex[65]);
const char *fw_wrong_kind(const uint8_t *data, size_t size);

/* Fills member, data, size and version with the payload that is for this drive. */
int fw_archive_select(const struct fw_file *file, const struct fw_match *match, struct fw_image *image,
		      struct ssd_err *err);

/* A file in an archive. */
struct fw_member {
	char *name;    /* owned */
	uint8_t *data; /* owned */
	size_t size;
};

/* What a metainfo file says (AppStream, component type "firmware", as the LVFS uses it). */
struct fw_metainfo {
	char name[128];     /* of the component */
	char guids[32][37]; /* that it is for, lower case */
	size_t n_guids;
	char version[64];   /* of the first release */
	char filename[256]; /* of its payload; empty: not named */
	char sha256[65];    /* of its payload, lower case; empty: not given */
	/* <requires><firmware>: what must be installed before. */
	struct fw_requirement {
		char compare[8];  /* eq, ne, lt, le, gt, ge, glob, regex */
		char version[64]; /* what is compared with */
		char of[64];      /* whose version; empty: the drive's own firmware */
	} requires[8];
	size_t n_requires;
};
/* Returns 0, or -1 when the bytes are no firmware component. */
int fw_metainfo_parse(const uint8_t *xml, size_t size, struct fw_metainfo *info);
/* Whether the component is for this drive: by GUID, and by the model in its name when it has none that we can compute. */
bool fw_metainfo_fits(const struct fw_metainfo *info, const struct fw_match *match);
/* The first requirement that the drive does not meet, or that cannot be checked; NULL: none. */
const struct fw_requirement *fw_metainfo_unmet(const struct fw_metainfo *info, const struct fw_match *match);

#endif
