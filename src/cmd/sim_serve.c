/* SPDX-License-Identifier: MIT */
/* `sim serve`: hands over to ssdct-sim-serve, a program of its own, so that there is no server in this one. */
#include "cmd/sim.h"

#include <errno.h>
#include <limits.h>

#define PROGRAM "ssdct-sim-serve"

/* Words: the program itself judges them. */
struct serve_options {
	const char *address, *port;
};

static const struct ssd_option serve_options[] = {
	{"address", 0, SSD_OPT_STR, SSD_OPTION(struct serve_options, address), "ADDRESS",
	 "a loopback address: 127.x.x.x (default 127.0.0.1) or ::1"},
	{"port", 0, SSD_OPT_STR, SSD_OPTION(struct serve_options, port), "PORT",
	 "TCP port (default 4420); 0: one that is free"},
	{.type = SSD_OPT_END},
};

/* Beside this program (the build directory), then where `make install` puts it. */
static void try_beside(char *const *argv)
{
	static const char *const places[] = {"", "../libexec/ssdct/"};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (len < 0)
		return;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return;
	slash[1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		AUTO_FREE char *path = ssd_asprintf("%s%s" PROGRAM, self, places[i]);

		execv(path, argv);
	}
}

static int serve_run(struct ssd_run *run, struct ssd_err *err)
{
	const struct serve_options *o = run->options;
	AUTO_FREE char *port = ssd_asprintf("--port=%s", o->port ? o->port : "4420");
	AUTO_FREE char *address = ssd_asprintf("--address=%s", o->address ? o->address : "127.0.0.1");
	char *argv[] = {(char *)PROGRAM, port, address, (char *)"--", (char *)run->words[0], NULL};

	fflush(NULL);
	try_beside(argv);
	execvp(PROGRAM, argv);
	ssd_fail(err, SSD_ERR_KERNEL, "running " PROGRAM ": %s", strerror(errno));
	ssd_hint(err, "it is built with ssdct and must lie beside it, in ../libexec/ssdct, or in PATH");
	return -1;
}

const struct ssd_command sim_serve = {
	.name = "serve",
	.summary = "serve simulated drives to this machine's kernel over NVMe/TCP",
	.usage = "HOST [--port PORT] [--address ADDRESS]",
	.help = "Runs ssdct-sim-serve(8) in the place of this program: the drives of the simulated host directory HOST "
		"become\n"
		"NVMe/TCP controllers, to which the kernel of this machine, and of no other, can connect. Prints "
		"\"port PORT\", a\n"
		"line \"DRIVE NQN\" for each drive, and \"ready\"; runs until it is ended by a signal.",
	.examples = (const char *const[]){"sim serve /tmp/lab", "sim serve /tmp/lab --port 0", NULL},
	.min_words = 1,
	.max_words = 1,
	.options = serve_options,
	.options_size = sizeof(struct serve_options),
	.run = serve_run,
};
