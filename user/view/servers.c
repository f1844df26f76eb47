// SPDX-License-Identifier: GPL-2.0-only
/*
 * servers: knows servers by the names of their processes
 *
 * A function of a database allocates for whoever sends a command, so a callsite does not tell
 * whose data it is.
 */
#include "servers.h"

#include <stddef.h>
#include <string.h>

#define KEYS_OF(client)	client " -p PORT INFO memory tells data from what is not of keys, and " \
			client " -p PORT --memkeys which keys are large, if it has time"

static const struct {
	const char *command;
	const char *tool;	/* PID stands for the process, PORT for where it listens */
} servers[] = {
	{ "redis-server", KEYS_OF("redis-cli") },
	/* Debian's redis-server is a link to it */
	{ "redis-check-rdb", KEYS_OF("redis-cli") },
	{ "valkey-server", KEYS_OF("valkey-cli") },
	{ "postgres", "SELECT pg_log_backend_memory_contexts(PID) writes its memory contexts to the server's log" },
	{ "mysqld", "sys.memory_global_by_current_bytes shows what its parts hold" },
	{ "mariadbd", "performance_schema.memory_summary_global_by_event_name shows what its parts hold" },
	{ "memcached", "its command stats slabs shows the sizes of its items" },
};

const char *mp_server_tool(const char *command)
{
	size_t i;

	for (i = 0; i < sizeof(servers) / sizeof(*servers); i++)
		if (!strcmp(command, servers[i].command))
			return servers[i].tool;
	return NULL;
}
