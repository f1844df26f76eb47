// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-json: builds json-c objects and prints them
 *
 * Functions return -ENOMEM without memory.
 */
#include "heap-json.h"
#include "json-object.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

static void add_tally(struct json_object *object, const struct mp_tally *tally)
{
	mp_json_add_number(object, "live_bytes", tally->inuse_space);
	mp_json_add_number(object, "peak_bytes", mp_tally_highest(tally));
	mp_json_add_number(object, "total_allocs", tally->alloc_objects >> 16);
	mp_json_add_number(object, "total_frees", tally->free_objects >> 16);
}

static void add_callsites(struct json_object *root, const struct mp_heap *heap,
			  const struct mp_names *callsites, struct json_object *global)
{
	struct json_object *all = json_object_new_object(), *one;
	uint64_t active = 0, seen = 0;
	size_t i;

	for (i = 0; i < heap->nr_sites; i++) {
		const struct mp_heap_site *site = &heap->sites[i];

		/*
		 * skip stacks that are no callsites, and callsites with only
		 * failed allocations
		 */
		if (site->callsite != i || !site->tally.alloc_objects)
			continue;
		one = json_object_new_object();
		add_tally(one, &site->tally);
		mp_json_add_number(one, "total_bytes", site->tally.alloc_space);
		json_object_object_add(all, callsites->list[site->stack], one);
		active += site->tally.inuse_space != 0;
		seen++;
	}
	mp_json_add(root, "callsites", all);
	mp_json_add_number(global, "active_callsites", active);
	mp_json_add_number(global, "seen_callsites", seen);
}

static void add_live(struct json_object *root, const struct mp_heap *heap,
		     const struct mp_names *callsites)
{
	struct json_object *all = json_object_new_object(), *one;
	char ptr[24];
	size_t i;

	for (i = 0; i < heap->blocks.nr_slots; i++) {
		const struct mp_block *block = &heap->blocks.list[i];

		if (!block->ptr)
			continue;
		one = json_object_new_object();
		mp_json_add_text(one, "callsite", callsites->list[
			heap->sites[block->site].stack]);
		mp_json_add_number(one, "size", block->size);
		snprintf(ptr, sizeof(ptr), "0x%" PRIx64, block->ptr);
		json_object_object_add(all, ptr, one);
	}
	mp_json_add(root, "live", all);
}

int mp_heap_json(FILE *file, const struct mp_heap *heap,
		 const struct mp_names *callsites)
{
	struct json_object *root = json_object_new_object();
	struct json_object *global = json_object_new_object();
	struct json_object *counters = json_object_new_object();
	const char *text;
	int err = 0;

	add_tally(global, &heap->total);
	add_callsites(root, heap, callsites, global);
	mp_json_add(root, "global", global);
	mp_json_add_number(counters, "unknown_frees", heap->counts.unknown_frees);
	mp_json_add_number(counters, "failed_allocs", heap->counts.failed_allocs);
	mp_json_add_number(counters, "failed_reallocs", heap->counts.failed_reallocs);
	mp_json_add_number(counters, "unmatched_exits", heap->counts.unmatched_exits);
	mp_json_add(root, "counters", counters);
	add_live(root, heap, callsites);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(file, "%s\n", text);
	else
		err = -ENOMEM;
	json_object_put(root);
	return err;
}
