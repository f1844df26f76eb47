// SPDX-License-Identifier: GPL-2.0-only
/*
 * service: the protocol of sd_notify(3): datagrams to a socket that systemd names
 *
 * What cannot be sent is dropped: systemd then takes the agent for one that hangs.
 */
#include "service.h"
#include "clock.h"
#include "number.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void mp_service_say(const char *line)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char text[128];
	int fd, n;

	if (!path || (*path != '/' && *path != '@') ||
	    strlen(path) >= sizeof(address.sun_path))
		return;
	strcpy(address.sun_path, path);
	/* an abstract name */
	if (*path == '@')
		address.sun_path[0] = '\0';
	n = strcmp(line, "RELOADING=1") ?
	    snprintf(text, sizeof(text), "%s\n", line) :
	    snprintf(text, sizeof(text), "%s\nMONOTONIC_USEC=%" PRIu64 "\n", line,
		     mp_clock_ns() / 1000);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, text, (size_t)n, MSG_NOSIGNAL, (struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) < 0)
		n = 0;
	close(fd);
}

uint64_t mp_service_watchdog_ns(void)
{
	const char *text = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t us, number;

	if (!text || !mp_command_number(text, 2, UINT64_MAX / 2000, &us) ||
	    (pid && (!mp_command_number(pid, 1, INT32_MAX, &number) ||
		     number != (uint64_t)getpid())))
		return 0;
	return us * 500;
}
