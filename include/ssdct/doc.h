/* SPDX-License-Identifier: MIT */
/*
 * Documents: trees of typed values, each of which knows its descriptor. Commands and decoders build them, renderers print
 * them. The rule with no exception: no key is printed without a descriptor. From the descriptors come JSON, text, metrics,
 * the JSON schema and the manual of fields.
 */
#ifndef SSDCT_DOC_H
#define SSDCT_DOC_H

#include <ssdct/base.h>
#include <ssdct/u128.h>

/* The type in JSON. "Not reported" is null whatever the type. */
enum ssd_type {
	SSD_END,  /* ends a table: a descriptor without a key */
	SSD_UINT, /* integer, clamped at 2^63-1 */
	SSD_INT,  /* signed integer */
	SSD_WIDE, /* 128-bit integer: clamped number, and <key>_str with all digits */
	SSD_REAL,
	SSD_BOOL,
	SSD_STR,
	SSD_ENUM,  /* object { value, name } */
	SSD_FLAGS, /* object { value, and one member per described bit field } */
	SSD_OBJ,
	SSD_LIST, /* array of objects described by sub; of scalars when sub has one member without a key */
};

/* How the text renderer says a number. JSON says the unit in the key instead. */
enum ssd_unit {
	SSD_NO_UNIT,
	SSD_BYTES, /* 2.00 TB */
	SSD_CELSIUS,
	SSD_PERCENT,
	SSD_MINUTES,
	SSD_HOURS,
	SSD_SECONDS,
	SSD_MS,
	SSD_US,
	SSD_NS,
	SSD_WATTS,
	SSD_HEX,  /* an identifier or a raw register: 0x8086 */
	SSD_NSID, /* of a namespace; FFFFFFFFh is "all" */
};

/* What kind of metric an exporter makes of it. */
enum ssd_metric { SSD_NO_METRIC, SSD_GAUGE, SSD_COUNTER };

/* How bytes of a page become the value. Everything is little-endian and bounded by the length that arrived. */
enum ssd_code {
	SSD_COMPUTED,     /* not decoded: set by a command or a derive() hook */
	SSD_LE,           /* unsigned, width 1 to 16 */
	SSD_SLE,          /* signed, width 1 to 8 */
	SSD_KELVIN,       /* u16 kelvin, to whole degrees Celsius (K - 273); 0 is "not reported" */
	SSD_ASCII,        /* trimmed at both ends; bytes outside printable ASCII as \xNN; empty is null */
	SSD_BYTES_HEX,    /* identifier as it is printed everywhere: first byte first; all zero is null */
	SSD_LE_HEX,       /* little-endian identifier, printed most significant byte first; zero is null */
	SSD_NVME_VERSION, /* VS: "1.3.0"; 0 is null */
	SSD_NVME_TIME,    /* Timestamp (8 bytes): UTC when a host has set the clock, else null */
	SSD_UUID,         /* as RFC 4122 writes it; all zero is null */
	SSD_BITS,         /* member of SSD_FLAGS: off is the lowest bit, width the number of bits */
	SSD_INDEX0,       /* number of the list element, from 0 ... */
	SSD_INDEX1,       /* ... or from 1 */
};

/* Which raw value means "not reported". */
enum ssd_null { SSD_NULL_NEVER, SSD_NULL_ZERO, SSD_NULL_ONES, SSD_NULL_ZERO_OR_ONES };

enum {
	SSD_OPTIONAL = 1, /* member is absent until set (a vendor's page); all others are born null */
	SSD_SKIP = 2,  /* list element: left out when this member is null, zero or false; signed ones: only when null */
	SSD_QUIET = 4, /* text leaves it out when it is null, zero, empty or false */
	SSD_NO_TEXT = 8, /* text never shows it: said better by another member */
	SSD_RAW = 16,    /* text: no thousands separators */
	SSD_INLINE = 32, /* text: a small object in one line, not a section */
	SSD_ALWAYS = 64, /* never null (in the schema) */
	SSD_LAST = 128,  /* list element: the list ends before the element in which this is null or zero */
};

struct ssd_name {
	uint32_t value;
	const char *name; /* NULL ends a table */
};

/* How many elements a list has, by the bytes of what holds it; width 0: field.count, or as many as there is room for. */
struct ssd_count {
	uint32_t at;
	uint8_t width;
	uint8_t plus; /* 1: the number is zero-based */
};

/*
 * An element that says itself how long it is. Called with the first `stride` bytes of an element; sets its length, and
 * where there are several kinds of elements, which kind it is and where the data of the kind begin: the member with that
 * id is decoded from there.
 */
struct ssd_shape {
	size_t size;
	uint32_t kind; /* 0: none of the members with an id */
	size_t data;
	bool unused; /* left out of the list */
};

struct ssd_field {
	const char *key;   /* JSON key; ends in its unit */
	const char *label; /* text label: the specification's term */
	const char *help;  /* a sentence for the manual and for metrics; NULL: the label says all */
	enum ssd_type type;
	enum ssd_unit unit;
	enum ssd_metric metric;
	unsigned flags;
	/* decoding */
	enum ssd_code code;
	enum ssd_null null;
	uint32_t off;              /* bytes from the start of the page, entry or list element; bits for SSD_BITS */
	uint32_t width;            /* bytes; bits for SSD_BITS */
	uint8_t bit, bits;         /* SSD_LE: only these bits of the number; no bits: all of it */
	uint32_t scale;            /* value = raw * scale; 0 is 1 */
	uint32_t count, stride;    /* SSD_LIST: elements at most (0: no limit), bytes from one to the next */
	struct ssd_count count_in; /* SSD_LIST */
	uint32_t id;               /* keyed pages, lists of several kinds: what the entry that holds this object says */
	const struct ssd_field *sub;  /* members of an object or flags, of a list's element */
	const struct ssd_name *names; /* SSD_ENUM */
	void (*shape)(const uint8_t *element, struct ssd_shape *shape); /* SSD_LIST: see above; NULL: all of `stride` */
};

#define SSD_FIELD_END           \
	{                       \
		.type = SSD_END \
	}

/* Bump allocator for documents: in memory shared with worker processes, so that a worker's document is simply there. */
struct ssd_arena;
struct ssd_arena *ssd_arena_new(size_t max_bytes); /* NULL: no memory */
void ssd_arena_free(struct ssd_arena *a);
void *ssd_arena_alloc(struct ssd_arena *a, size_t bytes); /* zeroed; ends the process when the arena is full */
char *ssd_arena_strdup(struct ssd_arena *a, const char *s);

struct ssd_node {
	const struct ssd_field *field;
	struct ssd_arena *arena;
	struct ssd_node *next, *child, *last;
	bool null;
	union {
		uint64_t u; /* UINT; raw value of ENUM and FLAGS */
		int64_t i;
		double real;
		bool b;
		const char *s;
		struct ssd_u128 wide;
	};
};

/* A new object with all its members null (those marked SSD_OPTIONAL absent). */
struct ssd_node *ssd_obj_new(struct ssd_arena *a, const struct ssd_field *field);

/*
 * Setters find the member by its key in the object's descriptor; a key that the descriptor does not have is a programming
 * error and ends the program. Strings are copied, trimmed, and made printable.
 */
void ssd_set_uint(struct ssd_node *obj, const char *key, uint64_t v);
void ssd_set_int(struct ssd_node *obj, const char *key, int64_t v);
void ssd_set_wide(struct ssd_node *obj, const char *key, struct ssd_u128 v);
void ssd_set_real(struct ssd_node *obj, const char *key, double v);
void ssd_set_bool(struct ssd_node *obj, const char *key, bool v);
void ssd_set_str(struct ssd_node *obj, const char *key, const char *s); /* NULL and empty set null */
void ssd_set_enum(struct ssd_node *obj, const char *key, uint64_t v);   /* SSD_ENUM and SSD_FLAGS */
struct ssd_node *ssd_set_obj(struct ssd_node *obj, const char *key);    /* members null */
struct ssd_node *ssd_set_list(struct ssd_node *obj, const char *key);   /* empty */
struct ssd_node *ssd_add_item(struct ssd_node *list);                   /* appends an object */
void ssd_add_str(struct ssd_node *list, const char *s);                 /* appends to a list of strings */
void ssd_add_uint(struct ssd_node *list, uint64_t v);                   /* appends to a list of numbers */
void ssd_add_real(struct ssd_node *list, double v);                     /* likewise */
/* A string of two hexadecimal digits a byte. */
void ssd_set_hex(struct ssd_node *obj, const char *key, const uint8_t *bytes, size_t len);
/*
 * Adds a node that was built elsewhere (a decoded page, a drive's element): in place of the member of the same key when
 * the object has one, else at the end. Its memory stays its own arena's.
 */
void ssd_attach(struct ssd_node *obj, struct ssd_node *node);
/* The same with a null in place of a page that could not be read. */
void ssd_attach_null(struct ssd_node *obj, const struct ssd_field *field);

/* Member by dotted path ("smart.critical_warning.value"), or NULL when absent or null. */
const struct ssd_node *ssd_get(const struct ssd_node *obj, const char *path);
/* The same for derive() hooks, which complete what the table has decoded. */
static inline struct ssd_node *ssd_get_mutable(struct ssd_node *obj, const char *path)
{
	return (struct ssd_node *)ssd_get(obj, path);
}
/* Its value, or fallback when absent or null. UINT, INT, WIDE (clamped), BOOL, ENUM and FLAGS (value). */
int64_t ssd_get_int(const struct ssd_node *obj, const char *path, int64_t fallback);
const char *ssd_get_str(const struct ssd_node *obj, const char *path, const char *fallback);

/* The descriptor of a member, NULL when there is none. */
const struct ssd_field *ssd_field_find(const struct ssd_field *sub, const char *key);
extern const struct ssd_field ssd_value_field, ssd_name_field; /* the implicit members of FLAGS and ENUM */

/* Text from a drive: trimmed at both ends, every byte outside printable ASCII as \xNN. Owned by the arena. */
const char *ssd_printable(struct ssd_arena *a, const uint8_t *bytes, size_t len);

#endif
