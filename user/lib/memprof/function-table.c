// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * function-table.c: gives frames to the functions that an interpreter runs.
 *
 * Each line of a function is an element of the region, which is only appended. The
 * element's address is the frame: no code can be there. So stacks, their hashes and all
 * that reads them need no other kind of frame. The element has the names, so they
 * outlive the interpreter's objects and the process. A frame is named to tracers, too, by
 * a probe that is fired before the first sample with it, and again each second, because
 * a tracer may come late and events may be lost.
 *
 * Cost: 5 ns for a known place, which is found by its digest; 1 us for a new one. If the
 * table is full, there is no frame, and functions_full_drops counts it.
 */
#include "function-table.h"

#include "drop-counter.h"
#include "probes.h"
#include "region-file.h"
#include "sample-clock.h"

#include <stdbool.h>
#include <string.h>

/* Elements for which room is made at first. The room doubles when it is used up. */
#define FIRST_ROOM	64
#define CACHE_BITS	13
/* A word of the cache has the upper bits of a digest, and a number from 1. */
#define NUMBER_BITS	16
/* Slots of the hash table; at least half of them stay empty. */
#define INDEX_SIZE	(2 * MP_REGION_FUNCTIONS)
/* 2^30 ns are a second. */
#define SECOND_BITS	30

_Static_assert(MP_REGION_FUNCTIONS < 1 << NUMBER_BITS, "all numbers fit");

#ifdef MP_SDT
unsigned short otel_memory_function_semaphore __attribute__((section(".probes")));
#endif

static uint64_t cache[1 << CACHE_BITS];
static uint32_t function_index[INDEX_SIZE];	/* number + 1; 0: empty */
static uint32_t announced[MP_REGION_FUNCTIONS];
static uint32_t nr_functions;

static struct memprof_region_function *function_at(uint32_t nr)
{
	struct memprof_region_function *list = mp_region_array(MEMPROF_REGION_FUNCTIONS);

	return &list[nr];
}

/* What a tracer must have heard since: this second, and since it came. */
static uint32_t stamp(unsigned short listeners)
{
	return (uint32_t)(mp_clock_coarse_ns() >> SECOND_BITS) << 4 | (listeners & 15) | 1;
}

/* The stamp is stored after the probe: no sample of another thread may come before it. */
static uintptr_t announce(uint32_t nr)
{
	const unsigned short listeners = mp_probe_function_listeners();
	struct memprof_region_function *function = function_at(nr);

	if (listeners &&
	    __atomic_load_n(&announced[nr], __ATOMIC_ACQUIRE) != stamp(listeners)) {
		mp_probe_function(function);
		__atomic_store_n(&announced[nr], stamp(listeners), __ATOMIC_RELEASE);
	}
	return (uintptr_t)function + 1;
}

static uint64_t *slot_of(uint64_t digest)
{
	return &cache[digest & ((1 << CACHE_BITS) - 1)];
}

/**
 * mp_functions_find() - find the frame of a place
 * @digest: a number that no other place has
 *
 * Return: the frame, as a return address; 0 if it is not known.
 */
uintptr_t mp_functions_find(uint64_t digest)
{
	const uint64_t word = __atomic_load_n(slot_of(digest), __ATOMIC_ACQUIRE);
	const uint32_t nr = word & ((1 << NUMBER_BITS) - 1);

	return nr && word >> NUMBER_BITS == digest >> NUMBER_BITS ? announce(nr - 1) : 0;
}

static void remember(uint64_t digest, uint32_t nr)
{
	__atomic_store_n(slot_of(digest), digest >> NUMBER_BITS << NUMBER_BITS | (nr + 1),
			 __ATOMIC_RELEASE);
}

static bool is_same(uint32_t nr, const char *text, uint32_t line)
{
	const struct memprof_region_function *function = function_at(nr);

	return __atomic_load_n(&function->address, __ATOMIC_ACQUIRE) &&
	       function->line == line && !strcmp(function->text, text);
}

static uint32_t hash_of(const char *text, uint32_t line)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ line;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool has_room(uint32_t nr)
{
	uint32_t room = FIRST_ROOM;

	while (room <= nr)
		room *= 2;
	return nr < MP_REGION_FUNCTIONS && mp_region_commit(MEMPROF_REGION_FUNCTIONS, room);
}

/* Writes a new element. Returns its number, or UINT32_MAX. */
static uint32_t append(const char *text, uint32_t line)
{
	uint32_t nr = __atomic_load_n(&nr_functions, __ATOMIC_RELAXED);
	struct memprof_region_function *function;

	do {
		if (!has_room(nr)) {
			mp_drop_count(MP_COUNT_functions_full_drops);
			return UINT32_MAX;
		}
	} while (!__atomic_compare_exchange_n(&nr_functions, &nr, nr + 1, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	function = function_at(nr);
	function->line = line;
	strncpy(function->text, text, sizeof(function->text) - 1);
	__atomic_store_n(&announced[nr], 0, __ATOMIC_RELAXED);
	/* pairs with is_same() and with readers of the file */
	__atomic_store_n(&function->address, (uintptr_t)function + 1, __ATOMIC_RELEASE);
	return nr;
}

/* Finds or adds a line. Two threads may add the same one at once, to two elements. */
static uint32_t intern(const char *text, uint32_t line)
{
	uint32_t i = hash_of(text, line), n, nr, empty = 0;

	for (n = 0; n < INDEX_SIZE; n++, i++) {
		nr = __atomic_load_n(&function_index[i % INDEX_SIZE], __ATOMIC_ACQUIRE);
		if (nr && is_same(nr - 1, text, line))
			return nr - 1;
		if (!nr)
			break;
	}
	nr = append(text, line);
	if (nr != UINT32_MAX)
		__atomic_compare_exchange_n(&function_index[i % INDEX_SIZE], &empty, nr + 1,
					    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return nr;
}

/**
 * mp_functions_add() - give a frame to a place
 * @digest: as for mp_functions_find()
 * @text: its name and file
 * @line: its line
 *
 * Return: the frame, as a return address; 0 if the table is full.
 */
uintptr_t mp_functions_add(uint64_t digest, const char *text, uint32_t line)
{
	const uint32_t nr = intern(text, line);

	if (nr == UINT32_MAX)
		return 0;
	remember(digest, nr);
	return announce(nr);
}

/* Returns what a frame stands for; NULL if it is no frame of this table. */
const struct memprof_region_function *mp_functions_at(uintptr_t frame)
{
	const uintptr_t begin = (uintptr_t)function_at(0);
	const size_t nr = (frame - begin) / sizeof(struct memprof_region_function);

	return frame > begin && nr < __atomic_load_n(&nr_functions, __ATOMIC_RELAXED) ?
	       function_at((uint32_t)nr) : NULL;
}

/* Empties the table, for a new region. */
void mp_functions_begin(void)
{
	if (!nr_functions)
		return;
	memset(cache, 0, sizeof(cache));
	memset(function_index, 0, sizeof(function_index));
	nr_functions = 0;
}
