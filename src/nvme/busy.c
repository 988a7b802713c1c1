/* SPDX-License-Identifier: MIT */
/* Operations that run in the drive on their own, and in whose midst nothing else should be changed. */
#include <ssdct/admin.h>

#include <ssdct/sanitize_log.h>

enum { LOG_SELF_TEST = 0x06, LOG_SANITIZE = 0x81 };
/* Device Self-test log, byte 0 bits 3:0: the operation that runs, 0 is none. */
#define SELF_TEST_OPERATION 0xf
/* FPI, byte 32 of Identify Namespace: bit 7 it says how much remains, bits 6:0 percent. */
enum { FPI = 32, FPI_SUPPORTED = 0x80 };

static bool log_page(struct ssd_device *dev, uint8_t lid, uint8_t *buf, size_t len)
{
	struct ssd_log_request req = {.lid = lid, .nsid = SSD_NSID_ALL};
	size_t got;

	if (ssd_get_log(dev, &req, buf, len, &got, NULL))
		return false;
	memset(buf + got, 0, len - got);
	return true;
}

bool ssd_is_sanitizing(struct ssd_device *dev)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);
	struct ssd_sanitize_log log;

	if (!ssd_identify_announces(dev, LOG_SANITIZE) || !log_page(dev, LOG_SANITIZE, buf, 512))
		return false;
	ssd_sanitize_log_decode(buf, 512, &log);
	return log.state == SSD_SANITIZE_IN_PROGRESS;
}

static bool formats(struct ssd_device *dev, uint8_t *buf)
{
	const struct ssd_drive *drive = dev->drive;

	for (size_t i = 0; i < drive->n_namespaces; i++) {
		struct ssd_identify id = {.nsid = drive->namespaces[i].nsid};
		size_t got;

		/* The first namespace tells whether the drive says such things at all. */
		if (ssd_identify(dev, &id, buf, &got, NULL) || got <= FPI || !(buf[FPI] & FPI_SUPPORTED))
			return false;
		if (buf[FPI] & ~FPI_SUPPORTED)
			return true;
	}
	return false;
}

/* Sanitize first: in its midst a drive refuses to be asked for the others. */
const char *ssd_busy_with(struct ssd_device *dev)
{
	AUTO_FREE uint8_t *buf = ssd_page_alloc(4096);

	if (ssd_is_sanitizing(dev))
		return "a sanitize operation";
	if (ssd_identify_announces(dev, LOG_SELF_TEST) && log_page(dev, LOG_SELF_TEST, buf, 564) &&
	    buf[0] & SELF_TEST_OPERATION)
		return "a device self-test";
	return formats(dev, buf) ? "a format" : NULL;
}
