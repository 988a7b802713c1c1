/* SPDX-License-Identifier: MIT */
/* The document that every command prints: one object, with the drives in it. */
#ifndef SSDCT_CLI_ENVELOPE_H
#define SSDCT_CLI_ENVELOPE_H

#include <ssdct/cli.h>

/*
 * Descriptors of a command's output: the envelope with the command's top-level keys, and the element of "drives" with the
 * command's keys (and, for the schema, those of every vendor's page). Owned by the arena.
 */
const struct ssd_field *ssd_envelope_field(struct ssd_arena *a, const struct ssd_command *command);
const struct ssd_field *ssd_element_field(struct ssd_arena *a, const struct ssd_command *command, bool with_vendors);

/* A drive's identity from what is known without a command. */
void ssd_element_identity(struct ssd_node *element, const struct ssd_drive *drive);
/* Replaces it by what Identify Controller says, which is newer than sysfs. */
void ssd_element_refresh(struct ssd_node *element, const struct ssd_device *dev);

/* Sets "ok" and "error" of the envelope or of an element; err NULL or without code: ok. */
void ssd_set_error(struct ssd_node *obj, const struct ssd_err *err);

#endif
