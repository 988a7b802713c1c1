/* SPDX-License-Identifier: MIT */
/* Findings of ssdct doctor, for whoever shows them. */
#ifndef SSDCT_CMD_DOCTOR_H
#define SSDCT_CMD_DOCTOR_H

#include <ssdct/doctor.h>

#include <stdio.h>

/* A ssd_doctor_fn; ctx is a list of ssd_doctor_fields. */
void doctor_add(void *ctx, const struct ssd_doctor_finding *finding);
/* An item of such a list, for people. */
void doctor_text_finding(const struct ssd_node *finding, FILE *out);

#endif
