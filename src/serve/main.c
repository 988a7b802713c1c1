/* SPDX-License-Identifier: MIT */
/* ssdct-sim-serve: options, the listening socket, and what is said about it on stdout. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <jansson.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_PORT 4420 /* IANA: nvme */

static const char usage[] =
	"usage: ssdct-sim-serve HOST [--address ADDRESS] [--port PORT]\n"
	"\n"
	"Serves the drives of a simulated host directory over NVMe/TCP, for the kernel of this machine:\n"
	"\n"
	"    ssdct sim create /tmp/lab\n"
	"    ssdct-sim-serve /tmp/lab &\n"
	"    nvme connect -t tcp -a 127.0.0.1 -s 4420 -n NQN\n"
	"\n"
	"  --address ADDRESS  a loopback address: 127.x.x.x (default 127.0.0.1) or ::1\n"
	"  --port PORT        TCP port (default 4420); 0: one that is free\n"
	"  --help, --version\n"
	"\n"
	"Prints \"port PORT\", then a line \"DRIVE NQN\" for each drive, then \"ready\", and runs until it is ended by "
	"a signal.\n";

struct options {
	const char *dir, *address;
	unsigned port;
};

static int parse_port(const char *text, unsigned *port, struct ssd_err *err)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || v > 65535)
		return ssd_fail(err, SSD_ERR_USAGE, "--port: \"%s\" is not a number from 0 to 65535", text);
	*port = (unsigned)v;
	return 0;
}

/* 0: go on; 1: all is said; -1 with *err set. */
static int parse(int argc, char **argv, struct options *o, struct ssd_err *err)
{
	static const struct option longs[] = {{"address", required_argument, NULL, 'a'},
					      {"port", required_argument, NULL, 'p'},
					      {"help", no_argument, NULL, 'h'},
					      {"version", no_argument, NULL, 'V'},
					      {0}};
	int c;

	while ((c = getopt_long(argc, argv, "a:p:hV", longs, NULL)) != -1) {
		switch (c) {
		case 'a':
			o->address = optarg;
			break;
		case 'p':
			if (parse_port(optarg, &o->port, err))
				return -1;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		case 'V':
			puts("ssdct-sim-serve " SSDCT_VERSION);
			return 1;
		default:
			return ssd_fail(err, SSD_ERR_USAGE, "see ssdct-sim-serve --help");
		}
	}
	if (optind + 1 != argc)
		return ssd_fail(err, SSD_ERR_USAGE, "one host directory is wanted, see ssdct-sim-serve --help");
	o->dir = argv[optind];
	return 0;
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Whoever can connect can do everything to the drives: so only this machine can. */
static int loopback(const struct options *o, union address *a, socklen_t *len, struct ssd_err *err)
{
	*a = (union address){0};
	if (inet_pton(AF_INET, o->address, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons((uint16_t)o->port);
		*len = sizeof(a->v4);
		if (ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
			return 0;
	} else if (inet_pton(AF_INET6, o->address, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons((uint16_t)o->port);
		*len = sizeof(a->v6);
		if (IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr))
			return 0;
	} else {
		return ssd_fail(err, SSD_ERR_USAGE, "--address: \"%s\" is not an IP address", o->address);
	}
	return ssd_fail(err, SSD_ERR_REFUSED, "--address: %s is not a loopback address (127.x.x.x, ::1)", o->address);
}

static int listen_on(const struct options *o, unsigned *port, struct ssd_err *err)
{
	union address a;
	socklen_t len = 0;
	const int on = 1;
	int fd;

	if (loopback(o, &a, &len, err))
		return -1;
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return ssd_fail_errno(err, errno, "making a socket");
	/* A target that was ended and is started again finds its port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &a.any, len) || listen(fd, 128) || getsockname(fd, &a.any, &len)) {
		ssd_fail_errno(err, errno, "listening on %s port %u", o->address, o->port);
		close(fd);
		return -1;
	}
	*port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	return fd;
}

static int announce(const struct server *server, unsigned port, struct ssd_err *err)
{
	printf("port %u\n", port);
	for (size_t i = 0; i < server->n_drives; i++)
		printf("%s %s\n", server->drives[i].name, server->drives[i].nqn);
	puts("ready");
	return fflush(stdout) ? ssd_fail_errno(err, errno, "writing to stdout") : 0;
}

static int serve(struct server *server, int fd, struct ssd_err *err)
{
	for (;;) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (client >= 0)
			serve_connection(server, client);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			usleep(100000);
		else if (errno != EINTR && errno != ECONNABORTED)
			return ssd_fail_errno(err, errno, "accepting connections");
	}
}

static int run(int argc, char **argv, struct server *server, struct ssd_err *err)
{
	struct options o = {.address = DEFAULT_ADDRESS, .port = DEFAULT_PORT};
	unsigned port = 0;
	int rc = parse(argc, argv, &o, err), fd;

	if (rc)
		return rc;
	serve_mutex_init(&server->lock);
	serve_work_init(server);
	json_object_seed(0); /* before there are threads */
	signal(SIGPIPE, SIG_IGN);
	fd = serve_drives(server, o.dir, err) ? -1 : listen_on(&o, &port, err);
	if (fd < 0 || announce(server, port, err)) {
		ssd_auto_close(&fd);
		serve_drives_free(server);
		return -1;
	}
	return serve(server, fd, err);
}

int main(int argc, char **argv)
{
	struct server server = {0};
	struct ssd_err err = SSD_ERR_INIT;

	if (run(argc, argv, &server, &err) >= 0)
		return 0;
	fprintf(stderr, "ssdct-sim-serve: %s\n", err.message);
	if (*err.hint)
		fprintf(stderr, "hint: %s\n", err.hint);
	return ssd_err_exit(&err);
}
