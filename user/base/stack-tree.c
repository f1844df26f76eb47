// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack-tree: a tree of functions, with a hash map by parent and key
 *
 * A node costs 28 bytes, 16 bytes per value, and a slot of the map. No function is
 * recursive, because stacks can be deep. If memory is short, functions return 0
 * (no node) or -ENOMEM.
 */
#include "stack-tree.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_NAME	"all"

/* Values are untrusted. Unsigned addition lets an overflow wrap around. */
static void add_to(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* Adds a node and returns its number; 0 for the root, or if memory is short. */
static uint32_t add_node(struct mp_stack_tree *tree, uint32_t parent, uint32_t name)
{
	size_t size = tree->nr_values * sizeof(*tree->self), max = tree->max;
	uint32_t node = (uint32_t)tree->nr;

	if (tree->nr == tree->max &&
	    (!mp_array_grow(&tree->nodes, &max, sizeof(*tree->nodes)) ||
	     !mp_array_grow(&tree->self, &tree->max, size)))
		return 0;
	tree->nodes[node] = (struct mp_stack_node){
		.name = name, .parent = parent,
		.point = { UINT32_MAX, MP_CALL_NO_LINE },
		.last = { UINT32_MAX, MP_CALL_NO_LINE },
		.depth = node ? tree->nodes[parent].depth + 1 : 0,
	};
	memset(tree->self + tree->nr * tree->nr_values, 0, size);
	if (tree->nodes[node].depth > tree->deepest)
		tree->deepest = tree->nodes[node].depth;
	tree->nr++;
	return node;
}

int mp_stack_tree_open(struct mp_stack_tree *tree, uint32_t nr_values)
{
	*tree = (struct mp_stack_tree){ .nr_values = nr_values };
	if (mp_names_add(&tree->names, ROOT_NAME) != MP_NAMES_NONE)
		add_node(tree, MP_STACK_TREE_ROOT, 0);
	return tree->nr ? 0 : -ENOMEM;
}

uint32_t mp_stack_tree_node(struct mp_stack_tree *tree, uint32_t parent, uint64_t key)
{
	uint32_t *known = mp_map_add(&tree->by_key, parent, key);

	if (!known)
		return 0;
	if (*known == MP_MAP_NEW)
		*known = add_node(tree, parent, (uint32_t)key);
	if (!*known) {
		mp_map_remove(&tree->by_key, parent, key);
		return 0;
	}
	return *known;
}

uint32_t mp_stack_tree_child(struct mp_stack_tree *tree, uint32_t parent,
			const char *name)
{
	uint32_t number = mp_names_add(&tree->names, name);

	return number == MP_NAMES_NONE ? 0 : mp_stack_tree_node(tree, parent, number);
}

/* What the stacks below a child of the root have: the sums of values above and below 0 */
struct balance {
	__int128 up, down;
	__int128 seen;			/* of @up: what was reached */
	int64_t shown;			/* what is left of that */
};

/* Returns the child of the root that a node is below, or is itself; 0 for the root. */
static uint32_t branch_of(const struct mp_stack_tree *tree, uint32_t node)
{
	while (tree->nodes[node].depth > 1)
		node = tree->nodes[node].parent;
	return node;
}

/* What is left of a value above 0. All that is left adds up to @up + @down. */
static int64_t scale(struct balance *balance, int64_t value)
{
	const int64_t before = balance->shown;
	const __int128 net = balance->up + balance->down;

	balance->seen += value;
	if (net <= 0)
		balance->shown = 0;
	else if (balance->seen == balance->up)
		balance->shown = net < INT64_MAX ? (int64_t)net : INT64_MAX;
	else
		balance->shown = (int64_t)((long double)balance->seen / balance->up * net);
	return balance->shown - before;
}

static bool has_negative(const struct mp_stack_tree *tree, uint32_t value)
{
	size_t i;

	for (i = 0; i < tree->nr; i++)
		if (tree->self[i * tree->nr_values + value] < 0)
			return true;
	return false;
}

int mp_stack_tree_net(struct mp_stack_tree *tree, uint32_t value, struct mp_stack_net *net)
{
	struct balance *balances, *balance;
	int64_t *self;
	size_t i;

	*net = (struct mp_stack_net){ 0 };
	if (!has_negative(tree, value))
		return 0;
	balances = calloc(tree->nr, sizeof(*balances));
	if (!balances)
		return -ENOMEM;
	for (i = 0; i < tree->nr; i++) {
		self = &tree->self[i * tree->nr_values + value];
		balance = &balances[branch_of(tree, (uint32_t)i)];
		*(*self < 0 ? &balance->down : &balance->up) += *self;
	}
	for (i = 0; i < tree->nr; i++) {
		self = &tree->self[i * tree->nr_values + value];
		balance = &balances[branch_of(tree, (uint32_t)i)];
		if (balance->down)
			*self = *self <= 0 ? 0 : scale(balance, *self);
	}
	for (i = 0; i < tree->nr; i++) {
		net->scaled |= balances[i].down != 0;
		if (balances[i].up < -balances[i].down)
			add_to(&net->left_out, (int64_t)(balances[i].up + balances[i].down));
	}
	free(balances);
	return 0;
}

/* Sort order of siblings. @by: number of a value, or MP_STACK_TREE_BY_NAME. */
struct order {
	const struct mp_stack_tree *tree;
	uint32_t by;
};

/*
 * Compares two siblings: the higher total comes first. If the totals are equal,
 * the higher own value 0 comes first. If these are equal, the older node does.
 */
static int compare_values(const struct order *order, uint32_t a, uint32_t b)
{
	uint64_t total_a = (uint64_t)mp_stack_tree_total(order->tree, a, order->by);
	uint64_t total_b = (uint64_t)mp_stack_tree_total(order->tree, b, order->by);
	uint64_t self_a = (uint64_t)mp_stack_tree_self(order->tree, a, 0);
	uint64_t self_b = (uint64_t)mp_stack_tree_self(order->tree, b, 0);

	return (total_b > total_a) - (total_b < total_a) ?:
	       (self_b > self_a) - (self_b < self_a) ?: a < b ? -1 : 1;
}

static int compare(const void *x, const void *y, void *context)
{
	const struct order *order = context;
	const struct mp_stack_tree *tree = order->tree;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	const struct mp_stack_node *a = &tree->nodes[i], *b = &tree->nodes[j];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (order->by != MP_STACK_TREE_BY_NAME)
		return compare_values(order, i, j);
	return strcmp(tree->names.list[a->name], tree->names.list[b->name]);
}

/*
 * Links children to their parents. Each child becomes the head of its list, so
 * the last child of the order is linked first.
 */
static void link_all(struct mp_stack_tree *tree, const uint32_t *sorted)
{
	size_t i;

	for (i = tree->nr; --i;) {
		struct mp_stack_node *node = &tree->nodes[sorted[i]];

		node->next = tree->nodes[node->parent].child;
		tree->nodes[node->parent].child = sorted[i];
	}
}

/* Computes totals from the last node to the first: children follow their parents. */
static void add_up(struct mp_stack_tree *tree)
{
	size_t nr = tree->nr_values, i, value;

	memcpy(tree->total, tree->self, tree->nr * nr * sizeof(int64_t));
	for (i = tree->nr; --i;)
		for (value = 0; value < nr; value++)
			add_to(&tree->total[tree->nodes[i].parent * nr + value],
			       tree->total[i * nr + value]);
}

int mp_stack_tree_finish(struct mp_stack_tree *tree, uint32_t by)
{
	struct order order = { tree, by };
	uint32_t *sorted = reallocarray(NULL, tree->nr, sizeof(*sorted));
	size_t i;

	free(tree->total);
	tree->total = reallocarray(NULL, tree->nr,
				    tree->nr_values * sizeof(int64_t));
	if (!sorted || !tree->total) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < tree->nr; i++) {
		sorted[i] = (uint32_t)i;
		tree->nodes[i].child = 0;
	}
	add_up(tree);
	/* the root is its own parent, so it must not be sorted */
	qsort_r(sorted + 1, tree->nr - 1, sizeof(*sorted), compare, &order);
	link_all(tree, sorted);
	free(sorted);
	return 0;
}

uint32_t mp_stack_tree_skip(const struct mp_stack_tree *tree, uint32_t node)
{
	while (node && !tree->nodes[node].next)
		node = tree->nodes[node].parent;
	return node ? tree->nodes[node].next : MP_STACK_TREE_ROOT;
}

uint32_t mp_stack_tree_next(const struct mp_stack_tree *tree, uint32_t node)
{
	return tree->nodes[node].child ? tree->nodes[node].child :
	       mp_stack_tree_skip(tree, node);
}

void mp_stack_tree_free(struct mp_stack_tree *tree)
{
	mp_names_free(&tree->names);
	free(tree->nodes);
	free(tree->self);
	free(tree->total);
	mp_map_free(&tree->by_key);
	*tree = (struct mp_stack_tree){ 0 };
}

static void go_to_parent(const struct mp_stack_tree *tree, uint32_t *node)
{
	*node = tree->nodes[*node].parent;
}

/*
 * Compares two names as parts of folded stacks. @more_a: a semicolon follows @a,
 * because its stack has more names. @more_b: the same for @b.
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
	const struct mp_stack_tree *tree;
	char * const *names;
};

/* Orders nodes as strcmp() orders their folded stacks, without building these. */
static int compare_folded(const void *one, const void *other, void *context)
{
	const struct naming *naming = context;
	const struct mp_stack_tree *tree = naming->tree;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	bool more_a = false, more_b = false;

	for (; tree->nodes[a].depth > tree->nodes[b].depth; more_a = true)
		go_to_parent(tree, &a);
	for (; tree->nodes[b].depth > tree->nodes[a].depth; more_b = true)
		go_to_parent(tree, &b);
	if (a == b)
		return more_a - more_b;
	while (tree->nodes[a].parent != tree->nodes[b].parent) {
		go_to_parent(tree, &a);
		go_to_parent(tree, &b);
		more_a = more_b = true;
	}
	return compare_names(naming->names[tree->nodes[a].name],
			     naming->names[tree->nodes[b].name], more_a, more_b);
}

long mp_stack_tree_sort(const struct mp_stack_tree *tree, char * const *names,
		   uint32_t **sorted)
{
	struct naming naming = { tree, names };
	size_t i, nr = tree->nr ? tree->nr - 1 : 0;

	*sorted = malloc((nr + 1) * sizeof(**sorted));
	if (!*sorted)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		(*sorted)[i] = i + 1;
	qsort_r(*sorted, nr, sizeof(**sorted), compare_folded, &naming);
	return nr;
}
