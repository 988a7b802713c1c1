/* SPDX-License-Identifier: MIT */
/* Hex dumps. */
#include <ssdct/render.h>

#include <inttypes.h>

static unsigned byte_at(const char *hex)
{
	char digits[3] = {hex[0], hex[1]};

	return (unsigned)strtoul(digits, NULL, 16);
}

static void print_row(const char *hex, size_t n, uint64_t offset, FILE *out)
{
	char ascii[17] = "";

	fprintf(out, "%08" PRIx64 " ", offset);
	for (size_t i = 0; i < 16; i++) {
		unsigned v = i < n ? byte_at(hex + 2 * i) : 0;

		if (i == 8)
			fputc(' ', out);
		if (i < n)
			fprintf(out, " %02x", v);
		else
			fputs("   ", out);
		if (i < n)
			ascii[i] = (char)(v >= 0x20 && v < 0x7f ? v : '.');
	}
	fprintf(out, "  |%s|\n", ascii);
}

void ssd_render_hex(const char *hex, uint64_t offset, FILE *out)
{
	size_t bytes = strlen(hex) / 2;

	for (size_t i = 0; i < bytes; i += 16)
		print_row(hex + 2 * i, bytes - i < 16 ? bytes - i : 16, offset + i, out);
}
