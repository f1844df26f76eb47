/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map: maps a pair of 64-bit numbers to a 32-bit number
 */
#ifndef MP_MAP_H
#define MP_MAP_H

#include <stddef.h>
#include <stdint.h>

/* The value that mp_map_add() gives to a new key. */
#define MP_MAP_NEW	UINT32_MAX

struct mp_map_slot {
	uint64_t a;
	uint64_t b;
	uint32_t value;
	uint32_t used;
};

/**
 * struct mp_map - a hash table; all zero means empty
 * @slots: open addressing with linear probing
 * @nr_slots: a power of two, or 0
 * @nr: number of keys
 */
struct mp_map {
	struct mp_map_slot *slots;
	size_t nr_slots;
	size_t nr;
};

/** mp_map_find - find the value of a key, or NULL; valid until the map changes */
uint32_t *mp_map_find(const struct mp_map *map, uint64_t a, uint64_t b);

/**
 * mp_map_add - find or add a key; a new one has the value MP_MAP_NEW
 *
 * Return: pointer to its value, valid until the map changes; NULL if memory
 * is short.
 */
uint32_t *mp_map_add(struct mp_map *map, uint64_t a, uint64_t b);

/** mp_map_remove - remove a key, if it is there */
void mp_map_remove(struct mp_map *map, uint64_t a, uint64_t b);

/** mp_map_copy - copy everything to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_map_copy(struct mp_map *to, const struct mp_map *from);

/** mp_map_free - free all; the map is empty afterwards */
void mp_map_free(struct mp_map *map);

/** mp_map_hash - hash two numbers with a random key, chosen once per process */
uint64_t mp_map_hash(uint64_t a, uint64_t b);

#endif
