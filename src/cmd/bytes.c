/* SPDX-License-Identifier: MIT */
/* Pages as bytes: numbers of pages, hexadecimal digits, files. */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

int cmd_byte_number(const char *word)
{
	size_t len = strlen(word);
	bool h = len > 1 && (word[len - 1] == 'h' || word[len - 1] == 'H');
	bool x = !strncmp(word, "0x", 2) || !strncmp(word, "0X", 2);
	const char *p = x ? word + 2 : word;
	size_t digits = strspn(p, h || x ? "0123456789abcdefABCDEF" : "0123456789");
	unsigned long v = strtoul(p, NULL, h || x ? 16 : 10);

	return digits && !p[digits + h] && digits + h == strlen(p) && v <= 0xff ? (int)v : -1;
}

bool cmd_bare_hex(const char *word)
{
	size_t digits = strspn(word, "0123456789abcdefABCDEF");

	return digits && digits <= 2 && !word[digits];
}

void cmd_set_hex(struct ssd_node *obj, const char *key, const uint8_t *buf, size_t len)
{
	AUTO_FREE char *hex = ssd_calloc(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", buf[i]);
	ssd_set_str(obj, key, hex);
}

int cmd_check_raw(const struct ssd_run *run, bool raw, const char *to, struct ssd_err *err)
{
	if (to && !raw)
		return ssd_fail(err, SSD_ERR_USAGE, "--to goes with --raw");
	if (raw && !to && run->globals.output == SSD_OUTPUT_JSON)
		return ssd_fail(err, SSD_ERR_USAGE,
				"--raw writes bytes to stdout, -o json a document: give --to FILE, or --hex");
	if (raw && !to && isatty(STDOUT_FILENO)) {
		ssd_fail(err, SSD_ERR_USAGE, "--raw: bytes are not written to a terminal");
		ssd_hint(err, "give --to FILE, send them into a pipe, or look at them with --hex");
		return -1;
	}
	return 0;
}

/* Never over a file that is there: a dump is evidence. */
static int write_new_file(const char *path, const uint8_t *buf, size_t len, struct ssd_err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t n = fd >= 0 ? write(fd, buf, len) : -1;
	int error = n < 0 ? errno : ENOSPC;

	if (n == (ssize_t)len)
		return 0;
	if (fd >= 0)
		unlink(path);
	ssd_fail_errno(err, error, "writing %s", path);
	err->code = SSD_ERR_OUTPUT;
	if (error == EEXIST)
		ssd_hint(err, "it is not overwritten: name a new file");
	return -1;
}

void cmd_written_text(const char *to, int64_t len, FILE *out)
{
	fprintf(out, "%s: %" PRId64 " bytes written\n", to, len);
}

int cmd_deliver_raw(const char *to, struct ssd_row *row, const uint8_t *buf, size_t len)
{
	uint8_t *copy;

	if (to)
		return write_new_file(to, buf, len, &row->err);
	copy = ssd_arena_alloc(row->arena, len);
	memcpy(copy, buf, len);
	row->raw = copy;
	row->raw_len = len;
	return 0;
}
