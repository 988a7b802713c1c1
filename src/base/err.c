/* SPDX-License-Identifier: MIT */
/* The error object: words, exit codes, and the translation of errno. */
#include <ssdct/err.h>

#include <errno.h>

static const struct {
	const char *word;
	enum ssd_exit exit;
} codes[] = {
	[SSD_ERR_NONE] = {"", SSD_EXIT_OK},
	[SSD_ERR_NVME] = {"nvme_status", SSD_EXIT_FAILED},
	[SSD_ERR_KERNEL] = {"kernel", SSD_EXIT_FAILED},
	[SSD_ERR_TIMEOUT] = {"timeout", SSD_EXIT_FAILED},
	[SSD_ERR_NOT_WRITTEN] = {"no_data", SSD_EXIT_FAILED},
	[SSD_ERR_OUTPUT] = {"output", SSD_EXIT_FAILED},
	[SSD_ERR_INTERNAL] = {"internal", SSD_EXIT_FAILED},
	[SSD_ERR_USAGE] = {"usage", SSD_EXIT_USAGE},
	[SSD_ERR_AMBIGUOUS] = {"ambiguous", SSD_EXIT_USAGE},
	[SSD_ERR_NOT_FOUND] = {"not_found", SSD_EXIT_NO_DRIVE},
	[SSD_ERR_PERMISSION] = {"permission", SSD_EXIT_NO_DRIVE},
	[SSD_ERR_GONE] = {"gone", SSD_EXIT_NO_DRIVE},
	[SSD_ERR_BUSY] = {"busy", SSD_EXIT_NO_DRIVE},
	[SSD_ERR_REFUSED] = {"refused", SSD_EXIT_REFUSED},
	[SSD_ERR_UNSUPPORTED] = {"unsupported", SSD_EXIT_UNSUPPORTED},
	[SSD_ERR_BAD_INPUT] = {"bad_input", SSD_EXIT_BAD_INPUT},
	[SSD_ERR_NOT_ATTEMPTED] = {"not_attempted", SSD_EXIT_FAILED},
	[SSD_ERR_UNCHANGED] = {"unchanged", SSD_EXIT_FAILED},
	[SSD_ERR_UNVERIFIED] = {"unverified", SSD_EXIT_FAILED},
	[SSD_ERR_INTERRUPTED] = {"interrupted", SSD_EXIT_INTERRUPTED},
};

const char *ssd_err_word(enum ssd_err_code code)
{
	return codes[code].word;
}

enum ssd_exit ssd_err_exit(const struct ssd_err *err)
{
	return codes[err->code].exit;
}

static void set(struct ssd_err *err, enum ssd_err_code code, int error, const char *fmt, va_list ap)
{
	*err = (struct ssd_err){.code = code, .sys_errno = error, .nvme_status = -1};
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
}

int ssd_fail(struct ssd_err *err, enum ssd_err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	set(err, code, 0, fmt, ap);
	va_end(ap);
	return -1;
}

static enum ssd_err_code code_of_errno(int error)
{
	switch (error) {
	case ENOENT:
		return SSD_ERR_NOT_FOUND;
	case ENODEV:
	case ENXIO:
		return SSD_ERR_GONE;
	case EACCES:
	case EPERM:
		return SSD_ERR_PERMISSION;
	case EAGAIN:
	case EBUSY:
		return SSD_ERR_BUSY;
	default:
		return SSD_ERR_KERNEL;
	}
}

int ssd_fail_errno(struct ssd_err *err, int error, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	set(err, code_of_errno(error), error, fmt, ap);
	va_end(ap);
	len = strlen(err->message);
	snprintf(err->message + len, sizeof(err->message) - len, ": %s", strerrordesc_np(error));
	return -1;
}

void ssd_hint(struct ssd_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

void ssd_err_prefix(struct ssd_err *err, const char *fmt, ...)
{
	AUTO_FREE char *prefix = NULL, *text = NULL;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	if (vasprintf(&prefix, fmt, ap) < 0)
		prefix = NULL;
	va_end(ap);
	text = ssd_asprintf("%s: %s", prefix ? prefix : "", err->message);
	ssd_strcpy(err->message, sizeof(err->message), text);
}
