// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-functions: keeps the functions in a list, and finds them by a hash
 *
 * Several lines of a function are one binary of the profile. Functions return -ENOMEM
 * without memory.
 */
#include "region-functions.h"
#include "interpreted.h"
#include "region-window.h"
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The binaries of the names that this region has, by the number of the name. */
struct known {
	struct mp_names names;
	uint32_t *binaries;
};

static int binary_of(struct known *known, const char *text, struct mp_profile *profile,
		     uint32_t *binary)
{
	struct mp_binary added = { 0 };
	const size_t nr = known->names.nr;
	uint32_t name;
	int err;

	snprintf(added.path, sizeof(added.path), "%s", text);
	name = mp_names_add(&known->names, added.path);
	if (name == MP_NAMES_NONE)
		return -ENOMEM;
	if (known->names.nr == nr) {
		*binary = known->binaries[name];
		return 0;
	}
	err = mp_sites_binary(profile, &added, binary);
	known->binaries[name] = *binary;
	return err;
}

static int read_function(struct mp_region_functions *functions, struct known *known,
			 const struct memprof_region_function *is,
			 struct mp_profile *profile)
{
	struct mp_region_function *function = &functions->list[functions->nr];
	char text[sizeof(is->text) + 1];
	uint32_t *at;

	snprintf(text, sizeof(text), "%.*s", (int)sizeof(is->text), is->text);
	if (!is->address || !mp_interpreted_is(text))
		return 0;
	at = mp_map_add(&functions->by_address, is->address, 0);
	if (!at)
		return -ENOMEM;
	*at = (uint32_t)functions->nr++;
	function->line = is->line;
	return binary_of(known, text, profile, &function->binary);
}

int mp_region_functions_read(struct mp_region_functions *functions,
			     const struct mp_region *region, struct mp_profile *profile)
{
	const struct memprof_region_function *is;
	struct mp_region_window window;
	struct known known = { 0 };
	int err = mp_region_window_open(&window, region, MEMPROF_REGION_FUNCTIONS);
	uint64_t i;

	*functions = (struct mp_region_functions){ 0 };
	if (!err) {
		functions->list = calloc(window.nr + 1, sizeof(*functions->list));
		known.binaries = calloc(window.nr + 1, sizeof(*known.binaries));
	}
	if (!functions->list || !known.binaries)
		err = -ENOMEM;
	for (i = 0; !err && (is = mp_region_window_at(&window, i)); i++)
		err = read_function(functions, &known, is, profile);
	mp_region_window_close(&window);
	mp_names_free(&known.names);
	free(known.binaries);
	return err;
}

const struct mp_region_function *
mp_region_functions_find(const struct mp_region_functions *functions, uint64_t address)
{
	const uint32_t *at = mp_map_find(&functions->by_address, address, 0);

	return at ? &functions->list[*at] : NULL;
}

void mp_region_functions_free(struct mp_region_functions *functions)
{
	free(functions->list);
	functions->list = NULL;
	mp_map_free(&functions->by_address);
}
