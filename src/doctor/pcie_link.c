/* SPDX-License-Identifier: MIT */
/* A link slower or narrower than its two ends can do, and a slot or a link above that is less than the drive. */
#include "link.h"

/* "at most 1969 of 3938 MB/s": after line coding, the same for the ends of every comparison. */
static const char *cost(struct doctor_link_rate now, struct doctor_link_rate full, char buf[64])
{
	*buf = '\0';
	if (doctor_link_mb(now) > 0 && doctor_link_mb(full) > 0)
		snprintf(buf, 64, ": at most %.0f instead of %.0f MB/s", doctor_link_mb(now), doctor_link_mb(full));
	return buf;
}

static const char *whose(const struct doctor_path *path)
{
	if (path->published)
		return path->n ? "drive (by its maker's figures) and slot" : "the drive (by its maker's figures)";
	return path->n ? "drive and slot" : "the drive";
}

#define LSPCI_ADVICE                                                                                                  \
	"re-seat drive, riser and cable, look at the slot's settings in the BIOS, then compare LnkCap and LnkSta of " \
	"`lspci -vv -s %s`"

void doctor_pcie_speed(struct ssd_doctor *d)
{
	struct doctor_path path;
	struct doctor_link_rate possible, now;
	char a[24], b[24], c[64];

	if (!doctor_path(d, &path))
		return;
	if (!path.now.mt || !path.max.mt) {
		doctor_say(d, SSD_INFO,
			   path.now.mt ? "the PCIe link runs at %s; what the drive can do is not known"
				       : "the speed of the PCIe link is not known",
			   doctor_speed_text(path.now.mt, a));
		doctor_advise(d,
			      "a function without a link of its own has none, as in most virtual machines; on real "
			      "hardware see `lspci -vv -s %s`",
			      d->drive->address);
		return;
	}
	possible = now = doctor_link_possible(&path);
	now.mt = path.now.mt;
	if (now.mt >= possible.mt)
		return;
	doctor_say(d, SSD_WARNING, "the PCIe link runs at %s, %s can do %s%s", doctor_speed_text(now.mt, a),
		   whose(&path), doctor_speed_text(possible.mt, b), cost(now, possible, c));
	doctor_advise(d, LSPCI_ADVICE, d->drive->address);
}

void doctor_pcie_width(struct ssd_doctor *d)
{
	struct doctor_path path;
	struct doctor_link_rate possible, now;
	char c[64];

	if (!doctor_path(d, &path) || !path.now.lanes || !path.max.lanes)
		return;
	possible = now = doctor_link_possible(&path);
	now.lanes = path.now.lanes;
	if (now.lanes >= possible.lanes)
		return;
	doctor_say(d, SSD_WARNING, "the PCIe link has %d lane%s, %s can do %d%s", now.lanes, now.lanes == 1 ? "" : "s",
		   whose(&path), possible.lanes, cost(now, possible, c));
	doctor_advise(d, LSPCI_ADVICE, d->drive->address);
}

void doctor_pcie_slot(struct ssd_doctor *d)
{
	struct doctor_path path;
	struct doctor_link_rate possible;
	char a[24], b[24], c[64];

	if (!doctor_path(d, &path) || !path.n || !path.max.mt || !path.max.lanes)
		return;
	possible = doctor_link_possible(&path);
	if (possible.mt >= path.max.mt && possible.lanes >= path.max.lanes)
		return;
	doctor_say(d, SSD_WARNING, "the slot (%s) can do %s x%d, the drive %s x%d%s", path.ports[0].address,
		   doctor_speed_text(possible.mt, a), possible.lanes, doctor_speed_text(path.max.mt, b), path.max.lanes,
		   cost(possible, path.max, c));
	doctor_advise(d, "move the drive to a slot of its own speed and width: the manual of the board says which, and "
			 "`lspci -tv` what is where");
}

void doctor_pcie_upstream(struct ssd_doctor *d)
{
	struct doctor_path path;
	double own;

	if (!doctor_path(d, &path))
		return;
	own = doctor_link_mb(path.now);
	/* The port that the drive is in has the drive's own link. */
	for (unsigned i = 1; i < path.n; i++) {
		const struct doctor_port *port = &path.ports[i];
		double mb = doctor_link_mb(port->now);
		char a[24];

		if (mb <= 0 || mb >= own)
			continue;
		doctor_say(d, SSD_WARNING,
			   "the link above the drive, at %s, runs at %s x%d: at most %.0f MB/s where the drive's own "
			   "link has %.0f, shared by all that is behind it",
			   port->address, doctor_speed_text(port->now.mt, a), port->now.lanes, mb, own);
		doctor_advise(d,
			      "compare LnkCap and LnkSta of `lspci -vv -s %s`; a slot that is not behind this port "
			      "avoids it",
			      port->address);
		return;
	}
}
