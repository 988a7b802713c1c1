/* SPDX-License-Identifier: MIT */
/* The only caller of submit: errno and NVMe status become one error object here, and nowhere else. */
#include <ssdct/admin.h>

#include <errno.h>
#include <ssdct/id_ctrl.h>
#include <ssdct/le.h>
#include <ssdct/local.h>
#include <ssdct/plugin.h>
#include <ssdct/status.h>
#include <time.h>

/*
 * NVMe page size to assume for MDTS. CAP.MPSMIN is not readable through the kernel's ioctl; it is at least 4 KiB, so this
 * never exceeds what the drive allows.
 */
#define MPS_MIN 4096u
/*
 * Larger transfers gain nothing for what is read here, and where no namespace tells the kernel's limit they meet it: MDTS 0
 * or a large one does not mean that the host can do as much (linux-nvme/nvme-cli issue 3507).
 */
#define MAX_TRANSFER (128u << 10)
/* A Number of Dwords of 12 bits, zero-based (NVM Express 1.2, 5.10). */
#define SHORT_LOG_TRANSFER (4096u * 4)
/* Reads that the kernel cancelled are sent this often in all, each time after a little more of a pause. */
#define READ_TRIES 4
#define PAUSE_MS 20
/*
 * EINTR means that the kernel cancelled the command (Linux, NVME_REQ_CANCELLED): at once when somebody has the controller
 * reset, or after the command's timeout, when it has reset the controller itself. The latter must not be sent again, each
 * time would cost another reset. Reads take milliseconds, and no timeout is as short as this.
 */
#define CANCELLED_AT_ONCE_MS 1000
/* A controller that is resetting is given so long: ssdct(8), "How drives are read". */
#define RESET_MS 5000
#define RESET_PAUSE_MS 100

uint8_t *ssd_page_alloc(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, 4096, (bytes + 4095) & ~(size_t)4095))
		p = NULL;
	if (!p) {
		fputs("ssdct: out of memory\n", stderr);
		_exit(1);
	}
	return p;
}

/*
 * The kernel does not say how many bytes a drive returned, so buffers start as a pattern that no drive sends by chance,
 * and what still shows it at the end was not written.
 */
static uint8_t pattern(size_t i)
{
	uint32_t x = (uint32_t)i * 2654435761u;

	return (uint8_t)(x >> 24 ^ x >> 11 ^ 0x5a);
}

static void fill(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = pattern(i);
}

static size_t written(const uint8_t *p, size_t len)
{
	size_t n = len;

	while (n && p[n - 1] == pattern(n - 1))
		n--;
	/* Drives transfer dwords: fewer equal bytes at the end are chance (1 in 256 each), not a short transfer. */
	return len - n < 4 && n ? len : n;
}

/* The value is opcode-dependent: which log page, which CNS, which feature. */
static void describe(const struct ssd_cmd *cmd, char text[96])
{
	const struct ssd_log_info *log = ssd_log_info(cmd->cdw10 & 0xff);

	if (cmd->io) {
		snprintf(text, 96, "%s (I/O opcode %02Xh)", ssd_io_opcode_name(cmd->opcode), cmd->opcode);
		return;
	}
	switch (cmd->opcode) {
	case SSD_ADMIN_GET_LOG_PAGE:
		snprintf(text, 96, "Get Log Page %02Xh%s%s%s", cmd->cdw10 & 0xff, log ? " (" : "",
			 log ? log->label : "", log ? ")" : "");
		break;
	case SSD_ADMIN_IDENTIFY:
		snprintf(text, 96, "Identify CNS %02Xh", cmd->cdw10 & 0xff);
		break;
	case SSD_ADMIN_GET_FEATURES:
	case SSD_ADMIN_SET_FEATURES:
		snprintf(text, 96, "%s %02Xh", ssd_opcode_name(cmd->opcode), cmd->cdw10 & 0xff);
		break;
	default:
		snprintf(text, 96, "%s (opcode %02Xh)", ssd_opcode_name(cmd->opcode), cmd->opcode);
	}
}

/*
 * Host Pathing Error and Command Aborted By Host without Do Not Retry come from the host's driver, not from the drive: it
 * gave the command up because the controller is being removed (Linux, nvme_fail_nonready_command(), nvme_cancel_request()).
 */
bool ssd_host_gave_up(unsigned status)
{
	unsigned code = status & (SSD_STATUS_MASK | SSD_STATUS_DNR);

	return code == 0x370 || code == 0x371;
}

bool ssd_is_missing(const struct ssd_err *err)
{
	return err->code == SSD_ERR_UNSUPPORTED ||
	       (err->nvme_status >= 0 && ssd_status_info((unsigned)err->nvme_status)->class == SSD_STATUS_PROBE);
}

bool ssd_never_sent(int error)
{
	static const int errors[] = {SSD_EGUARD, EINVAL, EFAULT, EACCES, EPERM, EROFS, ENOTTY};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

bool ssd_is_lost(int rc, const struct ssd_cpl *cpl)
{
	return rc ? !ssd_never_sent(-rc) : ssd_host_gave_up(cpl->status);
}

/* Only of what is asked for does an invalid field say that it is not there: a change may be refused for its values. */
static const char *why_missing(const struct ssd_device *dev, const struct ssd_cmd *cmd, unsigned status)
{
	bool asks = cmd->opcode == SSD_ADMIN_IDENTIFY || cmd->opcode == SSD_ADMIN_GET_LOG_PAGE ||
		    cmd->opcode == SSD_ADMIN_GET_FEATURES;

	if (ssd_is_recording(dev))
		return "it is not in the recording, whether or not the drive has it";
	return asks || (status & SSD_STATUS_MASK) != SSD_SC_INVALID_FIELD
		       ? "this drive does not have it"
		       : "this drive does not have it, or not with these values";
}

static int fail_status(const struct ssd_device *dev, const struct ssd_cmd *cmd, const char *what, unsigned status,
		       struct ssd_err *err)
{
	const struct ssd_status_info *info = ssd_status_info(status);

	if (!err)
		return -1;
	ssd_fail(err, ssd_host_gave_up(status) ? SSD_ERR_GONE : SSD_ERR_NVME, "%s: %s failed: %s (status 0x%04x)",
		 dev->drive->device, what, info->name, status);
	err->nvme_status = (int)status;
	if (info->class == SSD_STATUS_PROBE)
		ssd_hint(err, "%s", why_missing(dev, cmd, status));
	else if (ssd_status_retry(status))
		ssd_hint(err, "the drive says that a later attempt may succeed");
	return -1;
}

static int fail_recorded(const struct ssd_device *dev, const char *what, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: %s: a recorded host answers reads only", dev->drive->device, what);
	ssd_hint(err, "make a simulated copy to try changes on: ssdct sim create DIR --from %s",
		 dev->drive->host && dev->drive->host->dir ? dev->drive->host->dir : "HOST");
	return -1;
}

/* What to do about it, on this machine or in a host directory, where no kernel is asked. NULL: nothing better than to look. */
static const char *hint_of(int error, bool in_directory)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return in_directory ? "the host directory must be readable, a simulated one writable as well"
				    : "the kernel wants CAP_SYS_ADMIN for this command: run as root";
	case ENODEV:
	case ENXIO:
		return in_directory ? "the drive went away or is being reset; see `ssdct list`"
				    : "the drive went away or is being reset; see the kernel log and `ssdct list`";
	case EAGAIN:
		return "the controller is resetting and was not back in time";
	case EINVAL:
		return in_directory ? NULL : "the kernel refused the command before sending it";
	default:
		return NULL;
	}
}

static int fail_guard(const struct ssd_device *dev, const struct ssd_cmd *cmd, const char *what, struct ssd_err *err)
{
	const char *why = NULL;

	if (cmd && cmd->opcode == SSD_ADMIN_GET_LOG_PAGE && !cmd->io)
		why = ssd_log_hazard(dev, cmd);
	ssd_fail(err, SSD_ERR_REFUSED, "%s: %s%s%s; nothing was sent", dev->drive->device, what, why ? ": " : "",
		 why ? why : " is not known to be a pure read");
	ssd_hint(err, "only commands and log pages that a table knows as harmless are sent");
	return -1;
}

/* cmd NULL: it was a reset or a rescan. */
static int fail_errno(const struct ssd_device *dev, const struct ssd_cmd *cmd, const char *what, int error,
		      struct ssd_err *err)
{
	const char *name = dev->drive->device;
	const char *hint = hint_of(error, dev->drive->host && dev->drive->host->dir);

	if (error == SSD_EGUARD)
		return fail_guard(dev, cmd, what, err);
	if (error == EROFS)
		return fail_recorded(dev, what, err);
	ssd_fail_errno(err, error, "%s: %s", name, what);
	if (hint)
		ssd_hint(err, "%s", hint);
	return -1;
}

/*
 * Milliseconds after which a command that was not completed is sent again; 0: not at all. Only what is repeatable ever is: a
 * page that clears may have been handed out, and would be empty the second time.
 */
static long pause_ms(bool again, int rc, int try, uint64_t started_ms, uint64_t took_ms)
{
	if (again && rc == -EINTR && try < READ_TRIES && took_ms < CANCELLED_AT_ONCE_MS)
		return try * PAUSE_MS;
	if (again && rc == -EAGAIN && ssd_now_ms() - started_ms < RESET_MS)
		return RESET_PAUSE_MS;
	return 0;
}

int ssd_submit(struct ssd_device *dev, struct ssd_cmd *cmd, struct ssd_cpl *cpl)
{
	if (cmd->timeout_ms < ssd_timeout_ms(cmd->opcode))
		cmd->timeout_ms = ssd_timeout_ms(cmd->opcode);
	*cpl = (struct ssd_cpl){0};
	return dev->transport->submit(dev->transport, cmd, cpl);
}

int ssd_submit_read(struct ssd_device *dev, struct ssd_cmd *cmd, struct ssd_cpl *cpl, size_t *got)
{
	int rc;

	fill(cmd->data, cmd->data_len);
	rc = ssd_submit(dev, cmd, cpl);
	*got = written(cmd->data, cmd->data_len);
	return rc;
}

int ssd_check(struct ssd_device *dev, const struct ssd_cmd *cmd, int rc, const struct ssd_cpl *cpl, struct ssd_err *err)
{
	char what[96];

	if (!rc && !cpl->status)
		return 0;
	describe(cmd, what);
	return rc ? fail_errno(dev, cmd, what, -rc, err) : fail_status(dev, cmd, what, cpl->status, err);
}

const char *ssd_control_name(enum ssd_control op)
{
	static const char *const names[] = {
		[SSD_RESET_CONTROLLER] = "controller reset",
		[SSD_RESET_SUBSYSTEM] = "NVM subsystem reset",
		[SSD_RESCAN] = "rescan",
	};

	return names[op];
}

int ssd_control(struct ssd_device *dev, enum ssd_control op, struct ssd_err *err)
{
	int rc = dev->transport->control(dev->transport, op);

	return rc ? fail_errno(dev, NULL, ssd_control_name(op), -rc, err) : 0;
}

static int fail_timeout(const struct ssd_device *dev, const struct ssd_cmd *cmd, uint64_t took_ms, struct ssd_err *err)
{
	char what[96];

	if (!err)
		return -1;
	describe(cmd, what);
	ssd_fail(err, SSD_ERR_TIMEOUT, "%s: %s timed out after %u s; the kernel has reset the controller",
		 dev->drive->device, what, (unsigned)(took_ms / 1000));
	err->sys_errno = EINTR;
	ssd_hint(err, "it is not sent again, as that could cost another reset; see the kernel log");
	return -1;
}

/* Sends one command; 0 only when it completed with success. */
static int admin(struct ssd_device *dev, struct ssd_cmd *cmd, uint64_t *result, struct ssd_err *err)
{
	uint64_t started_ms = ssd_now_ms(), sent_ms, took_ms;
	bool again = ssd_is_repeatable(dev, cmd);
	struct ssd_cpl cpl;
	long wait_ms;
	int rc;

	for (int try = 1;; try++) {
		sent_ms = ssd_now_ms();
		rc = ssd_submit(dev, cmd, &cpl);
		took_ms = ssd_now_ms() - sent_ms;
		wait_ms = pause_ms(again, rc, try, started_ms, took_ms);
		if (!wait_ms)
			break;
		nanosleep(&(struct timespec){.tv_nsec = wait_ms * 1000000l}, NULL);
	}
	if (rc == -EINTR && took_ms >= CANCELLED_AT_ONCE_MS)
		return fail_timeout(dev, cmd, took_ms, err);
	if (result && !rc && !cpl.status)
		*result = cpl.result;
	return ssd_check(dev, cmd, rc, &cpl, err);
}

/* A read with data: refuses a success that copied nothing. */
static int read_result(struct ssd_device *dev, struct ssd_cmd *cmd, uint64_t *result, size_t *got, struct ssd_err *err)
{
	char what[96];

	fill(cmd->data, cmd->data_len);
	if (admin(dev, cmd, result, err))
		return -1;
	*got = written(cmd->data, cmd->data_len);
	if (*got)
		return 0;
	describe(cmd, what);
	ssd_fail(err, SSD_ERR_NOT_WRITTEN, "%s: %s reported success but returned no data", dev->drive->device, what);
	ssd_hint(err, "nothing of it is shown, as it would be invented; check the drive and its firmware");
	return -1;
}

static int read_data(struct ssd_device *dev, struct ssd_cmd *cmd, size_t *got, struct ssd_err *err)
{
	return read_result(dev, cmd, NULL, got, err);
}

int ssd_identify(struct ssd_device *dev, const struct ssd_identify *id, uint8_t *buf, size_t *got, struct ssd_err *err)
{
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_IDENTIFY,
			      .nsid = id->nsid,
			      .cdw10 = id->cns | (uint32_t)id->cntid << 16,
			      .cdw11 = id->cnssi | (uint32_t)id->csi << 24,
			      .data = buf,
			      .data_len = 4096,
			      .direction = SSD_DATA_FROM_DRIVE};

	if (id->cns > 1 && dev->id_ctrl && ssd_version(dev) < 0x10200) {
		/* CNS was bit 0 in NVM Express 1.0 and bits 1:0 in 1.1 (Identify, dword 10): others read as one of these. */
		ssd_fail(err, SSD_ERR_UNSUPPORTED, "%s: Identify CNS %02Xh needs NVMe 1.2 or later", dev->drive->device,
			 id->cns);
		return -1;
	}
	return read_data(dev, &cmd, got, err);
}

static void find_vendor(struct ssd_device *dev)
{
	struct ssd_identity_text text;
	struct ssd_identity id;
	const char *family;

	if (!ssd_device_identity(dev, &text, &id))
		return;
	dev->vendor = ssd_vendor_find(&id, &family);
	ssd_local_choose(dev, &id);
}

int ssd_id_ctrl(struct ssd_device *dev, struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = NULL;

	if (dev->id_ctrl)
		return 0;
	buf = ssd_page_alloc(4096);
	if (ssd_identify(dev, &(struct ssd_identify){.cns = 1}, buf, &dev->id_ctrl_len, err))
		return -1;
	memset(buf + dev->id_ctrl_len, 0, 4096 - dev->id_ctrl_len);
	dev->id_ctrl = STEAL(buf);
	find_vendor(dev);
	return 0;
}

int ssd_id_ctrl_anew(struct ssd_device *dev, size_t needed, struct ssd_err *err)
{
	free(dev->id_ctrl);
	dev->id_ctrl = NULL;
	if (ssd_id_ctrl(dev, err))
		return -1;
	if (dev->id_ctrl_len >= needed)
		return 0;
	return ssd_fail_short(dev, ssd_page_id_ctrl.field.label, dev->id_ctrl_len, needed, err);
}

uint32_t ssd_version(const struct ssd_device *dev)
{
	return ssd_le32(dev->id_ctrl + SSD_ID_CTRL_VER);
}

uint32_t ssd_max_transfer(const struct ssd_device *dev)
{
	unsigned mdts = dev->id_ctrl[SSD_ID_CTRL_MDTS];
	uint32_t bytes = MAX_TRANSFER;

	if (mdts && mdts < 5)
		bytes = MPS_MIN << mdts;
	if (dev->drive->max_transfer_bytes && dev->drive->max_transfer_bytes < bytes)
		bytes = dev->drive->max_transfer_bytes;
	return bytes;
}

static int get_log_piece(struct ssd_device *dev, const struct ssd_log_request *req, uint64_t offset, uint8_t *buf,
			 size_t len, size_t *got, struct ssd_err *err)
{
	uint32_t numd = (uint32_t)(len / 4 - 1);
	struct ssd_cmd cmd = {
		.opcode = SSD_ADMIN_GET_LOG_PAGE,
		.nsid = req->nsid,
		/* Retain Asynchronous Event: looking must not swallow an event that somebody waits for. */
		.cdw10 = req->lid | (uint32_t)(req->lsp & 0x7f) << 8 | 1u << 15 | (numd & 0xffff) << 16,
		.cdw11 = numd >> 16 | (uint32_t)req->lsi << 16,
		.cdw12 = (uint32_t)offset,
		.cdw13 = (uint32_t)(offset >> 32),
		.cdw14 = req->uuid_index & 0x7fu,
		.data = buf,
		.data_len = (uint32_t)len,
		.direction = SSD_DATA_FROM_DRIVE};

	return read_data(dev, &cmd, got, err);
}

/* LPA bit 2: extended data, that is a 32-bit NUMD and an offset. */
static bool has_extended_data(const struct ssd_device *dev)
{
	return dev->id_ctrl && dev->id_ctrl[SSD_ID_CTRL_LPA] & 4;
}

/* Bytes that one Get Log Page may ask for. */
static uint32_t max_log_transfer(const struct ssd_device *dev)
{
	uint32_t bytes = ssd_max_transfer(dev);

	return has_extended_data(dev) || bytes < SHORT_LOG_TRANSFER ? bytes : SHORT_LOG_TRANSFER;
}

int ssd_get_log(struct ssd_device *dev, const struct ssd_log_request *req, uint8_t *buf, size_t len, size_t *got,
		struct ssd_err *err)
{
	size_t done = 0, chunk = max_log_transfer(dev);

	if (!len || len % 4 || req->offset % 4)
		return ssd_fail(err, SSD_ERR_USAGE,
				"%s: the length and the offset of a log page are multiples of 4 bytes",
				dev->drive->device);
	if ((req->offset || len > chunk) && !has_extended_data(dev))
		return ssd_fail(err, SSD_ERR_UNSUPPORTED,
				"%s: this drive reads log pages from the start only, %zu bytes at most",
				dev->drive->device, chunk);
	while (done < len) {
		size_t n = len - done < chunk ? len - done : chunk, part;

		if (get_log_piece(dev, req, req->offset + done, buf + done, n, &part, err))
			return -1;
		done += part;
		if (part < n)
			break;
	}
	*got = done;
	return 0;
}

struct ssd_log_request ssd_log_request_of(struct ssd_device *dev, const struct ssd_page *page)
{
	/* Identifiers of endurance groups and NVM sets begin at 1. */
	return (struct ssd_log_request){.lid = page->id,
					.lsi = page->flags & SSD_PAGE_LSI ? 1 : 0,
					.nsid = page->flags & SSD_PAGE_NSID0 ? 0 : SSD_NSID_ALL,
					.uuid_index = ssd_uuid_index(dev, page->uuid)};
}

int ssd_log_bytes(struct ssd_device *dev, const struct ssd_page *page, const struct ssd_log_request *req, size_t *len,
		  struct ssd_err *err)
{
	AUTO_FREE uint8_t *head = NULL;
	size_t got = 0, most = has_extended_data(dev) ? SSD_MAX_LOG_BYTES : max_log_transfer(dev);
	uint64_t total;

	*len = ssd_page_bytes(page, dev);
	if (*len > most)
		*len = most;
	if (!page->total)
		return 0;
	head = ssd_page_alloc(page->size);
	if (ssd_get_log(dev, req, head, page->size, &got, err))
		return -1;
	total = got < page->size ? 0 : page->total(head);
	if (total > *len)
		*len = (size_t)(total < most ? total + 3 : most) & ~(size_t)3;
	return 0;
}

int ssd_get_feature(struct ssd_device *dev, uint8_t fid, enum ssd_select select, uint32_t nsid, uint32_t cdw11,
		    uint32_t *value, struct ssd_err *err)
{
	struct ssd_cmd cmd = {
		.opcode = SSD_ADMIN_GET_FEATURES, .nsid = nsid, .cdw10 = fid | (uint32_t)select << 8, .cdw11 = cdw11};
	uint64_t result;

	if (admin(dev, &cmd, &result, err))
		return -1;
	*value = (uint32_t)result;
	return 0;
}

/* Buffers start as a pattern, so how much of it still stands tells how much arrived: see written(). */
int ssd_fail_short(const struct ssd_device *dev, const char *label, size_t got, size_t needed, struct ssd_err *err)
{
	ssd_fail(err, SSD_ERR_NOT_WRITTEN, "%s: %s: the drive reported success but returned %zu of %zu bytes",
		 dev->drive->device, label, got, needed);
	ssd_hint(err, "half a page is not shown; `ssdct log get` and `ssdct identify` show what arrived");
	return -1;
}

struct ssd_node *ssd_page_decode_from(const struct ssd_device *dev, struct ssd_arena *a, const struct ssd_page *page,
				      const uint8_t *buf, size_t len)
{
	struct ssd_node *node = ssd_page_decode(a, page, buf, len);

	if (page->derive_from)
		page->derive_from(dev, node);
	return node;
}

int ssd_get_feature_data(struct ssd_device *dev, const struct ssd_feature_request *req, uint64_t *result, uint8_t *buf,
			 size_t len, size_t *got, struct ssd_err *err)
{
	struct ssd_cmd cmd = {.opcode = SSD_ADMIN_GET_FEATURES,
			      .nsid = req->nsid,
			      .cdw10 = req->fid | (uint32_t)req->select << 8,
			      .cdw11 = req->cdw11,
			      .data = buf,
			      .data_len = (uint32_t)len,
			      .direction = buf ? SSD_DATA_FROM_DRIVE : SSD_DATA_NONE};

	return buf ? read_result(dev, &cmd, result, got, err) : admin(dev, &cmd, result, err);
}

struct ssd_node *ssd_read_page(struct ssd_device *dev, struct ssd_arena *a, const struct ssd_page *page, uint32_t nsid,
			       struct ssd_err *err)
{
	AUTO_FREE uint8_t *buf = NULL;
	size_t len = 4096, got = 0;

	if (ssd_id_ctrl(dev, err))
		return NULL;
	/* A vendor's part of Identify Controller is a page of its own. */
	if (page->kind == SSD_PAGE_IDENTIFY && page->id == ssd_page_id_ctrl.id)
		return ssd_page_decode(a, page, dev->id_ctrl, dev->id_ctrl_len);
	if (page->kind == SSD_PAGE_IDENTIFY) {
		buf = ssd_page_alloc(4096);
		if (ssd_identify(dev, &(struct ssd_identify){.cns = page->id, .nsid = nsid}, buf, &got, err))
			return NULL;
	} else {
		struct ssd_log_request req = ssd_log_request_of(dev, page);

		if (ssd_log_bytes(dev, page, &req, &len, err))
			return NULL;
		buf = ssd_page_alloc(len);
		if (ssd_get_log(dev, &req, buf, len, &got, err))
			return NULL;
	}
	if (page->flags & SSD_PAGE_WHOLE && got < len) {
		ssd_fail_short(dev, page->field.label, got, len, err);
		return NULL;
	}
	/* Another page of the same number has nothing of what the table says. */
	return ssd_page_decode_from(dev, a, page, buf, ssd_page_recognise(page, buf, got) ? got : 0);
}
