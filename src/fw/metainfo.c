/* SPDX-License-Identifier: MIT */
/*
 * The metadata of firmware archives as the LVFS ships them: AppStream XML, read with libxml2, and the GUIDs by which it
 * names drives. Instance ids and how GUIDs are made of them: https://fwupd.github.io/libfwupdplugin/nvme-README.html and
 * RFC 4122, section 4.3. Requirements: https://lvfs.readthedocs.io/en/latest/metainfo.html.
 */
#include "fw/image.h"

#include <ctype.h>
#include <fnmatch.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <nettle/sha1.h>
#include <regex.h>

static void auto_doc(xmlDoc **doc)
{
	if (*doc)
		xmlFreeDoc(*doc);
}

static void hex_guid(const uint8_t b[16], char guid[37])
{
	snprintf(guid, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
		 b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

void fw_guid(const char *instance_id, char guid[37])
{
	/* The name space of domain names: RFC 4122, appendix C. */
	static const uint8_t dns[16] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
					0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx ctx;

	sha1_init(&ctx);
	sha1_update(&ctx, sizeof(dns), dns);
	sha1_update(&ctx, strlen(instance_id), (const uint8_t *)instance_id);
	sha1_digest(&ctx, sizeof(digest), digest);
	digest[6] = (uint8_t)((digest[6] & 0x0f) | 0x50);
	digest[8] = (uint8_t)((digest[8] & 0x3f) | 0x80);
	hex_guid(digest, guid);
}

/* --- XML --- */

static bool is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

static const xmlNode *child(const xmlNode *parent, const char *name)
{
	for (const xmlNode *n = parent ? parent->children : NULL; n; n = n->next)
		if (is(n, name))
			return n;
	return NULL;
}

static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* The text of an element without the blanks around it. */
static void content(const xmlNode *node, char *buf, size_t size)
{
	xmlChar *text = node ? xmlNodeGetContent(node) : NULL;
	const char *p = text ? (const char *)text : "";
	size_t len;

	p += strspn(p, " \t\r\n");
	len = strlen(p);
	while (len && strchr(" \t\r\n", p[len - 1]))
		len--;
	snprintf(buf, size, "%.*s", (int)len, p);
	xmlFree(text);
}

static void attribute(const xmlNode *node, const char *name, char *buf, size_t size)
{
	xmlChar *text = node ? xmlGetProp(node, (const xmlChar *)name) : NULL;

	snprintf(buf, size, "%s", text ? (const char *)text : "");
	xmlFree(text);
}

static void read_guids(const xmlNode *provides, struct fw_metainfo *info)
{
	for (const xmlNode *n = provides ? provides->children : NULL; n; n = n->next) {
		char type[16];

		if (!is(n, "firmware") || info->n_guids == ARRAY_SIZE(info->guids))
			continue;
		attribute(n, "type", type, sizeof(type));
		if (*type && strcmp(type, "flashed") != 0)
			continue;
		content(n, info->guids[info->n_guids], sizeof(info->guids[0]));
		lower(info->guids[info->n_guids++]);
	}
}

/* More than there is room for is kept as one that cannot be checked. */
static void read_requires(const xmlNode *requires, struct fw_metainfo *info)
{
	for (const xmlNode *n = requires ? requires->children : NULL; n; n = n->next) {
		struct fw_requirement *r = &info->requires[info->n_requires];

		if (!is(n, "firmware"))
			continue;
		if (info->n_requires == ARRAY_SIZE(info->requires)) {
			ssd_strcpy(r[-1].compare, sizeof(r->compare), "more");
			return;
		}
		attribute(n, "compare", r->compare, sizeof(r->compare));
		attribute(n, "version", r->version, sizeof(r->version));
		content(n, r->of, sizeof(r->of));
		info->n_requires++;
	}
}

/* Checksums stand in the release or in an artifact of it; the one of the payload has target "content" or no target. */
static void read_payload(const xmlNode *parent, struct fw_metainfo *info)
{
	char text[256];

	for (const xmlNode *n = parent->children; n; n = n->next) {
		if (is(n, "artifacts") || is(n, "artifact"))
			read_payload(n, info);
		if (is(n, "filename"))
			content(n, info->filename, sizeof(info->filename));
		if (!is(n, "checksum"))
			continue;
		attribute(n, "target", text, sizeof(text));
		if (*text && strcmp(text, "content") != 0)
			continue;
		attribute(n, "filename", text, sizeof(text));
		if (*text)
			ssd_strcpy(info->filename, sizeof(info->filename), text);
		attribute(n, "type", text, sizeof(text));
		if (!strcmp(text, "sha256"))
			content(n, info->sha256, sizeof(info->sha256));
		lower(info->sha256);
	}
}

int fw_metainfo_parse(const uint8_t *xml, size_t size, struct fw_metainfo *info)
{
	int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
	AUTO(auto_doc)
	xmlDoc *doc = size < 1u << 20 ? xmlReadMemory((const char *)xml, (int)size, NULL, NULL, options) : NULL;
	const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL, *release;
	char type[32];

	*info = (struct fw_metainfo){0};
	if (!root || !is(root, "component"))
		return -1;
	attribute(root, "type", type, sizeof(type));
	if (strcmp(type, "firmware") != 0)
		return -1;
	content(child(root, "name"), info->name, sizeof(info->name));
	read_guids(child(root, "provides"), info);
	read_requires(child(root, "requires"), info);
	release = child(child(root, "releases"), "release");
	attribute(release, "version", info->version, sizeof(info->version));
	if (release)
		read_payload(release, info);
	return 0;
}

/* --- for which drive --- */

static bool names_guid(const struct fw_metainfo *info, const char *guid)
{
	for (size_t i = 0; i < info->n_guids; i++)
		if (!strcmp(info->guids[i], guid))
			return true;
	return false;
}

static bool names_instance(const struct fw_metainfo *info, const char *id)
{
	char guid[37];

	fw_guid(id, guid);
	return names_guid(info, guid);
}

static bool by_pci(const struct fw_metainfo *info, const struct fw_match *m)
{
	char id[80];

	if (m->pci_vendor < 0 || m->pci_device < 0)
		return false;
	snprintf(id, sizeof(id), "NVME\\VEN_%04X&DEV_%04X", (unsigned)m->pci_vendor, (unsigned)m->pci_device);
	if (names_instance(info, id))
		return true;
	if (m->pci_subsystem_vendor < 0 || m->pci_subsystem_device < 0)
		return false;
	snprintf(id + strlen(id), sizeof(id) - strlen(id), "&SUBSYS_%04X%04X", (unsigned)m->pci_subsystem_vendor,
		 (unsigned)m->pci_subsystem_device);
	return names_instance(info, id);
}

/* The FRU GUID, printed as fwupd does: the first three fields little-endian. */
static bool by_fguid(const struct fw_metainfo *info, const uint8_t *b)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	uint8_t bytes[16], any = 0;
	char guid[37];

	if (!b)
		return false;
	for (size_t i = 0; i < 16; i++) {
		bytes[i] = b[order[i]];
		any |= b[i];
	}
	hex_guid(bytes, guid);
	return any && names_guid(info, guid);
}

bool fw_metainfo_fits(const struct fw_metainfo *info, const struct fw_match *match)
{
	if (by_pci(info, match) || by_fguid(info, match->fguid) ||
	    (*match->model && names_instance(info, match->model)))
		return true;
	/* Without PCI ids (a recorded host) or without GUIDs only the names are left. */
	return (match->pci_device < 0 || !info->n_guids) && *match->model && strcasestr(info->name, match->model);
}

/* --- what it requires --- */

static bool matches(const char *regex, const char *text)
{
	regex_t re;
	bool found;

	if (regcomp(&re, regex, REG_EXTENDED | REG_NOSUB))
		return false;
	found = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return found;
}

/* Revisions of NVMe drives have no parts: fwupd calls their format "plain" and compares them as text, as is done here. */
static bool holds(const char *compare, const char *revision, const char *wanted)
{
	int order = strcmp(revision, wanted);

	if (!strcmp(compare, "glob"))
		return !fnmatch(wanted, revision, 0);
	if (!strcmp(compare, "regex"))
		return matches(wanted, revision);
	return (!strcmp(compare, "eq") && !order) || (!strcmp(compare, "ne") && order) ||
	       (!strcmp(compare, "lt") && order < 0) || (!strcmp(compare, "le") && order <= 0) ||
	       (!strcmp(compare, "gt") && order > 0) || (!strcmp(compare, "ge") && order >= 0);
}

/* "NVME:0x8086", several with a bar between them. */
static bool is_vendor(const struct fw_requirement *r, const struct fw_match *match)
{
	char id[16];

	if (match->pci_vendor < 0)
		return true;
	snprintf(id, sizeof(id), ":0x%04X", (unsigned)match->pci_vendor);
	return strcasestr(r->version, id);
}

const struct fw_requirement *fw_metainfo_unmet(const struct fw_metainfo *info, const struct fw_match *match)
{
	for (size_t i = 0; i < info->n_requires; i++) {
		const struct fw_requirement *r = &info->requires[i];

		if (!strcmp(r->of, "vendor-id")
			    ? is_vendor(r, match)
			    : !*r->of && match->revision && holds(r->compare, match->revision, r->version))
			continue;
		return r;
	}
	return NULL;
}
