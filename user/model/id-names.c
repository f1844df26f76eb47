// SPDX-License-Identifier: GPL-2.0-only
/*
 * id-names: finds texts by a hash of the id
 *
 * The ids can come from untrusted files, so the hash is keyed. If memory is short, a
 * function returns -ENOMEM and the table does not change.
 */
#include "id-names.h"
#include "array.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct mp_id_names *names)
{
	size_t max = names->max;

	return names->nr < names->max ||
	       (mp_array_grow(&names->ids, &max, sizeof(*names->ids)) &&
		mp_array_grow(&names->texts, &names->max, sizeof(*names->texts)));
}

int mp_id_names_add(struct mp_id_names *names, uint64_t id, const char *text)
{
	size_t size = strlen(text) * 4 + 1;
	uint32_t *known;
	char *copy;

	if (!id || !text[0] || mp_id_names_find(names, id))
		return 0;
	if (!make_room(names))
		return -ENOMEM;
	copy = malloc(size);
	known = copy ? mp_map_add(&names->by_id, id, 0) : NULL;
	if (!known) {
		free(copy);
		return -ENOMEM;
	}
	mp_text_escape(copy, size, text, size);
	*known = (uint32_t)names->nr;
	names->ids[names->nr] = id;
	names->texts[names->nr++] = copy;
	return 0;
}

int mp_id_names_set(struct mp_id_names *names, uint64_t id, const char *text)
{
	const uint32_t *known = mp_map_find(&names->by_id, id, 0);
	size_t size = strlen(text) * 4 + 1;
	char *copy;

	if (!known)
		return mp_id_names_add(names, id, text);
	if (!text[0])
		return 0;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	mp_text_escape(copy, size, text, size);
	free(names->texts[*known]);
	names->texts[*known] = copy;
	return 0;
}

const char *mp_id_names_find(const struct mp_id_names *names, uint64_t id)
{
	const uint32_t *known = mp_map_find(&names->by_id, id, 0);

	return known ? names->texts[*known] : NULL;
}

int mp_id_names_copy(struct mp_id_names *to, const struct mp_id_names *from)
{
	size_t i;

	if (mp_map_copy(&to->by_id, &from->by_id))
		return -ENOMEM;
	for (i = 0; i < from->nr; i++) {
		if (!make_room(to))
			return -ENOMEM;
		to->ids[i] = from->ids[i];
		to->texts[i] = strdup(from->texts[i]);
		if (!to->texts[i])
			return -ENOMEM;
		to->nr++;
	}
	return 0;
}

void mp_id_names_free(struct mp_id_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->ids);
	mp_map_free(&names->by_id);
	*names = (struct mp_id_names){ 0 };
}
