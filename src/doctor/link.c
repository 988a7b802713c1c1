/* SPDX-License-Identifier: MIT */
/*
 * PCIe links from the drive up to the root complex. Speeds and widths: Linux, Documentation/ABI/testing/sysfs-bus-pci. A port's
 * own attributes are those of the link on its far side from the root for root ports and downstream ports, and of the link
 * towards the root for upstream ports of a switch; either way each link is seen.
 */
#include "link.h"

#include <ssdct/plugin.h>

/* "8.0 GT/s PCIe"; "Unknown" for a function that has no link of its own. */
static unsigned speed_of(const char *text)
{
	char *end;
	unsigned long whole = strtoul(text, &end, 10), tenths = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	return end != text && whole < 10000 && tenths < 10 ? (unsigned)(whole * 1000 + tenths * 100) : 0;
}

static struct doctor_link_rate rate_of(const char *speed, long long width)
{
	int lanes = scan_width(width);

	return (struct doctor_link_rate){speed_of(speed), lanes > 0 ? lanes : 0};
}

static struct doctor_link_rate read_rate(const struct ssd_doctor *d, const char *dir, const char *which)
{
	char speed[DOCTOR_TEXT];

	doctor_text(d, SYS, speed, "%s/%s_link_speed", dir, which);
	return rate_of(speed, doctor_int(d, SYS, -1, "%s/%s_link_width", dir, which));
}

/* The directory above, when it is a PCI function as well. */
static bool go_up(char dir[PATH_MAX])
{
	char *slash = strrchr(dir, '/');
	struct scan_pci pci;

	if (!slash)
		return false;
	*slash = '\0';
	slash = strrchr(dir, '/');
	return slash && scan_pci_parse(slash + 1, &pci);
}

/* What the maker has published of the drive, where sysfs does not say what it can do. */
static void take_rating(struct ssd_doctor *d, struct doctor_path *path)
{
	static const unsigned mt[] = {0, 2500, 5000, 8000, 16000, 32000, 64000}; /* by generation */
	const struct ssd_rating *ratings[SSD_RATINGS], *r;
	struct ssd_identity_text text;
	struct ssd_identity id;

	if ((path->max.mt && path->max.lanes) || !doctor_id_ctrl(d) || !ssd_device_identity(d->dev, &text, &id) ||
	    !d->dev->vendor || !d->dev->vendor->rate || !d->dev->vendor->rate(&id, ratings))
		return;
	r = ratings[0];
	if (r->pcie_generation >= ARRAY_SIZE(mt) || ssd_rating_is_of_card(r))
		return;
	path->max.mt = path->max.mt ? path->max.mt : mt[r->pcie_generation];
	path->max.lanes = path->max.lanes ? path->max.lanes : (int)r->pcie_lanes;
	path->published = true;
}

bool doctor_path(struct ssd_doctor *d, struct doctor_path *path)
{
	char dir[PATH_MAX];

	*path = (struct doctor_path){.now = rate_of(d->drive->current_link_speed, d->drive->current_link_width),
				     .max = rate_of(d->drive->max_link_speed, d->drive->max_link_width)};
	if (strcmp(d->drive->transport, "pcie") != 0)
		return false;
	take_rating(d, path);
	/* The ports of a guest are its host's invention, and carry whatever it likes. */
	if (doctor_is_guest(d) || !doctor_resolve(d, SYS, dir, "class/nvme/%s/device", d->drive->device))
		return true;
	while (path->n < DOCTOR_PORTS && go_up(dir)) {
		struct doctor_port *port = &path->ports[path->n++];

		ssd_strcpy(port->address, sizeof(port->address), strrchr(dir, '/') + 1);
		port->now = read_rate(d, dir, "current");
		port->max = read_rate(d, dir, "max");
	}
	return true;
}

struct doctor_link_rate doctor_link_possible(const struct doctor_path *path)
{
	struct doctor_link_rate r = path->max;

	if (path->n && path->ports[0].max.mt && path->ports[0].max.mt < r.mt)
		r.mt = path->ports[0].max.mt;
	if (path->n && path->ports[0].max.lanes && path->ports[0].max.lanes < r.lanes)
		r.lanes = path->ports[0].max.lanes;
	return r;
}

double doctor_link_mb(struct doctor_link_rate rate)
{
	/*
	 * PCI Express Base Specification: 8b/10b up to 5.0 GT/s, 128b/130b from 8.0 on; at 64.0 there is no line code, and
	 * 236 of the 256 bytes of a flit are packets.
	 */
	double coding = rate.mt <= 5000 ? 8.0 / 10 : rate.mt < 64000 ? 128.0 / 130 : 236.0 / 256;

	return rate.mt * coding * rate.lanes / 8;
}

const char *doctor_speed_text(unsigned mt, char buf[24])
{
	snprintf(buf, 24, "%u.%u GT/s", mt / 1000, mt % 1000 / 100);
	return buf;
}
