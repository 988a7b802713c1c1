/* SPDX-License-Identifier: MIT */
/* The system's log: who changed which drive, and what became of it. */
#include "safety/parts.h"
#include "scan/scan.h"

#include <fcntl.h>
#include <pwd.h>
#include <syslog.h>

/* Who logged in, whatever he has become since; UINT32_MAX: nobody did (cron, a service). */
static uid_t login_uid(void)
{
	long long uid = scan_attr_int(AT_FDCWD, "/proc/self/loginuid", UINT32_MAX);

	return uid < 0 || uid >= UINT32_MAX ? getuid() : (uid_t)uid;
}

static void user_name(char *buf, size_t size)
{
	const char *sudo = getenv("SUDO_USER");
	uid_t uid = login_uid();
	const struct passwd *pw = getpwuid(uid);
	char number[16];

	snprintf(number, sizeof(number), "%u", uid);
	safety_shown(buf, size, sudo && *sudo ? sudo : pw ? pw->pw_name : number);
}

void safety_journal(const char *device, const char *serial, const char *what, const char *outcome)
{
	char user[64], shown[400];

	user_name(user, sizeof(user));
	safety_shown(shown, sizeof(shown), outcome);
	openlog("ssdct", LOG_PID, LOG_DAEMON);
	syslog(LOG_NOTICE, "%s, serial number %s, user %s: %s: %s", device, serial, user, what, shown);
	closelog();
}
