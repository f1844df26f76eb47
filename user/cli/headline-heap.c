// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline-heap: compares what a process took with its blocks of malloc()
 */
#include "headline-heap.h"
#include "growers.h"
#include "hint.h"
#include "human.h"
#include "runtimes.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of growth of a runtime's own heap that deserve a sentence */
#define MIN_OWN_HEAP	(2 << 20)

/*
 * Bytes of RSS of a runtime that began with the recording, or ended: Java and node have much code,
 * too, Go has little.
 */
#define MIN_NEW_HEAP	(64 << 20)
#define MIN_NEW_LINKED	(16 << 20)

const char *mp_headline_heap_tool(const struct mp_profile *sites, const struct mp_row *process,
				  bool is_alone, bool *is_linked)
{
	const bool ended = process->flags & MP_ROW_EXITED;
	const char *heap = mp_runtimes_heap(process->comm, ended);
	struct mp_obscurity found;

	*is_linked = false;
	if (heap || ended || !is_alone || !sites ||
	    !mp_runtimes_obscure(sites, MP_TOUCHED, &found))
		return heap;
	*is_linked = found.is_linked;
	return found.heap;
}

uint64_t mp_headline_taken(const struct mp_meta *meta, const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];

	if (process->flags & MP_ROW_EXITED)
		return process->value[MP_PEAK_RESIDENT];
	if (!mp_row_is_older(process, meta))
		return process->value[MP_RESIDENT];
	return grown > 0 ? (uint64_t)grown : 0;
}

const char *mp_headline_heap_grew(const struct mp_meta *meta, const struct mp_profile *sites,
				  const struct mp_row *process, bool is_alone)
{
	const bool ended = process->flags & MP_ROW_EXITED;
	const uint64_t taken = mp_headline_taken(meta, process);
	bool is_linked;
	const char *tool = mp_headline_heap_tool(sites, process, is_alone, &is_linked);
	const uint64_t least = !ended && mp_row_is_older(process, meta) ? MIN_OWN_HEAP :
			       is_linked ? MIN_NEW_LINKED : MIN_NEW_HEAP;

	/* what was freed may still be resident */
	return taken < least ||
	       process->value[MP_INUSE_SPACE] > taken / 2 ||
	       process->value[MP_AT_EXIT] > taken / 4 ||
	       process->value[MP_PEAK_SPACE] > taken / 4 * 3 ? NULL : tool;
}

void mp_headline_heap_write(char *text, size_t size, const struct mp_out *out,
			    const struct mp_row *process, bool is_alone, const char *tool)
{
	const struct mp_meta *meta = &out->profile->meta;
	char bytes[MP_HUMAN_SIZE], of_malloc[MP_HUMAN_SIZE], pid[32] = "";

	if (!is_alone)
		snprintf(pid, sizeof(pid), " (%" PRIu32 ")", process->pid);
	mp_human_bytes(bytes, mp_headline_taken(meta, process));
	if (process->flags & MP_ROW_EXITED)
		snprintf(text, size, "%s%s had %s of RSS at its peak, and %s of blocks; the rest was most likely in the " MP_OWN_HEAP ": %s",
			 process->comm, pid, bytes,
			 mp_human_bytes(of_malloc, process->value[MP_PEAK_SPACE]), tool);
	else
		snprintf(text, size, "%s%s %s %s%s, and has LIVE %s; the rest is most likely in the " MP_OWN_HEAP ", garbage included: %s",
			 process->comm, pid,
			 mp_row_is_older(process, meta) ? "grew by" : "has", bytes,
			 mp_row_is_older(process, meta) ? "" : " of RSS",
			 mp_human_bytes(of_malloc, process->value[MP_INUSE_SPACE]), tool);
}

bool mp_headline_heap_functions(const struct mp_profile *sites, const struct mp_row *process,
				char *text)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	char bytes[MP_HUMAN_SIZE], live[MP_HUMAN_SIZE];
	struct mp_obscurity found;

	if (process->flags & MP_ROW_EXITED || grown < MP_LEAST_GROWTH || !sites ||
	    !mp_runtimes_obscure(sites, MP_INUSE_SPACE, &found) || !found.runtime ||
	    !found.remedy || found.is_linked || found.is_small)
		return false;
	snprintf(text, MP_HINT_SIZE,
		 "%s grew by %s, and has LIVE %s, most of it %s%s%s", process->comm,
		 mp_human_bytes(bytes, (uint64_t)grown),
		 mp_human_bytes(live, process->value[MP_INUSE_SPACE]),
		 found.data ?: "from functions of ", found.data ? "" : found.runtime,
		 found.data ? "" : " itself: the hint below tells how to see yours");
	return mp_hint_name_process(process, text);
}

