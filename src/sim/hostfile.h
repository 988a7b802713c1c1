/* SPDX-License-Identifier: MIT */
/*
 * Names of the page files in a controller directory (ssdct-host(5)), for those who read them and those who write
 * them. Opcode-like numbers (CNS, LID, FID) are two hexadecimal digits, all others decimal; 0x is understood everywhere.
 */
#ifndef SSDCT_SIM_HOSTFILE_H
#define SSDCT_SIM_HOSTFILE_H

#include <ssdct/base.h>

enum host_file_kind { HOST_FILE_IDENTIFY, HOST_FILE_LOG, HOST_FILE_FEATURE, HOST_FILE_DUMP };

/* What a file is the answer to, or what a command asks for; HOST_FILE_ANY in a file: whatever the command says. */
#define HOST_FILE_ANY (-1)
enum {
	HOST_FILE_NSID,
	HOST_FILE_CNTID,
	HOST_FILE_CSI,
	HOST_FILE_LSI,
	HOST_FILE_UUID,
	HOST_FILE_CDW11,
	HOST_FILE_CORE,
	HOST_FILE_NLOG,
	HOST_FILE_QUALIFIERS
};
struct host_file {
	enum host_file_kind kind;
	uint8_t id; /* CNS, LID, FID, or which debug dump of Intel's */
	int64_t q[HOST_FILE_QUALIFIERS];
};

/* A file without qualifiers. */
struct host_file host_file_of(enum host_file_kind kind, uint8_t id);

/* Whether name is a page file's, and which. id-ctrl.bin and id-ns-N.bin are Identify CNS 01h and 00h. */
bool host_file_parse(const char *name, struct host_file *file);

/* The name to write; owned by the caller. */
char *host_file_name(const struct host_file *file);

/*
 * The file in dir that answers `want`: all its qualifiers are met, and of those the one that has most. Returns its
 * name, owned by the caller, or NULL.
 */
char *host_file_find(const char *dir, const struct host_file *want);

/* NSIDs of the id-ns-N.bin files, ascending; owned by the caller. Returns how many. */
size_t host_file_namespaces(const char *dir, uint32_t **nsids);
/* Those and the ones of identify-11-nN.bin: allocated, attached or not. */
size_t host_file_allocated(const char *dir, uint32_t **nsids);

#endif
