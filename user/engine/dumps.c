// SPDX-License-Identifier: GPL-2.0-only
/*
 * dumps: stores each dump in its own block of memory
 *
 * If all dumps would exceed their limit, a new dump is refused and counted.
 */
#include "dumps.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

static size_t regs_bytes(const struct mp_dump *dump)
{
	return sizeof(uint64_t) * (size_t)__builtin_popcountll(dump->mask);
}

static size_t python_bytes(const struct mp_dump *dump)
{
	return dump->python ? sizeof(*dump->python) : 0;
}

static uint32_t slot_for(struct mp_dumps *dumps)
{
	uint32_t i;

	if (dumps->free) {
		i = dumps->free - 1;
		dumps->free = dumps->list[i].next;
		return i;
	}
	if (dumps->nr == dumps->max &&
	    !mp_array_grow(&dumps->list, &dumps->max, sizeof(*dumps->list)))
		return MP_DUMPS_NONE;
	return (uint32_t)dumps->nr++;
}

static void free_slot(struct mp_dumps *dumps, uint32_t i)
{
	dumps->list[i].copy = NULL;
	dumps->list[i].next = dumps->free;
	dumps->free = i + 1;
}

uint32_t mp_dumps_add(struct mp_dumps *dumps, const struct mp_dump *dump)
{
	const size_t python = python_bytes(dump), regs = regs_bytes(dump);
	const size_t bytes = python + regs + dump->size;
	struct mp_dump_slot *slot;
	char *copy;
	uint32_t i;

	if (dumps->bytes + bytes > (dumps->max_bytes ?: MP_DUMPS_MAX_BYTES)) {
		dumps->nr_refused++;
		return MP_DUMPS_NONE;
	}
	i = slot_for(dumps);
	if (i == MP_DUMPS_NONE)
		return i;
	slot = &dumps->list[i];
	copy = malloc(bytes + 1);
	slot->copy = (uint64_t *)copy;
	if (!copy) {
		free_slot(dumps, i);
		return MP_DUMPS_NONE;
	}
	memcpy(copy, dump->regs, regs);
	if (python)
		memcpy(copy + regs, dump->python, python);
	memcpy(copy + regs + python, dump->stack, dump->size);
	slot->dump = (struct mp_dump){
		.mask = dump->mask, .regs = slot->copy,
		.stack = (uint8_t *)copy + regs + python, .size = dump->size,
		.caller = dump->caller,
		.python = python ? (const void *)(copy + regs) : NULL,
	};
	dumps->bytes += bytes;
	return i;
}

void mp_dumps_replace(struct mp_dumps *dumps, uint32_t number,
		      bool (*is_meant)(uint64_t word), uint64_t by)
{
	const struct mp_dump *dump = mp_dumps_at(dumps, number);
	uint64_t *word;
	size_t i;

	for (i = 0; dump && i < dump->size / sizeof(*word); i++) {
		word = (uint64_t *)dump->stack + i;
		if (is_meant(*word))
			*word = by;
	}
}

const struct mp_dump *mp_dumps_at(const struct mp_dumps *dumps, uint32_t number)
{
	return number < dumps->nr && dumps->list[number].copy ?
	       &dumps->list[number].dump : NULL;
}

void mp_dumps_drop(struct mp_dumps *dumps, uint32_t number)
{
	const struct mp_dump *dump = mp_dumps_at(dumps, number);

	if (!dump)
		return;
	dumps->bytes -= regs_bytes(dump) + python_bytes(dump) + dump->size;
	free(dumps->list[number].copy);
	free_slot(dumps, number);
}

void mp_dumps_free(struct mp_dumps *dumps)
{
	size_t i;

	for (i = 0; i < dumps->nr; i++)
		free(dumps->list[i].copy);
	free(dumps->list);
	*dumps = (struct mp_dumps){ 0 };
}
