/* SPDX-License-Identifier: MIT */
/*
 * Where the fields of Identify Controller are, for code that wants one of them without decoding the page (its table is in
 * nvme/id_ctrl.c): byte offsets and lengths, NVM Express Base Specification 2.0c, figure 275.
 */
#ifndef SSDCT_ID_CTRL_H
#define SSDCT_ID_CTRL_H

enum ssd_id_ctrl_offset {
	SSD_ID_CTRL_VID = 0,
	SSD_ID_CTRL_SSVID = 2,
	SSD_ID_CTRL_SN = 4,
	SSD_ID_CTRL_MN = 24,
	SSD_ID_CTRL_FR = 64,
	SSD_ID_CTRL_CMIC = 76,
	SSD_ID_CTRL_MDTS = 77,
	SSD_ID_CTRL_CNTLID = 78,
	SSD_ID_CTRL_VER = 80,
	SSD_ID_CTRL_OAES = 92,
	SSD_ID_CTRL_CTRATT = 96,
	SSD_ID_CTRL_CNTRLTYPE = 111,
	SSD_ID_CTRL_FGUID = 112,
	SSD_ID_CTRL_OACS = 256,
	SSD_ID_CTRL_FRMW = 260,
	SSD_ID_CTRL_LPA = 261,
	SSD_ID_CTRL_ELPE = 262,
	SSD_ID_CTRL_NPSS = 263,
	SSD_ID_CTRL_APSTA = 265,
	SSD_ID_CTRL_WCTEMP = 266,
	SSD_ID_CTRL_CCTEMP = 268,
	SSD_ID_CTRL_MTFA = 270,
	SSD_ID_CTRL_TNVMCAP = 280,
	SSD_ID_CTRL_FWUG = 319,
	SSD_ID_CTRL_KAS = 320,
	SSD_ID_CTRL_HCTMA = 322,
	SSD_ID_CTRL_SANICAP = 328,
	SSD_ID_CTRL_NN = 516,
	SSD_ID_CTRL_ONCS = 520,
	SSD_ID_CTRL_FNA = 524,
	SSD_ID_CTRL_VWC = 525,
	SSD_ID_CTRL_SUBNQN = 768,
	SSD_ID_CTRL_PSD = 2048,
	SSD_ID_CTRL_VS = 3072, /* the vendor's own, to the end */
};

enum {
	SSD_ID_CTRL_SN_BYTES = 20,
	SSD_ID_CTRL_MN_BYTES = 40,
	SSD_ID_CTRL_FR_BYTES = 8,
	SSD_ID_CTRL_FGUID_BYTES = 16,
	SSD_ID_CTRL_SUBNQN_BYTES = 256,
	SSD_ID_CTRL_PSD_BYTES = 32,
};

#endif
