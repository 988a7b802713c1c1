/* SPDX-License-Identifier: MIT */
/* Identify structures other than those of controller and namespace: every field where libnvme's structures have it. */
#include "check.h"
#include "page_image.h"

#include <libnvme.h>

#define ROWS(rows) rows, ARRAY_SIZE(rows)
#define LIST(t, m, k) AT(t, m, k, 1)

static const struct number nvmset[] = {
	LIST(nvme_nvmset_attr, nvmsetid, "nvmsetid"),          LIST(nvme_nvmset_attr, endgid, "endgid"),
	AT(nvme_nvmset_attr, rr4kt, "random_read_4k_ns", 100), LIST(nvme_nvmset_attr, ows, "optimal_write_bytes"),
	LIST(nvme_nvmset_attr, tnvmsetcap, "total_bytes"),     LIST(nvme_nvmset_attr, unvmsetcap, "unallocated_bytes"),
};

static const struct number domain[] = {
	LIST(nvme_id_domain_attr, dom_id, "domainid"),
	LIST(nvme_id_domain_attr, dom_cap, "total_bytes"),
	LIST(nvme_id_domain_attr, unalloc_dom_cap, "unallocated_bytes"),
	LIST(nvme_id_domain_attr, max_egrp_dom_cap, "largest_group_bytes"),
};

static const struct number granularity[] = {
	LIST(nvme_id_ns_granularity_desc, nszegran, "size_granularity_bytes"),
	LIST(nvme_id_ns_granularity_desc, ncapgran, "capacity_granularity_bytes"),
};

static const struct number secondary[] = {
	LIST(nvme_secondary_ctrl, scid, "scid"), LIST(nvme_secondary_ctrl, pcid, "pcid"),
	LIST(nvme_secondary_ctrl, scs, "scs"),   LIST(nvme_secondary_ctrl, vfn, "vfn"),
	LIST(nvme_secondary_ctrl, nvq, "nvq"),   LIST(nvme_secondary_ctrl, nvi, "nvi"),
};

#define PRIMARY(m) AT(nvme_primary_ctrl_cap, m, #m, 1)
static const struct number primary[] = {
	PRIMARY(cntlid), PRIMARY(portid), PRIMARY(crt),    PRIMARY(vqfrt),  PRIMARY(vqrfa),
	PRIMARY(vqrfap), PRIMARY(vqprt),  PRIMARY(vqfrsm), PRIMARY(vqgran), PRIMARY(vifrt),
	PRIMARY(virfa),  PRIMARY(virfap), PRIMARY(viprt),  PRIMARY(vifrsm), PRIMARY(vigran),
};

#define CTRL_NVM(m) AT(nvme_id_ctrl_nvm, m, #m, 1)
static const struct number ctrl_nvm[] = {CTRL_NVM(vsl),  CTRL_NVM(wzsl),  CTRL_NVM(wusl),
					 CTRL_NVM(dmrl), CTRL_NVM(dmrsl), CTRL_NVM(dmsl)};

static const struct number ns_nvm[] = {AT(nvme_nvm_id_ns, lbstm, "lbstm", 1), AT(nvme_nvm_id_ns, pic, "pic", 1)};

#define INDEPENDENT(m) AT(nvme_id_independent_id_ns, m, #m, 1)
static const struct number independent[] = {
	INDEPENDENT(nsfeat), INDEPENDENT(nmic),     INDEPENDENT(rescap), INDEPENDENT(fpi),   INDEPENDENT(anagrpid),
	INDEPENDENT(nsattr), INDEPENDENT(nvmsetid), INDEPENDENT(endgid), INDEPENDENT(nstat),
};

START_TEST(test_flat)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	check_members(decode(&ssd_page_primary, bytes, ID_LEN), bytes, ROWS(primary));
	check_members(decode(&ssd_page_ctrl_nvm, bytes, ID_LEN), bytes, ROWS(ctrl_nvm));
	check_members(decode(&ssd_page_ns_nvm, bytes, ID_LEN), bytes, ROWS(ns_nvm));
	check_members(decode(&ssd_page_independent_ns, bytes, ID_LEN), bytes, ROWS(independent));
}
END_TEST

/* The list of `key`: `count` elements from where libnvme has the first one, each with its fields. */
static void check_list(const struct ssd_page *page, const uint8_t *bytes, const char *key, size_t count, size_t first,
		       size_t stride, const struct number *rows, size_t n)
{
	const struct ssd_node *item = ssd_get(decode(page, bytes, ID_LEN), key)->child;

	for (size_t i = 0; i < count; i++, item = item->next) {
		ck_assert_msg(item != NULL, "%s has %zu elements", key, i);
		check_members(item, bytes + first + i * stride, rows, n);
	}
	ck_assert_msg(!item, "%s has more than %zu elements", key, count);
}

START_TEST(test_lists)
{
	uint8_t bytes[ID_LEN];

	fill(bytes, sizeof(bytes));
	bytes[offsetof(struct nvme_id_nvmset_list, nid)] = 3;
	check_list(&ssd_page_nvm_sets, bytes, "nvm_sets", 3, offsetof(struct nvme_id_nvmset_list, ent),
		   sizeof(struct nvme_nvmset_attr), ROWS(nvmset));
	check_list(&ssd_page_domains, bytes, "domains", 3, offsetof(struct nvme_id_domain_list, domain_attr),
		   sizeof(struct nvme_id_domain_attr), ROWS(domain));
	check_list(&ssd_page_secondary, bytes, "controllers", 3, offsetof(struct nvme_secondary_ctrl_list, sc_entry),
		   sizeof(struct nvme_secondary_ctrl), ROWS(secondary));
	bytes[offsetof(struct nvme_id_ns_granularity_list, num_descriptors)] = 6; /* zero-based */
	check_list(&ssd_page_granularity, bytes, "descriptors", 7, offsetof(struct nvme_id_ns_granularity_list, entry),
		   sizeof(struct nvme_id_ns_granularity_desc), ROWS(granularity));
	/* More than there is room for. */
	bytes[0] = 255;
	check_list(&ssd_page_nvm_sets, bytes, "nvm_sets", 31, 128, 128, ROWS(nvmset));
	bytes[0] = 0;
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_nvm_sets, bytes, ID_LEN), "nvm_sets")->child);
	/* The number of elements has not arrived; it has, but no element. */
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_granularity, bytes, 4), "descriptors"));
	bytes[0] = 1;
	ck_assert_ptr_null(ssd_get(decode(&ssd_page_nvm_sets, bytes, 128), "nvm_sets"));
}
END_TEST

static void check_numbers(const struct ssd_node *list, const int *want, size_t n)
{
	const struct ssd_node *c = list->child;

	for (size_t i = 0; i < n; i++, c = c->next) {
		ck_assert_msg(c != NULL, "%zu numbers", i);
		ck_assert_int_eq((int)c->u, want[i]);
	}
	ck_assert_ptr_null(c);
}

START_TEST(test_identifiers)
{
	uint8_t bytes[ID_LEN] = {0};
	const int nsids[] = {1, 2, 0x01020304};
	const int controllers[] = {0, 5, 0x0201};

	for (unsigned i = 0; i < 3; i++)
		ssd_put_le(bytes + 4 * (size_t)i, 4, (uint64_t)nsids[i]);
	ssd_put_le(bytes + 16, 4, 9); /* behind the end */
	check_numbers(ssd_get(decode(&ssd_page_active_ns, bytes, ID_LEN), "nsids"), nsids, 3);
	check_numbers(ssd_get(decode(&ssd_page_allocated_ns_list, bytes, ID_LEN), "nsids"), nsids, 3);
	check_numbers(ssd_get(decode(&ssd_page_active_ns_csi, bytes, 11), "nsids"), nsids, 2);
	fill(bytes, sizeof(bytes));
	ck_assert_int_eq(ssd_get(decode(&ssd_page_active_ns, bytes, ID_LEN), "nsids")->last->u,
			 (int64_t)ssd_le32(bytes + 4092));
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 3;
	for (unsigned i = 0; i < 3; i++)
		ssd_put_le(bytes + offsetof(struct nvme_ctrl_list, identifier) + 2 * (size_t)i, 2,
			   (uint64_t)controllers[i]);
	check_numbers(ssd_get(decode(&ssd_page_controllers, bytes, ID_LEN), "controllers"), controllers, 3);
	check_numbers(ssd_get(decode(&ssd_page_attached_ctrls, bytes, ID_LEN), "controllers"), controllers, 3);
	check_numbers(ssd_get(decode(&ssd_page_endurance_groups, bytes, ID_LEN), "endurance_groups"), controllers, 3);
	check_numbers(ssd_get(decode(&ssd_page_controllers, bytes, 7), "controllers"), controllers, 2);
	bytes[0] = bytes[1] = 0xff; /* more than there are: all, and no further */
	ck_assert_ptr_nonnull(decode(&ssd_page_controllers, bytes, ID_LEN));
}
END_TEST

static uint8_t *put_descriptor(uint8_t *p, unsigned type, unsigned len, unsigned first)
{
	p[offsetof(struct nvme_ns_id_desc, nidt)] = (uint8_t)type;
	p[offsetof(struct nvme_ns_id_desc, nidl)] = (uint8_t)len;
	p += sizeof(struct nvme_ns_id_desc);
	for (unsigned i = 0; i < len; i++)
		*p++ = (uint8_t)(first + i);
	return p;
}

START_TEST(test_namespace_descriptors)
{
	uint8_t bytes[ID_LEN] = {0}, *p = bytes;
	const struct ssd_node *d;

	p = put_descriptor(p, NVME_NIDT_UUID, 16, 0xa0);
	p = put_descriptor(p, NVME_NIDT_EUI64, 8, 1);
	p = put_descriptor(p, 0x7f, 3, 9);
	p = put_descriptor(p, NVME_NIDT_NGUID, 16, 0x10);
	p = put_descriptor(p, NVME_NIDT_NGUID, 4, 0x20); /* not the length of an NGUID */
	put_descriptor(p, NVME_NIDT_CSI, 1, 2);
	d = ssd_get(decode(&ssd_page_ns_descs, bytes, ID_LEN), "descriptors")->child;
	ck_assert_str_eq(ssd_get_str(d, "uuid", ""), "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
	ck_assert_ptr_null(ssd_get(d, "eui64"));
	d = d->next;
	ck_assert_str_eq(ssd_get_str(d, "eui64", ""), "0102030405060708");
	d = d->next;
	ck_assert_int_eq(ssd_get_int(d, "type.value", -1), 0x7f);
	ck_assert_int_eq(ssd_get_int(d, "length_bytes", -1), 3);
	d = d->next;
	ck_assert_str_eq(ssd_get_str(d, "nguid", ""), "101112131415161718191a1b1c1d1e1f");
	d = d->next;
	ck_assert_ptr_null(ssd_get(d, "nguid"));
	d = d->next;
	ck_assert_str_eq(ssd_get_str(d, "csi.name", ""), "Zoned Namespace");
	ck_assert_ptr_null(d->next);
	/* Cut within the UUID: it is there without its value. */
	d = ssd_get(decode(&ssd_page_ns_descs, bytes, 19), "descriptors")->child;
	ck_assert_int_eq(ssd_get_int(d, "length_bytes", -1), 16);
	ck_assert_ptr_null(ssd_get(d, "uuid"));
}
END_TEST

START_TEST(test_uuids_and_command_sets)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *u;
	size_t first = offsetof(struct nvme_id_uuid_list, entry);

	bytes[first] = 2;
	for (unsigned i = 0; i < 16; i++)
		bytes[first + offsetof(struct nvme_id_uuid_list_entry, uuid) + i] = (uint8_t)(0xf0 + i);
	bytes[first + 32 + 31] = 1;
	bytes[first + 3 * 32 + 31] = 1; /* behind the end */
	u = ssd_get(decode(&ssd_page_uuid_list, bytes, ID_LEN), "uuids")->child;
	ck_assert_int_eq(ssd_get_int(u, "index", -1), 1);
	ck_assert_str_eq(ssd_get_str(u, "uuid", ""), "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
	ck_assert_str_eq(ssd_get_str(u, "header.association.name", ""), "PCI subsystem vendor (SSVID)");
	u = u->next;
	ck_assert_int_eq(ssd_get_int(u, "index", -1), 2);
	ck_assert_ptr_null(u->next);
	memset(bytes, 0, sizeof(bytes));
	bytes[offsetof(struct nvme_id_iocs, iocsc) + 8] = 5;
	u = ssd_get(decode(&ssd_page_command_sets, bytes, ID_LEN), "combinations")->child;
	ck_assert_int_eq(ssd_get_int(u, "index", -1), 1);
	ck_assert_int_eq(ssd_get_int(u, "command_sets.nvm", -1), 1);
	ck_assert_int_eq(ssd_get_int(u, "command_sets.key_value", -1), 0);
	ck_assert_int_eq(ssd_get_int(u, "command_sets.zoned", -1), 1);
	ck_assert_ptr_null(u->next);
}
END_TEST

/* ELBAF: storage tag size in bits 6:0, format of the protection information in 8:7. */
START_TEST(test_extended_formats)
{
	uint8_t bytes[ID_LEN] = {0};
	const struct ssd_node *f;

	ssd_put_le(bytes + offsetof(struct nvme_nvm_id_ns, elbaf) + 4 * 63, 4, 2 << 7 | 48);
	f = ssd_get(decode(&ssd_page_ns_nvm, bytes, ID_LEN), "elbaf")->child;
	ck_assert_int_eq(ssd_get_int(f, "index", -1), 63);
	ck_assert_int_eq(ssd_get_int(f, "elbaf.storage_tag_bits", -1), 48);
	ck_assert_str_eq(ssd_get_str(f, "elbaf.guard.name", ""), "64-bit guard");
	ck_assert_ptr_null(f->next);
}
END_TEST

CHECK_MAIN("identify lists", test_flat, test_lists, test_identifiers, test_namespace_descriptors,
	   test_uuids_and_command_sets, test_extended_formats)
