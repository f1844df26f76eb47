// SPDX-License-Identifier: GPL-2.0-only
/*
 * server-hint: writes how to see what a server keeps, if it has grown
 */
#include "server-hint.h"
#include "headline.h"
#include "hint.h"
#include "servers.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of growth that deserve a hint */
#define MIN_GROWTH	(1 << 20)

/* Of "redis-server *:6380" and of "redis-server --port 6380"; NULL: it is not told */
static const char *find_port(const struct mp_out *out, const struct mp_row *process)
{
	const char *title = mp_id_names_find(&out->profile->titles, process->pid), *place;

	if (!title)
		return NULL;
	place = strstr(title, "--port");
	place = place ? place + strlen("--port") : strrchr(title, ':');
	return place && isdigit((unsigned char)place[*place != '\0']) ? place + 1 : NULL;
}

/* Writes the port in place of its name, if it is told. */
static void name_port(char *text, const char *port)
{
	const size_t len = port ? strspn(port, "0123456789") : 0;
	char rest[MP_HINT_SIZE], *place;

	if (!len || len > 5 || atoi(port) > UINT16_MAX || atoi(port) == 0)
		return;
	while ((place = strstr(text, "PORT"))) {
		snprintf(rest, sizeof(rest), "%s", place + strlen("PORT"));
		snprintf(place, MP_HINT_SIZE - (size_t)(place - text), "%.*s%s", (int)len, port,
			 rest);
	}
}

bool mp_server_hint_write(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);
	const char *tool = process && process->pid ? mp_server_tool(process->comm) : NULL;

	if (!tool || process->flags & MP_ROW_EXITED ||
	    (int64_t)process->value[MP_RESIDENT_DELTA] < MIN_GROWTH)
		return false;
	snprintf(text, MP_HINT_SIZE, "%s: %s", process->comm, tool);
	name_port(text, find_port(out, process));
	return mp_hint_name_process(process, text);
}
