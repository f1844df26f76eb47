// SPDX-License-Identifier: GPL-2.0-only
/*
 * map: a hash table with linear probing and removal by shifting back
 *
 * A slot costs 24 bytes, and at most two thirds are used. A look-up touches one
 * or two cache lines. Keys can come from hostile files and processes, so the
 * hash uses a random key in each process. If memory is short, an addition returns
 * NULL.
 */
#include "map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SLOTS	64

static const uint64_t *hash_keys(void)
{
	static uint64_t keys[2];

	while (!keys[0] || !keys[1])
		if (getrandom(keys, sizeof(keys), GRND_NONBLOCK) !=
		    sizeof(keys)) {
			keys[0] = (uintptr_t)&keys | 1;
			keys[1] = ~keys[0];
		}
	return keys;
}

static uint64_t both_halves(__uint128_t product)
{
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Mixes both numbers with one 128-bit multiplication, as wyhash does. */
uint64_t mp_map_hash(uint64_t a, uint64_t b)
{
	const uint64_t *keys = hash_keys();

	return both_halves((__uint128_t)(a ^ keys[0]) * (b ^ keys[1]));
}

static size_t home_slot(const struct mp_map *map, uint64_t a, uint64_t b)
{
	return mp_map_hash(a, b) & (map->nr_slots - 1);
}

/* Returns the slot of a key; if the key is unknown, the free slot for it. */
static size_t find_slot(const struct mp_map *map, uint64_t a, uint64_t b)
{
	size_t i = home_slot(map, a, b);

	while (map->slots[i].used &&
	       (map->slots[i].a != a || map->slots[i].b != b))
		i = (i + 1) & (map->nr_slots - 1);
	return i;
}

uint32_t *mp_map_find(const struct mp_map *map, uint64_t a, uint64_t b)
{
	size_t i;

	if (!map->nr)
		return NULL;
	i = find_slot(map, a, b);
	return map->slots[i].used ? &map->slots[i].value : NULL;
}

static bool grow(struct mp_map *map)
{
	struct mp_map bigger = {
		.nr_slots = map->nr_slots ? map->nr_slots * 2 : FIRST_SLOTS,
		.nr = map->nr,
	};
	size_t i;

	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (i = 0; i < map->nr_slots; i++)
		if (map->slots[i].used)
			bigger.slots[find_slot(&bigger, map->slots[i].a,
					  map->slots[i].b)] = map->slots[i];
	free(map->slots);
	*map = bigger;
	return true;
}

uint32_t *mp_map_add(struct mp_map *map, uint64_t a, uint64_t b)
{
	size_t i;

	if (map->nr + 1 > map->nr_slots / 3 * 2 && !grow(map))
		return NULL;
	i = find_slot(map, a, b);
	if (!map->slots[i].used) {
		map->slots[i] = (struct mp_map_slot){
			.a = a, .b = b, .value = MP_MAP_NEW, .used = 1,
		};
		map->nr++;
	}
	return &map->slots[i].value;
}

void mp_map_remove(struct mp_map *map, uint64_t a, uint64_t b)
{
	size_t mask = map->nr_slots - 1, i, next;

	if (!map->nr)
		return;
	i = find_slot(map, a, b);
	if (!map->slots[i].used)
		return;
	map->nr--;
	/*
	 * A search ends at a free slot. So move a later entry into the slot if
	 * the search for this entry passes the slot.
	 */
	for (next = (i + 1) & mask; map->slots[next].used;
	     next = (next + 1) & mask) {
		size_t at = home_slot(map, map->slots[next].a, map->slots[next].b);

		if (((next - at) & mask) < ((next - i) & mask))
			continue;
		map->slots[i] = map->slots[next];
		i = next;
	}
	map->slots[i].used = 0;
}

int mp_map_copy(struct mp_map *to, const struct mp_map *from)
{
	*to = *from;
	if (!from->nr_slots)
		return 0;
	to->slots = malloc(from->nr_slots * sizeof(*to->slots));
	if (!to->slots) {
		*to = (struct mp_map){ 0 };
		return -ENOMEM;
	}
	memcpy(to->slots, from->slots, from->nr_slots * sizeof(*to->slots));
	return 0;
}

void mp_map_free(struct mp_map *map)
{
	free(map->slots);
	*map = (struct mp_map){ 0 };
}
