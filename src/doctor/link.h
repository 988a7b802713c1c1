/* SPDX-License-Identifier: MIT */
/* PCIe links, as the findings about them see them. */
#ifndef SSDCT_DOCTOR_LINK_H
#define SSDCT_DOCTOR_LINK_H

#include "doctor.h"

struct doctor_link_rate {
	unsigned mt; /* megatransfers per second and lane; 0: not known */
	int lanes;   /* 0: not known */
};

/* A function on the way from the drive up to the root complex. */
struct doctor_port {
	char address[32];
	struct doctor_link_rate now, max;
};
#define DOCTOR_PORTS 16

struct doctor_path {
	struct doctor_link_rate now, max; /* of the drive */
	bool published;                   /* max is what the maker says of the model, as sysfs does not */
	struct doctor_port ports[DOCTOR_PORTS];
	unsigned n; /* 0: the ports are not known */
};
/* False: not a PCIe drive. */
bool doctor_path(struct ssd_doctor *d, struct doctor_path *path);

/* What both ends of the drive's link can do, as far as known. */
struct doctor_link_rate doctor_link_possible(const struct doctor_path *path);
/* After line coding, before packet overhead: 10^6 bytes per second; 0: not known. */
double doctor_link_mb(struct doctor_link_rate rate);
/* "8.0 GT/s" */
const char *doctor_speed_text(unsigned mt, char buf[24]);

#endif
