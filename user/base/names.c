// SPDX-License-Identifier: GPL-2.0-only
/*
 * names: finds texts by their hash
 *
 * Texts with the same hash get the keys (hash, 0), (hash, 1) and so on.
 */
#include "names.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *text)
{
	size_t len = strlen(text);
	uint64_t hash = len, word;

	for (; len; text += sizeof(word) < len ? sizeof(word) : len,
	     len -= sizeof(word) < len ? sizeof(word) : len) {
		word = 0;
		memcpy(&word, text, len < sizeof(word) ? len : sizeof(word));
		hash = mp_map_hash(hash, word);
	}
	return hash;
}

static uint32_t append(struct mp_names *names, const char *text)
{
	if (names->nr == names->max &&
	    !mp_array_grow(&names->list, &names->max, sizeof(*names->list)))
		return MP_NAMES_NONE;
	names->list[names->nr] = strdup(text);
	return names->list[names->nr] ? (uint32_t)names->nr++ : MP_NAMES_NONE;
}

uint32_t mp_names_find(const struct mp_names *names, const char *text)
{
	uint64_t hash = hash_of(text), n;
	const uint32_t *known;

	for (n = 0;; n++) {
		known = mp_map_find(&names->by_hash, hash, n);
		if (!known)
			return MP_NAMES_NONE;
		if (!strcmp(names->list[*known], text))
			return *known;
	}
}

uint32_t mp_names_add(struct mp_names *names, const char *text)
{
	uint64_t hash = hash_of(text), n;
	uint32_t *known;

	for (n = 0;; n++) {
		known = mp_map_add(&names->by_hash, hash, n);
		if (!known)
			return MP_NAMES_NONE;
		if (*known == MP_MAP_NEW)
			break;
		if (!strcmp(names->list[*known], text))
			return *known;
	}
	*known = append(names, text);
	if (*known == MP_NAMES_NONE) {
		mp_map_remove(&names->by_hash, hash, n);
		return MP_NAMES_NONE;
	}
	return *known;
}

int mp_names_copy(struct mp_names *to, const struct mp_names *from)
{
	size_t i;

	if (mp_map_copy(&to->by_hash, &from->by_hash))
		return -ENOMEM;
	for (i = 0; i < from->nr; i++)
		if (append(to, from->list[i]) == MP_NAMES_NONE)
			return -ENOMEM;
	return 0;
}

void mp_names_free(struct mp_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->list[i]);
	free(names->list);
	mp_map_free(&names->by_hash);
	*names = (struct mp_names){ 0 };
}
