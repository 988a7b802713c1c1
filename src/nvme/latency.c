/* SPDX-License-Identifier: MIT */
/* Predictable Latency Per NVM Set (log page 0Ah): NVM Express Base Specification 2.0c, figure 218. */
#include <ssdct/page.h>

static const struct ssd_name window_names[] = {{0, "predictable latency mode is off"},
					       {1, "deterministic (DTWIN)"},
					       {2, "non-deterministic (NDWIN)"},
					       {0, NULL}};

static const struct ssd_field event_bits[] = {
	SSD_BIT("reads", "DTWIN reads warning", 0),
	SSD_BIT("writes", "DTWIN writes warning", 1),
	SSD_BIT("time", "DTWIN time warning", 2),
	SSD_BIT("exceeded", "window left: typical or maximum value exceeded", 14),
	SSD_BIT("excursion", "window left: deterministic excursion", 15),
	SSD_FIELD_END,
};

static const struct ssd_field fields[] = {
	SSD_ENUM_FIELD("window", "Window", 0, 1, window_names, .bits = 3, .help = "Which window the NVM set is in"),
	SSD_FLAGS_FIELD("events", "Events", 2, 2, event_bits),
	SSD_U64("dtwin_reads_typical", "DTWIN reads, typical", 32, .help = "Random reads of 4 KiB"),
	SSD_U64("dtwin_writes_typical", "DTWIN writes, typical", 40, .help = "Writes of the optimal write size"),
	SSD_U64("dtwin_time_maximum_ms", "DTWIN time, maximum", 48, .unit = SSD_MS),
	SSD_U64("ndwin_time_minimum_high_ms", "NDWIN time, minimum, high", 56, .unit = SSD_MS),
	SSD_U64("ndwin_time_minimum_low_ms", "NDWIN time, minimum, low", 64, .unit = SSD_MS),
	SSD_U64("dtwin_reads_estimate", "DTWIN reads, left", 128, .help = "Random reads of 4 KiB"),
	SSD_U64("dtwin_writes_estimate", "DTWIN writes, left", 136, .help = "Writes of the optimal write size"),
	SSD_U64("dtwin_time_estimate_ms", "DTWIN time, left", 144, .unit = SSD_MS),
	SSD_FIELD_END,
};

const struct ssd_page ssd_page_latency = {
	.field = {.key = "predictable_latency",
		  .label = "Predictable latency",
		  .help = "Predictable latency mode of an NVM set (log page 0Ah)",
		  .type = SSD_OBJ,
		  .sub = fields},
	.name = "predictable-latency",
	.kind = SSD_PAGE_LOG,
	.id = 0x0a,
	.flags = SSD_PAGE_LSI,
	.size = 512,
};
