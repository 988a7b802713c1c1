/* SPDX-License-Identifier: MIT */
/* Documents as JSON: the only writer through jansson. */
#include <ssdct/render.h>

#include <jansson.h>

static json_t *to_json(const struct ssd_node *n);

/* jansson has signed integers only: larger values are clamped, as the contract says. */
static json_t *clamped(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

static json_t *object(const struct ssd_node *n)
{
	json_t *o = json_object();

	for (const struct ssd_node *c = n->child; c; c = c->next) {
		json_object_set_new(o, c->field->key, to_json(c));
		if (c->field->type == SSD_WIDE) {
			char key[128], digits[SSD_U128_DIGITS];

			snprintf(key, sizeof(key), "%s_str", c->field->key);
			json_object_set_new(o, key, c->null ? json_null() : json_string(ssd_u128_str(c->wide, digits)));
		}
	}
	return o;
}

static json_t *array(const struct ssd_node *n)
{
	json_t *a = json_array();

	for (const struct ssd_node *c = n->child; c; c = c->next)
		json_array_append_new(a, to_json(c));
	return a;
}

static json_t *to_json(const struct ssd_node *n)
{
	if (n->null)
		return json_null();
	switch (n->field->type) {
	case SSD_UINT:
		return clamped(n->u);
	case SSD_INT:
		return json_integer(n->i);
	case SSD_WIDE:
		return json_integer(ssd_u128_clamp(n->wide));
	case SSD_REAL:
		return json_real(n->real);
	case SSD_BOOL:
		return json_boolean(n->b);
	case SSD_STR:
		return json_string(n->s);
	case SSD_LIST:
		return array(n);
	default:
		return object(n);
	}
}

static int to_stream(const char *buffer, size_t size, void *out)
{
	return fwrite(buffer, 1, size, out) == size ? 0 : -1;
}

static void dump(json_t *json, FILE *out, bool one_line)
{
	/* JSON_REAL_PRECISION 15: the digits that a double really has. */
	json_dump_callback(json, to_stream, out, (one_line ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(json);
}

void ssd_render_json(const struct ssd_node *root, FILE *out, bool one_line)
{
	dump(to_json(root), out, one_line);
}

static json_t *schema_of(const struct ssd_field *f);

static json_t *type_of(const char *type, bool nullable)
{
	json_t *types;

	if (!nullable)
		return json_string(type);
	types = json_array();
	json_array_append_new(types, json_string(type));
	json_array_append_new(types, json_string("null"));
	return types;
}

static void describe(json_t *schema, const struct ssd_field *f)
{
	const char *text = f->help ? f->help : f->label;

	if (text)
		json_object_set_new(schema, "description", json_string(text));
}

static void add_member(json_t *properties, json_t *required, const struct ssd_field *f)
{
	char str_key[128];

	json_object_set_new(properties, f->key, schema_of(f));
	if (!(f->flags & SSD_OPTIONAL))
		json_array_append_new(required, json_string(f->key));
	if (f->type != SSD_WIDE)
		return;
	snprintf(str_key, sizeof(str_key), "%s_str", f->key);
	json_object_set_new(properties, str_key,
			    json_pack("{s:o, s:s}", "type", type_of("string", true), "pattern", "^[0-9]+$"));
	if (!(f->flags & SSD_OPTIONAL))
		json_array_append_new(required, json_string(str_key));
}

static void object_schema(json_t *schema, const struct ssd_field *f)
{
	json_t *properties = json_object(), *required = json_array();

	if (f->type == SSD_FLAGS || f->type == SSD_ENUM)
		add_member(properties, required, &ssd_value_field);
	if (f->type == SSD_ENUM)
		add_member(properties, required, &ssd_name_field);
	for (const struct ssd_field *m = f->sub; m && m->type != SSD_END; m++)
		add_member(properties, required, m);
	json_object_set_new(schema, "properties", properties);
	json_object_set_new(schema, "required", required);
}

static void list_schema(json_t *schema, const struct ssd_field *f)
{
	struct ssd_field item = {.type = SSD_OBJ, .sub = f->sub};

	if (f->sub && !f->sub->key)
		item = *f->sub;
	json_object_set_new(schema, "items", schema_of(&item));
}

static json_t *schema_of(const struct ssd_field *f)
{
	static const char *const names[] = {
		[SSD_UINT] = "integer", [SSD_INT] = "integer", [SSD_WIDE] = "integer", [SSD_REAL] = "number",
		[SSD_BOOL] = "boolean", [SSD_STR] = "string",  [SSD_ENUM] = "object",  [SSD_FLAGS] = "object",
		[SSD_OBJ] = "object",   [SSD_LIST] = "array",
	};
	json_t *schema = json_object();

	json_object_set_new(schema, "type", type_of(names[f->type], f->key && !(f->flags & SSD_ALWAYS)));
	describe(schema, f);
	if (f->type == SSD_LIST)
		list_schema(schema, f);
	else if (f->type >= SSD_ENUM)
		object_schema(schema, f);
	return schema;
}

static json_t *document(const struct ssd_schema *s)
{
	json_t *schema = schema_of(s->root), *doc = json_object();

	json_object_set_new(doc, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	json_object_set_new(doc, "title", json_string(s->title));
	json_object_update(doc, schema);
	json_decref(schema);
	return doc;
}

void ssd_render_schema(const struct ssd_schema *schemas, size_t n, FILE *out)
{
	json_t *all = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(all, schemas[i].title, document(&schemas[i]));
	if (n == 1)
		dump(json_incref(json_object_get(all, schemas[0].title)), out, false);
	else
		dump(json_incref(all), out, false);
	json_decref(all);
}
