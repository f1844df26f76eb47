// SPDX-License-Identifier: GPL-2.0-only
/*
 * listening: matches the sockets of a process with those that the kernel lists
 *
 * The cost is a pass over the descriptors of the process and the sockets of its network
 * namespace. Nothing is allocated: of more than MAX_SOCKETS sockets, or MAX_DESCRIPTORS
 * descriptors, the rest is not looked at.
 */
#include "listening.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SOCKETS	256
/* Descriptors that are looked at */
#define MAX_DESCRIPTORS	4096

/* As in include/net/tcp_states.h */
#define TCP_LISTEN	10

struct sockets {
	unsigned long inodes[MAX_SOCKETS];
	size_t nr;
};

static void find_sockets(pid_t pid, struct sockets *sockets)
{
	char path[320], target[64];
	struct dirent *entry;
	size_t nr = 0;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && sockets->nr < MAX_SOCKETS && nr++ < MAX_DESCRIPTORS &&
	       (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		if (sscanf(target, "socket:[%lu]", &sockets->inodes[sockets->nr]) == 1)
			sockets->nr++;
	}
	if (dir)
		closedir(dir);
}

static bool has_socket(const struct sockets *sockets, unsigned long inode)
{
	size_t i;

	for (i = 0; i < sockets->nr && sockets->inodes[i] != inode; i++)
		;
	return i < sockets->nr;
}

/* Whether 127.0.0.1 reaches an address, as the kernel writes it: words in the machine's order */
static bool is_reachable(const char *address)
{
	static const char * const begins[] = {
		"00000000", "0100007F",				/* any, 127.0.0.1 */
		"00000000000000000000000000000000",		/* any, of both kinds */
		"0000000000000000FFFF00000100007F",		/* 127.0.0.1 as one of IPv6 */
	};
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strcmp(address, begins[i]))
			return true;
	return false;
}

/* Adds the ports of a file. Returns false if there are several. */
static bool add_ports(pid_t pid, const char *name, const struct sockets *sockets, uint16_t *port)
{
	char line[512], address[33];
	unsigned int its_port, state;
	unsigned long inode;
	bool is_one = true;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/net/%s", (int)pid, name);
	file = fopen(line, "re");
	while (file && is_one && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*d: %32[0-9A-F]:%x %*[0-9A-F:] %x %*s %*s %*s %*s %*s %lu",
			   address, &its_port, &state, &inode) != 4 ||
		    state != TCP_LISTEN || !has_socket(sockets, inode))
			continue;
		is_one = is_reachable(address) && (!*port || *port == its_port);
		*port = (uint16_t)its_port;
	}
	if (file)
		fclose(file);
	return is_one;
}

/* Whether our 127.0.0.1 is that of the process. */
static bool shares_network(pid_t pid)
{
	struct stat its, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return !stat(path, &its) && !stat("/proc/self/ns/net", &ours) &&
	       its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

uint16_t mp_listening_port(pid_t pid)
{
	struct sockets sockets = { .nr = 0 };
	uint16_t port = 0;

	if (!shares_network(pid))
		return 0;
	find_sockets(pid, &sockets);
	return sockets.nr && add_ports(pid, "tcp", &sockets, &port) &&
	       add_ports(pid, "tcp6", &sockets, &port) ? port : 0;
}
