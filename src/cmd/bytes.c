/* SPDX-License-Identifier: MIT */
/* Pages as bytes: numbers of pages, hexadecimal digits, files. */
#include "bytes.h"

#include <inttypes.h>
#include <ssdct/newfile.h>

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

static int write_new_file(const char *path, const uint8_t *buf, size_t len, struct ssd_err *err)
{
	AUTO(ssd_newfile_close) struct ssd_newfile file = SSD_NEWFILE_INIT;

	return ssd_newfile_open(&file, path, err) || ssd_newfile_write(&file, buf, len, err) ||
			       ssd_newfile_publish(&file, err)
		       ? -1
		       : 0;
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
