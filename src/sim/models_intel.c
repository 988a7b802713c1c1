/* SPDX-License-Identifier: MIT */
/* What the models answer on Intel's own log pages. Sources by their short names: models.c. */
#include "sim/models.h"

/* Directory (C0h) of the P3700 as SPDK names its members; of the P4510 as captured, C4h included. */
static const uint8_t p3700_directory[] = {0xc1, 0xc2, 0xc5, 0xca, 0xdd, 0};
static const uint8_t p4510_directory[] = {0xc1, 0xc2, 0xc4, 0xc5, 0xca, 0xdd, 0};

/* The v4.1 histogram of writes that a drive gave (nvme-cli issue 806, its first buckets), and one of reads made up. */
static const struct sim_bucket p4610_writes[] = {
	{2, 27926401},  {3, 70933315},  {4, 129010370}, {5, 260592977}, {6, 253262697}, {7, 214953419}, {8, 157248744},
	{9, 125839540}, {10, 97967792}, {11, 65886311}, {200, 4210},    {530, 27},      {1215, 1},      {0, 0},
};
static const struct sim_bucket p4610_reads[] = {
	{70, 120411}, {80, 5120398}, {84, 22910433}, {90, 9120331}, {128, 2044120}, {180, 310492},
	{260, 40211}, {380, 1204},   {520, 118},     {700, 3},      {0, 0},
};
/* v3: steps of 32 us, from bucket 32 on of 1 ms, from 63 on of 32 ms. */
static const struct sim_bucket p3600_reads[] = {{2, 80213344}, {3, 190288320}, {4, 44210993}, {10, 2201944},
						{33, 90211},   {63, 17},       {0, 0}};
static const struct sim_bucket p3600_writes[] = {{0, 402119480}, {1, 90281133}, {7, 1200432},
						 {40, 30299},    {70, 2},       {0, 0}};

/* CAh: the 13 keys of the P3700 specification (SPDK). Timed-workload counters run. F5h is what SMART says, in 32 MiB. */
static const struct sim_attr p3700_attrs[] = {
	{0xab, 100, 0},
	{0xac, 100, 0},
	{0xad, 97, SIM_WEAR(790, 812, 804)},
	{0xb8, 100, 0},
	{0xc7, 100, 13},
	{0xe2, 100, 133},
	{0xe3, 100, 71},
	{0xe4, 100, 1612952},
	{0xea, 100, 0},
	{0xf0, 100, 0},
	{0xf3, 100, 0},
	{0xf4, 100, 47910400},
	{0xf5, 100, 36924302},
	{0},
};
/* Wear, NAND and host units of a worn P3600 (facebook/CacheLib, NandWritesTest.cpp); "no data yet" in E2h to E4h. */
static const struct sim_attr p3600_attrs[] = {
	{0xab, 99, 2},
	{0xac, 100, 0},
	{0xad, 70, SIM_WEAR(3523, 3603, 3562)},
	{0xb8, 100, 0},
	{0xc7, 100, 0},
	{0xe2, 100, 65535},
	{0xe3, 100, 65535},
	{0xe4, 100, 65535},
	{0xea, 100, 0 | 1 << 8}, /* never throttled now, once in its life */
	{0xf0, 100, 0},
	{0xf3, 100, 0},
	{0xf4, 100, 224943088},
	{0xf5, 100, 172365270},
	{0},
};
/* The keys of a P4511 of the same generation, in its order (public capture, VCV10370), and newer ones. */
static const struct sim_attr p4510_attrs[] = {
	{0xab, 100, 0},      {0xac, 100, 0},     {0xad, 100, SIM_WEAR(18, 27, 22)},
	{0xb8, 100, 0},      {0xc7, 100, 0},     {0xe2, 100, 65535},
	{0xe3, 100, 65535},  {0xe4, 100, 65535}, {0xea, 100, 0},
	{0xf0, 100, 0},      {0xf3, 100, 0},     {0xf4, 100, 1361200},
	{0xf5, 100, 907551}, {0xf6, 100, 0},     {0},
};
/* In no order, with holes, and with keys that only newer firmware has. */
static const struct sim_attr p4610_attrs[] = {
	{0xf5, 100, 20971520}, {0x05, 100, 0, 2},
	{0x0d, 100, 0},        {0xab, 100, 0},
	{0xae, 100, 11, 1},    {0xac, 100, 0},
	{0xea, 100, 0},        {0xad, 94, SIM_WEAR(610, 655, 633)},
	{0xb8, 100, 0},        {0xe2, 100, 65535},
	{0xe3, 100, 65535},    {0xe4, 100, 65535, 3},
	{0xf6, 100, 0},        {0xc7, 100, 0},
	{0xf0, 100, 0},        {0xf3, 100, 0},
	{0xf4, 100, 31457280}, {0},
};
/* isdct's P3608: hardly worn; keys F4h and F5h are missing, as on some firmware of the family (nvme-cli issue 245). */
static const struct sim_attr p3608_attrs[] = {
	{0xab, 100, 0}, {0xac, 100, 0},      {0xad, 100, SIM_WEAR(46, 48, 47)},
	{0xb8, 100, 0}, {0xc7, 100, 0},      {0xe2, 100, 31},
	{0xe3, 100, 0}, {0xe4, 100, 661523}, {0xea, 100, 0},
	{0xf0, 100, 0}, {0xf3, 100, 0},      {0},
};
/* The newer keys (nvme-cli's and illumos's tables); values made up. C7h is a count of bad TLPs beside E7h and E8h. */
static const struct sim_attr p5520_attrs[] = {
	{0x05, 100, 3},
	{0x0d, 100, 0},
	{0xab, 100, 0},
	{0xac, 100, 0},
	{0xad, 100, SIM_WEAR(33, 41, 37)},
	{0xae, 100, 2},
	{0xb8, 100, 0},
	{0xc7, 100, 4},
	{0xe2, 100, 65535},
	{0xe3, 100, 65535},
	{0xe4, 100, 65535},
	{0xe5, 100, 0},
	{0xe6, 100, 0},
	{0xe7, 100, 1},
	{0xe8, 100, 0},
	{0xea, 100, 0},
	{0xee, 100, 0},
	{0xf0, 100, 0},
	{0xf3, 100, 0},
	{0xf4, 100, 1248000},
	{0xf5, 100, 960000},
	{0xf6, 100, 0},
	{0xf8, 100, 2010000},
	{0xf9, 100, 8},
	{0xfa, 100, 12},
	{0xfb, 100, 4},
	{0xfc, 100, 0},
	{0xfd, 100, 0},
	{0xfe, 100, 0},
	{0},
};
/* The keys of the P4511, as fewer than the P5520 has (illumos), in no order; PLL losses as four counts (nvme-cli issue 2770). */
static const struct sim_attr ps1010_attrs[] = {
	{0xfe, 100, 0},
	{0xe8, 100, 3},
	{0xad, 100, SIM_WEAR(2, 6, 4), 2},
	{0xab, 100, 0},
	{0xac, 100, 0},
	{0xc7, 100, 9},
	{0xe7, 100, 2, 1},
	{0xb8, 100, 0},
	{0xe2, 100, 205},
	{0xe3, 100, 44},
	{0xe4, 100, 20160},
	{0xea, 100, 0},
	{0xf4, 100, 310200},
	{0xf5, 100, 282000},
	{0xf8, 100, 911000},
	{0},
};
/* As a P4800X with this firmware shows them (DAOS); F5h as SMART says. */
static const struct sim_attr p4800x_attrs[] = {
	{0xab, 100, 0},
	{0xac, 100, 0},
	{0xad, 100, SIM_WEAR(0, 9, 3)},
	{0xb8, 100, 0},
	{0xc7, 100, 0},
	{0xe2, 100, 65535},
	{0xe3, 100, 65535},
	{0xe4, 100, 65535},
	{0xea, 100, 0},
	{0xf0, 100, 0},
	{0xf3, 100, 0},
	{0xf4, 100, 222897},
	{0xf5, 100, 222000},
	{0},
};

/* Pages of later drives: which product line has which says plugins/intel/intel.c's source, illumos. */
static const uint8_t p5510_directory[] = {0xc1, 0xc2, 0xc5, 0xca, 0xcb, 0xdd, 0xfd, 0xfe, 0};
static const uint8_t p5510_more[] = {0xcb, 0xfd, 0xfe, 0};
static const uint8_t p5520_more[] = {0xc0, 0xcb, 0xf2, 0xf9, 0xfd, 0xfe, 0};
/* It lists OCP's UUID, so it has what the specification 2.0 asks for. */
static const uint8_t p5336_more[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xf9, 0};
static const uint8_t ps1010_more[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xf9, 0};

const struct sim_intel p3700_intel = {
	.market_name = "Intel SSD DC P3700 Series",
	.boot_loader = "8B1B012E", /* isdct */
	.attrs = p3700_attrs,
	.temperature = {38, 46, 23, 85, 0, -5}, /* isdct */
	.directory = p3700_directory,
	.latency_major = 3,
	.dump_major = 1,
	.dump_minor = 1,
};
const struct sim_intel p3600_intel = {
	.market_name = "Intel SSD DC P3600 Series",
	.attrs = p3600_attrs,
	.temperature = {33, 51, 20, 85, 0, -5},
	.directory = p3700_directory,
	.latency_major = 3,
	.dump_major = 1,
	.dump_minor = 1,
	.reads = p3600_reads,
	.writes = p3600_writes,
};
const struct sim_intel p3608_intel = {
	.market_name = "Intel SSD DC P3608 Series",
	.boot_loader = "8B1B0130", /* isdct */
	.attrs = p3608_attrs,
	.temperature = {27, 39, 22, 85, 0, 0}, /* isdct */
	.directory = p3700_directory,
	.latency_major = 3,
	.dump_major = 1,
	.dump_minor = 1,
};
const struct sim_intel p5520_intel = {
	.market_name = "Solidigm D7-P5520 Series",
	.attrs = p5520_attrs,
	.temperature = {39, 55, 22, 70, 0, 0},
	.latency_major = 4,
	.latency_minor = 8,
	.more = p5520_more,
};
const struct sim_intel p5510_intel = {
	.market_name = "Intel SSD D7-P5510 Series",
	.attrs = p4510_attrs,
	.temperature = {35, 49, 21, 70, 0, 0},
	.directory = p5510_directory,
	.latency_major = 4,
	.latency_minor = 5,
	.more = p5510_more,
};
/* No directory at C0h is known of; 4.0 is the short layout. */
const struct sim_intel p5316_intel = {
	.market_name = "Intel SSD D5-P5316 Series",
	.attrs = p4610_attrs,
	.temperature = {38, 52, 20, 70, 0, 0},
	.latency_major = 4,
};
/* Neither latency nor temperature pages are known of. */
const struct sim_intel p5336_intel = {
	.market_name = "Solidigm D5-P5336 Series",
	.attrs = p5520_attrs,
	.more = p5336_more,
};
const struct sim_intel ps1010_intel = {
	.market_name = "Solidigm D7-PS1010 Series",
	.attrs = ps1010_attrs,
	.temperature = {46, 61, 24, 78, 0, 0},
	.at_d5 = true,
	.more = ps1010_more,
};
const struct sim_intel p4510_intel = {
	.market_name = "Intel SSD DC P4510 Series",
	.boot_loader = "0181", /* P4510 */
	.attrs = p4510_attrs,
	.temperature = {37, 52, 21, 70, 0, 0},
	.directory = p4510_directory,
	.latency_major = 4,
	.latency_minor = 1,
	.dump_major = 2,
};
const struct sim_intel p4610_intel = {
	.market_name = "Intel SSD DC P4610 Series",
	.attrs = p4610_attrs,
	.temperature = {41, 58, 22, 70, 0, 0},
	.directory = p4510_directory,
	.latency_major = 4,
	.latency_minor = 1,
	.dump_major = 2,
	.reads = p4610_reads,
	.writes = p4610_writes,
};
const struct sim_intel p4800x_intel = {
	.market_name = "Intel Optane SSD DC P4800X Series",
	.attrs = p4800x_attrs,
	.temperature = {36, 49, 24, 85, 0, 0},
	.latency_major = 1000,
};
