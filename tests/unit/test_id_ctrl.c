/* SPDX-License-Identifier: MIT */
/* Offsets of Identify Controller against another description of the same bytes: libnvme's struct. */
#include "check.h"

#include <nvme/types.h>
#include <ssdct/id_ctrl.h>

#define SAME(name, member) ck_assert_uint_eq(SSD_ID_CTRL_##name, offsetof(struct nvme_id_ctrl, member))
#define SAME_BYTES(name, member) \
	ck_assert_uint_eq(SSD_ID_CTRL_##name##_BYTES, sizeof(((struct nvme_id_ctrl *)0)->member))

START_TEST(offsets)
{
	SAME(VID, vid);
	SAME(SSVID, ssvid);
	SAME(SN, sn);
	SAME(MN, mn);
	SAME(FR, fr);
	SAME(CMIC, cmic);
	SAME(MDTS, mdts);
	SAME(CNTLID, cntlid);
	SAME(VER, ver);
	SAME(OAES, oaes);
	SAME(CTRATT, ctratt);
	SAME(CNTRLTYPE, cntrltype);
	SAME(FGUID, fguid);
	SAME(OACS, oacs);
	SAME(FRMW, frmw);
	SAME(LPA, lpa);
	SAME(ELPE, elpe);
	SAME(NPSS, npss);
	SAME(WCTEMP, wctemp);
	SAME(CCTEMP, cctemp);
	SAME(MTFA, mtfa);
	SAME(TNVMCAP, tnvmcap);
	SAME(FWUG, fwug);
	SAME(KAS, kas);
	SAME(HCTMA, hctma);
	SAME(SANICAP, sanicap);
	SAME(NN, nn);
	SAME(ONCS, oncs);
	SAME(VWC, vwc);
	SAME(SUBNQN, subnqn);
	SAME(PSD, psd);
	SAME(VS, vs);
}
END_TEST

START_TEST(lengths)
{
	SAME_BYTES(SN, sn);
	SAME_BYTES(MN, mn);
	SAME_BYTES(FR, fr);
	SAME_BYTES(FGUID, fguid);
	SAME_BYTES(SUBNQN, subnqn);
	SAME_BYTES(PSD, psd[0]);
}
END_TEST

CHECK_MAIN("id_ctrl", offsets, lengths)
