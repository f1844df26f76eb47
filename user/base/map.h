/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map: from two numbers to one
 */
#ifndef MP_MAP_H
#define MP_MAP_H

#include <stddef.h>
#include <stdint.h>

/* What a new key leads to. */
#define MP_MAP_NEW	UINT32_MAX

struct mp_map_slot {
	uint64_t a;
	uint64_t b;
	uint32_t value;
	uint32_t used;
};

/**
 * struct mp_map - a hash table; all zero is an empty one
 * @slots: open addressing, linear
 * @nr_slots: a power of two, or 0
 * @nr: keys held
 */
struct mp_map {
	struct mp_map_slot *slots;
	size_t nr_slots;
	size_t nr;
};

/** mp_map_find - the value of a key, or NULL; valid until the map changes */
uint32_t *mp_map_find(const struct mp_map *map, uint64_t a, uint64_t b);

/**
 * mp_map_add - the value of a key; MP_MAP_NEW where it was not there
 *
 * Return: where it is, valid until the map changes; NULL without memory.
 */
uint32_t *mp_map_add(struct mp_map *map, uint64_t a, uint64_t b);

/** mp_map_remove - forget a key, where it is there */
void mp_map_remove(struct mp_map *map, uint64_t a, uint64_t b);

/** mp_map_copy - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_map_copy(struct mp_map *to, const struct mp_map *from);

/** mp_map_free - free all; the map is empty afterwards */
void mp_map_free(struct mp_map *map);

/** mp_map_hash - a keyed hash of two numbers, of this process only */
uint64_t mp_map_hash(uint64_t a, uint64_t b);

#endif
