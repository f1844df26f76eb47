// SPDX-License-Identifier: GPL-2.0-only
/*
 * flame: a tree of names, with a hash map by parent and name
 *
 * A node costs 28 bytes, 16 for each of its values, and a slot of the map. No
 * walk is recursive, because stacks can be deep. Without memory functions
 * return 0 or -ENOMEM.
 */
#include "flame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_NAME	"all"

/* Values are untrusted: an overflow wraps around. */
static void add_to(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static bool grow(struct mp_flame *flame)
{
	size_t max = flame->max ? flame->max * 2 : 256;
	struct mp_flame_node *nodes;
	int64_t *self;

	if (flame->nr < flame->max)
		return true;
	if (max >= UINT32_MAX)
		return false;
	nodes = reallocarray(flame->nodes, max, sizeof(*nodes));
	if (!nodes)
		return false;
	flame->nodes = nodes;
	self = reallocarray(flame->self, max,
			    flame->nr_values * sizeof(*self));
	if (!self)
		return false;
	flame->self = self;
	flame->max = max;
	return true;
}

/* Adds a node; returns 0 without memory, and for the root. */
static uint32_t add_node(struct mp_flame *flame, uint32_t parent, uint32_t name)
{
	uint32_t node = (uint32_t)flame->nr;

	if (name == MP_NAMES_NONE || !grow(flame))
		return 0;
	flame->nodes[node] = (struct mp_flame_node){
		.name = name, .file = MP_NAMES_NONE, .parent = parent,
		.depth = node ? flame->nodes[parent].depth + 1 : 0,
	};
	memset(flame->self + flame->nr * flame->nr_values, 0,
	       flame->nr_values * sizeof(*flame->self));
	if (flame->nodes[node].depth > flame->deepest)
		flame->deepest = flame->nodes[node].depth;
	flame->nr++;
	return node;
}

int mp_flame_open(struct mp_flame *flame, uint32_t nr_values)
{
	*flame = (struct mp_flame){ .nr_values = nr_values };
	add_node(flame, MP_FLAME_ROOT, mp_names_add(&flame->names, ROOT_NAME));
	return flame->nr ? 0 : -ENOMEM;
}

uint32_t mp_flame_node(struct mp_flame *flame, uint32_t parent, uint32_t name)
{
	uint32_t *known;

	if (name == MP_NAMES_NONE)
		return 0;
	known = mp_map_add(&flame->by_location, parent, name);
	if (!known)
		return 0;
	if (*known == MP_MAP_NEW)
		*known = add_node(flame, parent, name);
	if (!*known) {
		mp_map_remove(&flame->by_location, parent, name);
		return 0;
	}
	return *known;
}

uint32_t mp_flame_child(struct mp_flame *flame, uint32_t parent,
			const char *name)
{
	return mp_flame_node(flame, parent, mp_names_add(&flame->names, name));
}

int64_t mp_flame_clamp(struct mp_flame *flame, uint32_t value)
{
	int64_t *self, left_out = 0;
	size_t i;

	for (i = 0; i < flame->nr; i++) {
		self = &flame->self[i * flame->nr_values + value];
		if (*self >= 0)
			continue;
		add_to(&left_out, *self);
		*self = 0;
	}
	return left_out;
}

static int compare(const void *x, const void *y, void *context)
{
	const struct mp_flame *flame = context;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	const struct mp_flame_node *a = &flame->nodes[i], *b = &flame->nodes[j];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(flame->names.list[a->name], flame->names.list[b->name]);
}

/*
 * Links the children in reverse order, so that each list begins with the first
 * name.
 */
static void link_all(struct mp_flame *flame, const uint32_t *sorted)
{
	size_t i;

	for (i = flame->nr; --i;) {
		struct mp_flame_node *node = &flame->nodes[sorted[i]];

		node->next = flame->nodes[node->parent].child;
		flame->nodes[node->parent].child = sorted[i];
	}
}

/* Backwards, because children come after their parents. */
static void add_up(struct mp_flame *flame)
{
	size_t nr = flame->nr_values, i, value;

	memcpy(flame->total, flame->self, flame->nr * nr * sizeof(int64_t));
	for (i = flame->nr; --i;)
		for (value = 0; value < nr; value++)
			add_to(&flame->total[flame->nodes[i].parent * nr + value],
			       flame->total[i * nr + value]);
}

int mp_flame_finish(struct mp_flame *flame)
{
	uint32_t *sorted = reallocarray(NULL, flame->nr, sizeof(*sorted));
	size_t i;

	free(flame->total);
	flame->total = reallocarray(NULL, flame->nr,
				    flame->nr_values * sizeof(int64_t));
	if (!sorted || !flame->total) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < flame->nr; i++) {
		sorted[i] = (uint32_t)i;
		flame->nodes[i].child = 0;
	}
	/* the root is its own parent and must stay first */
	qsort_r(sorted + 1, flame->nr - 1, sizeof(*sorted), compare, flame);
	link_all(flame, sorted);
	add_up(flame);
	free(sorted);
	return 0;
}

uint32_t mp_flame_skip(const struct mp_flame *flame, uint32_t node)
{
	while (node && !flame->nodes[node].next)
		node = flame->nodes[node].parent;
	return node ? flame->nodes[node].next : MP_FLAME_ROOT;
}

uint32_t mp_flame_next(const struct mp_flame *flame, uint32_t node)
{
	return flame->nodes[node].child ? flame->nodes[node].child :
	       mp_flame_skip(flame, node);
}

void mp_flame_free(struct mp_flame *flame)
{
	mp_names_free(&flame->names);
	free(flame->nodes);
	free(flame->self);
	free(flame->total);
	mp_map_free(&flame->by_location);
	*flame = (struct mp_flame){ 0 };
}

static void go_to_parent(const struct mp_flame *flame, uint32_t *node)
{
	*node = flame->nodes[*node].parent;
}

/*
 * Compares two siblings, or the ends of two stacks: after a name follows a
 * semicolon or the end.
 */
static int compare_names(const char *a, const char *b, bool more_a, bool more_b)
{
	size_t len_a = strlen(a), len_b = strlen(b);
	size_t len = len_a < len_b ? len_a : len_b;
	int order = memcmp(a, b, len);
	int next_a, next_b;

	if (order)
		return order;
	next_a = len < len_a ? (unsigned char)a[len] : more_a ? ';' : 0;
	next_b = len < len_b ? (unsigned char)b[len] : more_b ? ';' : 0;
	return next_a - next_b;
}

struct naming {
	const struct mp_flame *flame;
	char * const *names;
};

/* Same order as strcmp() of the two folded stacks, without building them. */
static int compare_folded(const void *one, const void *other, void *context)
{
	const struct naming *naming = context;
	const struct mp_flame *flame = naming->flame;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	bool more_a = false, more_b = false;

	for (; flame->nodes[a].depth > flame->nodes[b].depth; more_a = true)
		go_to_parent(flame, &a);
	for (; flame->nodes[b].depth > flame->nodes[a].depth; more_b = true)
		go_to_parent(flame, &b);
	if (a == b)
		return more_a - more_b;
	while (flame->nodes[a].parent != flame->nodes[b].parent) {
		go_to_parent(flame, &a);
		go_to_parent(flame, &b);
		more_a = more_b = true;
	}
	return compare_names(naming->names[flame->nodes[a].name],
			     naming->names[flame->nodes[b].name], more_a, more_b);
}

long mp_flame_sort(const struct mp_flame *flame, char * const *names,
		   uint32_t **sorted)
{
	struct naming naming = { flame, names };
	size_t i, nr = flame->nr ? flame->nr - 1 : 0;

	*sorted = malloc((nr + 1) * sizeof(**sorted));
	if (!*sorted)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		(*sorted)[i] = i + 1;
	qsort_r(*sorted, nr, sizeof(**sorted), compare_folded, &naming);
	return nr;
}
