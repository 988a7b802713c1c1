/* SPDX-License-Identifier: MIT */
/* Documents: arena, building, looking up. */
#include <ssdct/doc.h>

#include <stdarg.h>
#include <sys/mman.h>

struct ssd_arena {
	size_t size, used;
};

struct ssd_arena *ssd_arena_new(size_t max_bytes)
{
	/* Shared, so that what a worker writes the parent sees; not reserved, so that only pages in use cost memory. */
	void *p = mmap(NULL, max_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct ssd_arena *a = p;

	if (p == MAP_FAILED)
		return NULL;
	a->size = max_bytes;
	a->used = sizeof(*a);
	return a;
}

void ssd_arena_free(struct ssd_arena *a)
{
	if (a)
		munmap(a, a->size);
}

static _Noreturn void PRINTF(1, 2) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("ssdct: internal error: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

void *ssd_arena_alloc(struct ssd_arena *a, size_t bytes)
{
	size_t at = (a->used + 15) & ~(size_t)15;

	if (bytes > a->size || at > a->size - bytes)
		die("document larger than %zu bytes", a->size);
	a->used = at + bytes;
	return (char *)a + at;
}

char *ssd_arena_strdup(struct ssd_arena *a, const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(ssd_arena_alloc(a, len), s, len);
}

static bool is_printable(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

const char *ssd_printable(struct ssd_arena *a, const uint8_t *bytes, size_t len)
{
	size_t room = 1;
	char *s, *p;

	while (len && (*bytes == ' ' || *bytes == '\0'))
		bytes++, len--;
	while (len && (bytes[len - 1] == ' ' || bytes[len - 1] == '\0'))
		len--;
	for (size_t i = 0; i < len; i++)
		room += is_printable(bytes[i]) ? 1 : 4;
	p = s = ssd_arena_alloc(a, room);
	for (size_t i = 0; i < len; i++) {
		if (is_printable(bytes[i]))
			*p++ = (char)bytes[i];
		else
			p += sprintf(p, "\\x%02X", bytes[i]);
	}
	*p = '\0';
	return s;
}

const struct ssd_field ssd_value_field = {.key = "value", .label = "Value", .type = SSD_UINT};
const struct ssd_field ssd_name_field = {.key = "name", .label = "Name", .type = SSD_STR};

const struct ssd_field *ssd_field_find(const struct ssd_field *sub, const char *key)
{
	for (; sub && sub->type != SSD_END; sub++)
		if (sub->key && !strcmp(sub->key, key))
			return sub;
	return NULL;
}

static void append(struct ssd_node *parent, struct ssd_node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->child = child;
	parent->last = child;
}

static struct ssd_node *node_new(struct ssd_arena *a, const struct ssd_field *field)
{
	struct ssd_node *n = ssd_arena_alloc(a, sizeof(*n));

	n->field = field;
	n->arena = a;
	n->null = true;
	return n;
}

static void add_members(struct ssd_node *obj)
{
	const struct ssd_field *f = obj->field->sub;

	if (obj->field->type == SSD_FLAGS || obj->field->type == SSD_ENUM)
		append(obj, node_new(obj->arena, &ssd_value_field));
	if (obj->field->type == SSD_ENUM)
		append(obj, node_new(obj->arena, &ssd_name_field));
	for (; f && f->type != SSD_END; f++)
		if (!(f->flags & SSD_OPTIONAL))
			append(obj, node_new(obj->arena, f));
}

struct ssd_node *ssd_obj_new(struct ssd_arena *a, const struct ssd_field *field)
{
	struct ssd_node *n = node_new(a, field);

	n->null = false;
	add_members(n);
	return n;
}

static struct ssd_node *child_of(const struct ssd_node *obj, const char *key, size_t len)
{
	for (struct ssd_node *n = obj->child; n; n = n->next)
		if (n->field->key && !strncmp(n->field->key, key, len) && !n->field->key[len])
			return n;
	return NULL;
}

static struct ssd_node *member(struct ssd_node *obj, const char *key)
{
	struct ssd_node *n = child_of(obj, key, strlen(key));
	const struct ssd_field *f;

	if (!n) {
		f = ssd_field_find(obj->field->sub, key);
		if (!f)
			die("no descriptor for key \"%s\" of \"%s\"", key, obj->field->key ? obj->field->key : "");
		n = node_new(obj->arena, f);
		append(obj, n);
	}
	n->null = false;
	return n;
}

void ssd_set_uint(struct ssd_node *obj, const char *key, uint64_t v)
{
	member(obj, key)->u = v;
}

void ssd_set_int(struct ssd_node *obj, const char *key, int64_t v)
{
	member(obj, key)->i = v;
}

void ssd_set_wide(struct ssd_node *obj, const char *key, struct ssd_u128 v)
{
	member(obj, key)->wide = v;
}

void ssd_set_real(struct ssd_node *obj, const char *key, double v)
{
	member(obj, key)->real = v;
}

void ssd_set_bool(struct ssd_node *obj, const char *key, bool v)
{
	member(obj, key)->b = v;
}

void ssd_set_str(struct ssd_node *obj, const char *key, const char *s)
{
	struct ssd_node *n = member(obj, key);

	n->s = s ? ssd_printable(obj->arena, (const uint8_t *)s, strlen(s)) : "";
	n->null = !*n->s;
}

void ssd_set_hex(struct ssd_node *obj, const char *key, const uint8_t *bytes, size_t len)
{
	AUTO_FREE char *hex = ssd_calloc(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	ssd_set_str(obj, key, hex);
}

static void set_bits(struct ssd_node *n, uint64_t raw)
{
	for (struct ssd_node *c = n->child; c; c = c->next) {
		const struct ssd_field *f = c->field;
		uint64_t v = f->width < 64 ? raw >> f->off & ((1ull << f->width) - 1) : raw;

		if (f->code != SSD_BITS)
			continue;
		c->null = false;
		if (f->type == SSD_BOOL)
			c->b = v;
		else if (f->type == SSD_ENUM)
			ssd_set_enum(n, f->key, v);
		else
			c->u = v * (f->scale ? f->scale : 1);
	}
}

void ssd_set_enum(struct ssd_node *obj, const char *key, uint64_t v)
{
	struct ssd_node *n = member(obj, key);
	const struct ssd_name *name = n->field->names;

	if (!n->child)
		add_members(n);
	n->u = v;
	ssd_set_uint(n, "value", v);
	while (name && name->name && name->value != v)
		name++;
	if (n->field->type == SSD_ENUM)
		ssd_set_str(n, "name", name ? name->name : NULL);
	else
		set_bits(n, v);
}

struct ssd_node *ssd_set_obj(struct ssd_node *obj, const char *key)
{
	struct ssd_node *n = member(obj, key);

	n->child = n->last = NULL;
	add_members(n);
	return n;
}

struct ssd_node *ssd_set_list(struct ssd_node *obj, const char *key)
{
	struct ssd_node *n = member(obj, key);

	n->child = n->last = NULL;
	return n;
}

/* Items of a list share the list's members through a descriptor of their own: same table, no key. */
struct ssd_node *ssd_add_item(struct ssd_node *list)
{
	const struct ssd_field *of = list->child ? list->child->field : NULL;
	struct ssd_node *n;

	if (!of) {
		struct ssd_field *f = ssd_arena_alloc(list->arena, sizeof(*f));

		*f = (struct ssd_field){.label = list->field->label, .type = SSD_OBJ, .sub = list->field->sub};
		of = f;
	}
	n = ssd_obj_new(list->arena, of);
	append(list, n);
	return n;
}

void ssd_add_str(struct ssd_node *list, const char *s)
{
	struct ssd_node *n = node_new(list->arena, list->field->sub);

	n->null = false;
	n->s = ssd_printable(list->arena, (const uint8_t *)s, strlen(s));
	append(list, n);
}

void ssd_add_uint(struct ssd_node *list, uint64_t v)
{
	struct ssd_node *n = node_new(list->arena, list->field->sub);

	n->null = false;
	n->u = v;
	append(list, n);
}

void ssd_add_real(struct ssd_node *list, double v)
{
	struct ssd_node *n = node_new(list->arena, list->field->sub);

	n->null = false;
	n->real = v;
	append(list, n);
}

void ssd_attach(struct ssd_node *obj, struct ssd_node *node)
{
	struct ssd_node **at = &obj->child;

	while (*at && !(node->field->key && !strcmp((*at)->field->key, node->field->key)))
		at = &(*at)->next;
	if (!*at) {
		append(obj, node);
		return;
	}
	node->next = (*at)->next;
	if (obj->last == *at)
		obj->last = node;
	*at = node;
}

void ssd_attach_null(struct ssd_node *obj, const struct ssd_field *field)
{
	ssd_attach(obj, node_new(obj->arena, field));
}

const struct ssd_node *ssd_get(const struct ssd_node *obj, const char *path)
{
	while (obj && !obj->null) {
		size_t len = strcspn(path, ".");

		obj = child_of(obj, path, len);
		if (!path[len])
			return obj && !obj->null ? obj : NULL;
		path += len + 1;
	}
	return NULL;
}

int64_t ssd_get_int(const struct ssd_node *obj, const char *path, int64_t fallback)
{
	const struct ssd_node *n = ssd_get(obj, path);

	if (!n)
		return fallback;
	switch (n->field->type) {
	case SSD_UINT:
	case SSD_ENUM:
	case SSD_FLAGS:
		return n->u > INT64_MAX ? INT64_MAX : (int64_t)n->u;
	case SSD_INT:
		return n->i;
	case SSD_WIDE:
		return ssd_u128_clamp(n->wide);
	case SSD_BOOL:
		return n->b;
	default:
		return fallback;
	}
}

const char *ssd_get_str(const struct ssd_node *obj, const char *path, const char *fallback)
{
	const struct ssd_node *n = ssd_get(obj, path);

	return n && n->field->type == SSD_STR ? n->s : fallback;
}
