/* SPDX-License-Identifier: MIT */
/*
 * Real drives: the kernel's passthrough ioctl, by libnvme. The only file that calls libnvme, and only its
 * functions that take a finished command or none: its typed helpers choose timeouts and addresses for themselves.
 */
#include <ssdct/transport.h>

#include <fcntl.h>
#include <libnvme.h>
#include <sys/stat.h>
#include <time.h>

/* A controller that is resetting answers open with EAGAIN: it is tried for 5 s, see ssdct(8). */
#define RETRY_MS 5000
#define RETRY_STEP_MS 100

/*
 * The driver's own timeout of admin commands, in seconds, which an administrator may have raised; what comes with a command
 * replaces it (drivers/nvme/host/core.c and ioctl.c).
 */
#define ADMIN_TIMEOUT "/sys/module/nvme_core/parameters/admin_timeout"

struct linux_transport {
	struct ssd_transport base;
	int fd;
	uint32_t least_ms; /* of an admin command's timeout */
	bool no_cmd64;     /* the kernel has only the 32-bit result (before 5.5) */
};

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/*
 * Both structs have the same members, but for the width of the result. Flags, metadata and the reserved words stay zero:
 * the kernel refuses flags, and a metadata pointer on an admin command makes it leak the request, after which the
 * controller can never be removed (seen with Linux 6.1).
 */
#define FILL(c)                                                                                                  \
	{                                                                                                        \
		.opcode = (c)->opcode, .nsid = (c)->nsid, .cdw2 = (c)->cdw2, .cdw3 = (c)->cdw3,                  \
		.addr = address((c)->data), .data_len = (c)->data_len, .cdw10 = (c)->cdw10, .cdw11 = (c)->cdw11, \
		.cdw12 = (c)->cdw12, .cdw13 = (c)->cdw13, .cdw14 = (c)->cdw14, .cdw15 = (c)->cdw15,              \
		.timeout_ms = (c)->timeout_ms,                                                                   \
	}

/* Both return what ioctl does: -1 with errno, 0, or a positive NVMe status. */
static int submit64(int fd, const struct ssd_cmd *cmd, uint64_t *result)
{
	struct nvme_passthru_cmd64 c = FILL(cmd);
	__u64 r = 0;
	int rc = cmd->io ? nvme_submit_io_passthru64(fd, &c, &r) : nvme_submit_admin_passthru64(fd, &c, &r);

	*result = r;
	return rc;
}

static int submit32(int fd, const struct ssd_cmd *cmd, uint64_t *result)
{
	struct nvme_passthru_cmd c = FILL(cmd);
	__u32 r = 0;
	int rc = cmd->io ? nvme_submit_io_passthru(fd, &c, &r) : nvme_submit_admin_passthru(fd, &c, &r);

	*result = r;
	return rc;
}

static int linux_submit(struct ssd_transport *base, const struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	struct linux_transport *t = (struct linux_transport *)base;
	struct ssd_cmd c = *cmd;
	uint64_t result = 0;
	int rc = -1;

	if (!c.io && c.timeout_ms < t->least_ms)
		c.timeout_ms = t->least_ms;
	if (!t->no_cmd64) {
		rc = submit64(t->fd, &c, &result);
		t->no_cmd64 = rc == -1 && errno == ENOTTY;
	}
	if (t->no_cmd64)
		rc = submit32(t->fd, &c, &result);
	if (rc < 0)
		return -errno;
	*cpl = (struct ssd_cpl){.status = (uint16_t)rc, .result = result};
	return 0;
}

/*
 * libnvme's three helpers return -1 with errno, or (from its own fstat) a positive errno; none returns an NVMe status.
 */
static int linux_control(struct ssd_transport *base, enum ssd_control op)
{
	static int (*const calls[])(int fd) = {
		[SSD_RESET_CONTROLLER] = nvme_ctrl_reset,
		[SSD_RESET_SUBSYSTEM] = nvme_subsystem_reset,
		[SSD_RESCAN] = nvme_ns_rescan,
	};
	int rc = calls[op](((struct linux_transport *)base)->fd);

	return rc < 0 ? -errno : -rc;
}

static void linux_close(struct ssd_transport *base)
{
	close(((struct linux_transport *)base)->fd);
	free(base);
}

/* Returns a descriptor or -errno; waits while the controller is resetting. */
static int open_patiently(const char *path)
{
	int fd;

	for (int waited = 0;; waited += RETRY_STEP_MS) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if ((errno != EAGAIN && errno != EBUSY) || waited >= RETRY_MS)
			return -errno;
		nanosleep(&(struct timespec){.tv_nsec = RETRY_STEP_MS * 1000000l}, NULL);
	}
}

/* Milliseconds; 0: not known. */
static uint32_t read_admin_timeout(void)
{
	int fd = open(ADMIN_TIMEOUT, O_RDONLY | O_CLOEXEC);
	char text[16] = "";
	unsigned long seconds;

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) <= 0 || *text < '0' || *text > '9')
		*text = '\0';
	close(fd);
	seconds = strtoul(text, NULL, 10);
	return seconds < INT32_MAX / 1000 ? (uint32_t)seconds * 1000 : INT32_MAX;
}

static void fail_open(const char *path, int error, struct ssd_err *err)
{
	ssd_fail_errno(err, error, "cannot open %s", path);
	switch (error) {
	case ENOENT:
		err->code = SSD_ERR_GONE;
		ssd_hint(err, "the drive was removed, or this container was not given its node");
		break;
	case ENODEV:
	case ENXIO:
		ssd_hint(err, "the drive went away; see the kernel log");
		break;
	case EACCES:
	case EPERM:
		ssd_hint(err, "node permissions: %s is root's alone; run as root", path);
		break;
	case EAGAIN:
	case EBUSY:
		ssd_hint(err, "the controller is resetting and was not back after %d s", RETRY_MS / 1000);
		break;
	default:
		break;
	}
}

/* A regular file in /dev is what a write to a missing node left behind; it would answer every command with ENOTTY. */
static bool is_node(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

struct ssd_transport *ssd_linux_open(const char *path, struct ssd_err *err)
{
	struct linux_transport *t;
	struct ssd_err unused;
	int fd = open_patiently(path);

	if (!err)
		err = &unused;
	if (fd < 0) {
		fail_open(path, -fd, err);
		return NULL;
	}
	if (!is_node(fd)) {
		close(fd);
		ssd_fail(err, SSD_ERR_NOT_FOUND, "%s is not a device node", path);
		return NULL;
	}
	t = ssd_calloc(1, sizeof(*t));
	*t = (struct linux_transport){.base = {.submit = linux_submit, .control = linux_control, .close = linux_close},
				      .fd = fd,
				      .least_ms = read_admin_timeout()};
	return &t->base;
}
