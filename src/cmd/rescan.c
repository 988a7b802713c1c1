/* SPDX-License-Identifier: MIT */
/* ssdct rescan: the kernel reads a drive's namespaces anew. Nothing is changed in the drive, so nothing is asked. */
#include "cmd.h"
#include "ns_common.h"

static const struct ssd_field fields[] = {
	{"rescan", "Rescan", NULL, SSD_OBJ, .sub = ns_host_fields},
	SSD_FIELD_END,
};

static int rescan_each(struct ssd_run *run, struct ssd_device *dev, struct ssd_row *row)
{
	struct ssd_err asked = SSD_ERR_INIT;
	struct ns_facts facts;
	struct ns_host host;
	int rc = ns_facts_read(dev, &facts, &asked);

	/* What this host cannot do is said as it is, and not as a difference. */
	if (run->host->backend == SSD_BACKEND_RECORDED) {
		ns_facts_free(&facts);
		return ssd_control(dev, SSD_RESCAN, &row->err);
	}
	ns_host_refresh(run, dev, rc ? NULL : &facts, &host);
	ns_facts_free(&facts);
	ns_doc_host(ssd_set_obj(row->element, "rescan"), &host);
	if (!host.rescanned || rc) {
		row->err = host.rescanned ? asked : host.err;
		return -1;
	}
	if (host.agrees)
		return 0;
	return ssd_fail(&row->err, SSD_ERR_UNVERIFIED, "%s: after the rescan, %s", dev->drive->device, host.message);
}

static void rescan_text(const struct ssd_run *run, FILE *out)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		if (!ssd_get(run->rows[i].element, "rescan") || ssd_failed(&run->rows[i].err))
			continue;
		ssd_text_title(run, &run->rows[i], out);
		fputs("  rescanned: this host shows the namespaces that the drive has attached, of the same size\n",
		      out);
	}
}

const struct ssd_command cmd_rescan = {
	.name = "rescan",
	.summary = "have the kernel read a drive's namespaces anew",
	.usage = "DRIVE... | --all",
	.help = "For after a change by another host or another tool. The kernel reads Identify and its lists; nothing "
		"is\n"
		"changed in the drive, so nothing is asked. Then namespaces and sizes of this host are compared with "
		"what the\n"
		"drive says: a difference that stays is exit 1.",
	.examples = (const char *const[]){"rescan nvme0", NULL},
	.flags = SSD_CMD_FOLD,
	.drives = SSD_DRIVES_SOME,
	.fields = fields,
	.each = rescan_each,
	.text = rescan_text,
};
