/* SPDX-License-Identifier: MIT */
/* The envelope of every document, and the identity of a drive in it. */

#include <ssdct/cli.h>
#include <ssdct/feature.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/plugin.h>
#include <ssdct/status.h>

static const struct ssd_field error_fields[] = {
	{"code", "Code", "A word that scripts can match", SSD_STR, .flags = SSD_ALWAYS},
	{"message", "Message", "Which drive, which attempt, what went wrong", SSD_STR, .flags = SSD_ALWAYS},
	{"hint", "Hint", "What to do about it", SSD_STR},
	{"errno", "errno", "Number of the system's error, when there was one", SSD_INT},
	{"nvme_status", "NVMe status", "What the drive answered, when it did", SSD_OBJ, .sub = ssd_status_fields},
	SSD_FIELD_END,
};

#define COMMON_RESULT                                                                                      \
	{"ok", "OK", "False exactly when error is not null", SSD_BOOL, .flags = SSD_ALWAYS | SSD_NO_TEXT}, \
	{                                                                                                  \
		"error", "Error", "Why it failed", SSD_OBJ, .flags = SSD_NO_TEXT, .sub = error_fields      \
	}

static const struct ssd_field envelope_fields[] = {
	{"schema", "Schema", "Version of this document's shape", SSD_STR, .flags = SSD_ALWAYS | SSD_NO_TEXT},
	{"version", "Version", "Version of the program", SSD_STR, .flags = SSD_ALWAYS | SSD_NO_TEXT},
	{"command", "Command", "Command and verb", SSD_STR, .flags = SSD_NO_TEXT},
	{"backend", "Backend", "linux, simulated or recorded", SSD_STR, .flags = SSD_NO_TEXT},
	{"hostname", "Host name", "Machine that ran the program", SSD_STR, .flags = SSD_NO_TEXT},
	{"time", "Time", "When, UTC", SSD_STR, .flags = SSD_ALWAYS | SSD_NO_TEXT},
	{"exit", "Exit", "Exit code of the program", SSD_UINT, .flags = SSD_ALWAYS | SSD_NO_TEXT},
	COMMON_RESULT,
	SSD_FIELD_END,
};

static const struct ssd_field element_fields[] = {
	{"device", "Device", "The controller as the kernel names it", SSD_STR, .flags = SSD_NO_TEXT},
	{"path", "Path", "Its device node", SSD_STR, .flags = SSD_NO_TEXT},
	{"model", "Model", "Model number (MN)", SSD_STR, .flags = SSD_NO_TEXT},
	{"serial", "Serial", "Serial number (SN)", SSD_STR, .flags = SSD_NO_TEXT},
	{"firmware", "Firmware", "Firmware revision (FR)", SSD_STR, .flags = SSD_NO_TEXT},
	{"family", "Family", "Product family, when a vendor module knows the model", SSD_STR, .flags = SSD_NO_TEXT},
	COMMON_RESULT,
	SSD_FIELD_END,
};

static size_t count(const struct ssd_field *f)
{
	size_t n = 0;

	while (f && f[n].type != SSD_END)
		n++;
	return n;
}

static void add_fields(struct ssd_field *end, const struct ssd_field *f)
{
	while (f && f->type != SSD_END)
		*end++ = *f++;
}

/* Tables one after the other, with room for more; the rest is zero, that is SSD_END. */
static struct ssd_field *join(struct ssd_arena *a, const struct ssd_field *first, const struct ssd_field *second,
			      size_t room)
{
	size_t n = count(first);
	struct ssd_field *f = ssd_arena_alloc(a, (n + count(second) + room + 1) * sizeof(*f));

	add_fields(f, first);
	add_fields(f + n, second);
	return f;
}

static struct ssd_field *object(struct ssd_arena *a, const struct ssd_field *sub)
{
	struct ssd_field *f = ssd_arena_alloc(a, sizeof(*f));

	*f = (struct ssd_field){.type = SSD_OBJ, .sub = sub};
	return f;
}

static void add_pages(struct ssd_field *end, const struct ssd_page *const *pages)
{
	for (; pages && *pages; pages++)
		*end++ = (*pages)->field;
}

/* Only the page that was asked for is there; those that the command always has are there already. */
static void add_standard_pages(struct ssd_field *f, unsigned flags)
{
	for (const struct ssd_page *const *p = ssd_standard_pages; *p; p++) {
		unsigned wanted = (*p)->kind == SSD_PAGE_LOG ? SSD_CMD_ANY_LOG : SSD_CMD_ANY_IDENTIFY;
		struct ssd_field *end = f + count(f);

		if (!(flags & wanted) || ssd_field_find(f, (*p)->field.key))
			continue;
		*end = (*p)->field;
		end->flags |= SSD_OPTIONAL;
	}
}

/* Once, whichever product lines share it. */
static void add_optional(struct ssd_field *f, const struct ssd_field *field)
{
	struct ssd_field *end = f + count(f);

	if (ssd_field_find(f, field->key))
		return;
	*end = *field;
	end->flags |= SSD_OPTIONAL;
}

static bool is_of(const char *wanted, const struct ssd_command *command)
{
	return wanted && !strcmp(wanted, command->name);
}

/* What vendors add are optional members: absent when the module does not match the drive. */
static void add_vendor_pages(struct ssd_field *f, const struct ssd_command *command)
{
	for (const struct ssd_vendor *const *v = ssd_vendors; *v; v++) {
		for (const struct ssd_page *const *p = (*v)->pages; *p; p++)
			if (is_of((*p)->command, command) ||
			    (command->flags & SSD_CMD_ANY_LOG && (*p)->kind == SSD_PAGE_LOG))
				add_optional(f, &(*p)->field);
		for (const struct ssd_extra *const *e = (*v)->extras; e && *e; e++)
			if (is_of((*e)->command, command))
				add_optional(f, &(*e)->field);
	}
}

/* Only the feature that was asked for is there. */
static void add_features(struct ssd_field *f)
{
	for (const struct ssd_std_feature *s = ssd_std_features; s->page.name; s++)
		add_optional(f, &s->page.field);
	for (const struct ssd_vendor *const *v = ssd_vendors; *v; v++)
		for (const struct ssd_feature *const *vf = (*v)->features; vf && *vf; vf++)
			add_optional(f, &(*vf)->page.field);
}

const struct ssd_field *ssd_element_field(struct ssd_arena *a, const struct ssd_command *command, bool with_vendors)
{
	struct ssd_field *f = join(a, element_fields, command ? command->fields : NULL, 160);

	add_pages(f + count(f), command ? command->pages : NULL);
	if (with_vendors && command) {
		add_vendor_pages(f, command);
		add_standard_pages(f, command->flags);
		if (command->flags & SSD_CMD_ANY_FEATURE)
			add_features(f);
		if (command->flags & SSD_CMD_LOCAL)
			add_optional(f, &ssd_local_field);
	}
	return object(a, f);
}

const struct ssd_field *ssd_envelope_field(struct ssd_arena *a, const struct ssd_command *command)
{
	struct ssd_field *f = join(a, envelope_fields, command ? command->top : NULL, 1);

	f[count(f)] = (struct ssd_field){"drives",
					 "Drives",
					 "One element per drive",
					 SSD_LIST,
					 .flags = SSD_ALWAYS | SSD_NO_TEXT,
					 .sub = ssd_element_field(a, command, true)->sub};
	return object(a, f);
}

/* By the element's model and firmware, and by the drive's PCI device. */
static void set_family(struct ssd_node *element, const struct ssd_drive *drive, int pci_vendor, int subsystem_vendor)
{
	const struct ssd_identity id = {ssd_get_str(element, "model", ""),
					ssd_get_str(element, "firmware", ""),
					pci_vendor,
					drive->pci_device,
					subsystem_vendor,
					drive->pci_subsystem_device};
	const char *family;

	ssd_vendor_find(&id, &family);
	ssd_set_str(element, "family", family);
}

void ssd_element_identity(struct ssd_node *element, const struct ssd_drive *drive)
{
	ssd_set_str(element, "device", drive->device);
	ssd_set_str(element, "path", drive->path);
	ssd_set_str(element, "model", drive->model);
	ssd_set_str(element, "serial", drive->serial);
	ssd_set_str(element, "firmware", drive->firmware);
	set_family(element, drive, drive->pci_vendor, drive->pci_subsystem_vendor);
}

void ssd_element_refresh(struct ssd_node *element, const struct ssd_device *dev)
{
	static const struct {
		const char *key;
		size_t off, len;
	} fields[] = {{"serial", SSD_ID_CTRL_SN, SSD_ID_CTRL_SN_BYTES},
		      {"model", SSD_ID_CTRL_MN, SSD_ID_CTRL_MN_BYTES},
		      {"firmware", SSD_ID_CTRL_FR, SSD_ID_CTRL_FR_BYTES}};

	if (!dev->id_ctrl || dev->id_ctrl_len < SSD_ID_CTRL_FR + SSD_ID_CTRL_FR_BYTES)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		ssd_set_str(element, fields[i].key,
			    ssd_printable(element->arena, dev->id_ctrl + fields[i].off, fields[i].len));
	set_family(element, dev->drive, ssd_le16(dev->id_ctrl + SSD_ID_CTRL_VID),
		   ssd_le16(dev->id_ctrl + SSD_ID_CTRL_SSVID));
}

void ssd_set_error(struct ssd_node *obj, const struct ssd_err *err)
{
	struct ssd_node *e;

	ssd_set_bool(obj, "ok", !err || !ssd_failed(err));
	if (!err || !ssd_failed(err))
		return;
	e = ssd_set_obj(obj, "error");
	ssd_set_str(e, "code", ssd_err_word(err->code));
	ssd_set_str(e, "message", err->message);
	ssd_set_str(e, "hint", err->hint);
	if (err->sys_errno)
		ssd_set_int(e, "errno", err->sys_errno);
	if (err->nvme_status >= 0)
		ssd_set_status(ssd_set_obj(e, "nvme_status"), (unsigned)err->nvme_status);
}
