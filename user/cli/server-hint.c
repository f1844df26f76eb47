// SPDX-License-Identifier: GPL-2.0-only
/*
 * server-hint: writes how to see what a server keeps, if it has grown
 */
#include "server-hint.h"
#include "headline.h"
#include "hint.h"
#include "servers.h"

#include <stdio.h>

/* Bytes of growth that deserve a hint */
#define MIN_GROWTH	(1 << 20)

bool mp_server_hint_write(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);
	const char *tool = process && process->pid ? mp_server_tool(process->comm) : NULL;

	if (!tool || process->flags & MP_ROW_EXITED ||
	    (int64_t)process->value[MP_RESIDENT_DELTA] < MIN_GROWTH)
		return false;
	snprintf(text, MP_HINT_SIZE, "%s: %s", process->comm, tool);
	return mp_hint_name_process(process, text);
}
