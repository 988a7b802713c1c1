/* SPDX-License-Identifier: MIT */
/* What the verbs of `feature` share. */
#ifndef SSDCT_CMD_FEATURE_H
#define SSDCT_CMD_FEATURE_H

#include <ssdct/cli.h>
#include <ssdct/feature.h>

struct ssd_feature;

/* A feature by name or number: on this drive, so that a vendor's name means that vendor's feature. */
struct feature_choice {
	const struct ssd_device *dev;
	uint8_t fid;
	const struct ssd_std_feature *std;
	const struct ssd_feature *vendor;
	const struct ssd_page *page; /* of either; NULL: no table knows it */
	enum ssd_feature_class class;
};
int feature_choose(const struct ssd_device *dev, const char *word, struct feature_choice *c, struct ssd_err *err);
const char *feature_label(const struct feature_choice *c, char buf[64]);

#define FEATURE_DATA 4096 /* bytes at most */

/* What is asked for. */
struct feature_ask {
	enum ssd_select select;
	uint32_t nsid, cdw11;
	size_t data_len; /* 0: the feature has no data */
};
size_t feature_data_len(const struct feature_choice *c);
/* Namespace and CDW11 by the table, --nsid, --which and the target. */
int feature_ask_for(const struct feature_choice *c, const struct ssd_target *target, uint64_t nsid, const char *which,
		    struct feature_ask *ask, struct ssd_err *err);

struct feature_value {
	uint64_t result;
	uint8_t data[FEATURE_DATA];
	size_t len; /* of data that arrived */
};
int feature_read(struct ssd_device *dev, const struct feature_choice *c, const struct feature_ask *ask,
		 struct feature_value *v, struct ssd_err *err);

/* What can be done with a feature on this drive: Get Features, supported capabilities. */
struct feature_can {
	bool known, saveable, per_namespace, changeable;
};
/* Asks where the drive has such an answer. */
struct feature_can feature_can(struct ssd_device *dev, const struct feature_choice *c, struct feature_ask ask);

/* The value decoded; NULL when no table knows the feature. */
struct ssd_node *feature_decode(struct ssd_arena *a, const struct feature_choice *c, const struct feature_value *v);
/* The same as a line for people. */
const char *feature_text(struct ssd_arena *a, const struct feature_choice *c, const struct feature_value *v);

/* The object under the key "feature" in the element of get and set (ssd_feature_fields): identity and value. */
struct ssd_node *feature_doc(struct ssd_device *dev, struct ssd_row *row, const struct feature_choice *c,
			     const struct feature_ask *ask);
void feature_doc_value(struct ssd_row *row, const struct feature_choice *c, const struct feature_value *v);
void feature_doc_can(struct ssd_node *obj, const struct feature_can *can);

extern const struct ssd_command feature_list, feature_set;

#endif
