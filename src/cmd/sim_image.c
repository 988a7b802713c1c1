/* SPDX-License-Identifier: MIT */
/* `sim image`: firmware for simulated drives. */
#include "cmd/sim.h"

#include "sim/image.h"
#include "sim/models.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

struct image_options {
	const char *model, *revision, *out;
	uint64_t size;
};

static const struct ssd_option image_options[] = {
	{"model", 0, SSD_OPT_STR, SSD_OPTION(struct image_options, model), "MODEL",
	 "model number that the drive reports, or a name of `sim models`"},
	{"revision", 0, SSD_OPT_STR, SSD_OPTION(struct image_options, revision), "REVISION",
	 "revision of the new firmware, 8 characters at most"},
	{"size", 0, SSD_OPT_SIZE, SSD_OPTION(struct image_options, size), "SIZE", "bytes of the file; 512K, 1M",
	 SIM_IMAGE_HEADER, SIM_IMAGE_MAX},
	{"out", 0, SSD_OPT_STR, SSD_OPTION(struct image_options, out), "FILE",
	 "the file; one with anything else in it is not overwritten"},
	{.type = SSD_OPT_END},
};

static const struct ssd_field image_fields[] = {
	{"path", "File", NULL, SSD_STR},
	{"size_bytes", "Size", NULL, SSD_UINT, SSD_BYTES},
	{"model", "Model", "Model number (MN) of the drives that accept it", SSD_STR},
	{"revision", "Revision", "Firmware revision (FR) that they run with it", SSD_STR},
	{"written", "Written", "False: the file was there already, with the same bytes", SSD_BOOL},
	SSD_FIELD_END,
};

static const struct ssd_field image_top[] = {
	{"image", "Image", "Firmware for simulated drives", SSD_OBJ, .sub = image_fields},
	SSD_FIELD_END,
};

static int check_options(const struct image_options *o, struct ssd_err *err)
{
	const struct {
		const char *name;
		bool given;
	} needed[] = {{"model", o->model}, {"revision", o->revision}, {"size", o->size}, {"out", o->out}};

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!needed[i].given)
			return ssd_fail(err, SSD_ERR_USAGE, "--%s is missing", needed[i].name);
	return 0;
}

/* The file is there: nothing to do when it is this image, and no other file is overwritten. */
static int compare(const char *path, const uint8_t *image, size_t size, struct ssd_err *err)
{
	AUTO_FREE uint8_t *data = NULL;
	size_t len;

	if (!ssd_read_file(path, size, &data, &len) && len == size && !memcmp(data, image, size))
		return 0;
	ssd_fail(err, SSD_ERR_REFUSED, "%s is there already, and is something else", path);
	ssd_hint(err, "nothing was changed; name a new file");
	return -1;
}

static int write_new(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_image(const char *path, const uint8_t *image, size_t size, bool *written, struct ssd_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc;

	*written = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		return compare(path, image, size, err);
	rc = fd < 0 ? -errno : write_new(fd, image, size);
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	if (!rc)
		return 0;
	if (*written)
		unlink(path);
	return ssd_fail(err, SSD_ERR_OUTPUT, "writing %s: %s", path, strerror(-rc));
}

/* Any model number may be meant, but one that is almost a name of `sim models` is that name, mistyped. */
static void note_model(const struct ssd_run *run, const char *model)
{
	const char *names[64] = {""}, *near;
	size_t n = 0;

	if (!model)
		return;
	for (; n < ARRAY_SIZE(names) && sim_models[n]; n++) {
		if (!strcmp(model, sim_models[n]->model))
			return;
		names[n] = sim_models[n]->name;
	}
	near = ssd_nearest(model, names, n);
	if (near)
		ssd_note(run,
			 "no model of `sim models` is called %s, so it is taken as a model number; did you mean %s?",
			 model, near);
}

static int image_run(struct ssd_run *run, struct ssd_err *err)
{
	const struct image_options *o = run->options;
	const struct sim_model *known = o->model ? sim_model_find(o->model) : NULL;
	const char *model = known ? known->model : o->model;
	AUTO_FREE uint8_t *image = NULL;
	struct ssd_node *n;
	bool written;

	if (check_options(o, err))
		return -1;
	image = sim_image_make(model, o->revision, o->size, err);
	if (!image || write_image(o->out, image, o->size, &written, err))
		return -1;
	if (!known)
		note_model(run, model);
	n = ssd_set_obj(run->doc, "image");
	ssd_set_str(n, "path", o->out);
	ssd_set_uint(n, "size_bytes", o->size);
	ssd_set_str(n, "model", model);
	ssd_set_str(n, "revision", o->revision);
	ssd_set_bool(n, "written", written);
	return 0;
}

static void image_text(const struct ssd_run *run, FILE *out)
{
	const struct ssd_node *n = ssd_get(run->doc, "image");
	char size[32];

	if (!n)
		return;
	ssd_bytes_text((double)ssd_get_int(n, "size_bytes", 0), size);
	fprintf(out, "%s: firmware %s for simulated drives of model %s, %s%s\n", ssd_get_str(n, "path", ""),
		ssd_get_str(n, "revision", ""), ssd_get_str(n, "model", ""), size,
		ssd_get(n, "written")->b ? "" : " (was there already)");
}

const struct ssd_command sim_image = {
	.name = "image",
	.summary = "make a firmware image for simulated drives",
	.usage = "--model MODEL --revision REVISION --size SIZE --out FILE",
	.help = "Simulated drives of that model accept the image and run it as that revision; real drives do not. The "
		"same\n"
		"command always makes the same file.",
	.examples =
		(const char *const[]){"sim image --model p3700 --revision 8DV10171 --size 1M --out new.bin",
				      "sim image --model p4510 --revision VDV10199 --size 512K --out other.bin", NULL},
	.options = image_options,
	.options_size = sizeof(struct image_options),
	.top = image_top,
	.run = image_run,
	.text = image_text,
};
