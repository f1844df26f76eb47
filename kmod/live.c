// SPDX-License-Identifier: GPL-2.0-only
/*
 * The live table hashes each block by its process and by the 128-byte granule of
 * its address. So a look-up by any address in a block checks a bounded number of
 * granules below that address. Blocks of a page and more are also in an ordered
 * tree of their process.
 *
 * Cost: 100 bytes per block of the table, allocated at START; one short lock per
 * allocation and per free, of one of 1024 stripes of the hash. Each thread keeps up
 * to 16 free blocks of a large table, so that the lock of the free list is taken
 * once per 8 blocks. When the table is full the block is not followed (counted), and
 * its free is the free of an unknown block.
 *
 * When an address space ends, its blocks stay in the table. A sweep removes them
 * later, all at once.
 */
#include "live.h"
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include "process.h"

#define GRANULE_BITS	7
#define LARGE_BYTES	4096		/* smallest block in the tree */
#define STRIPE_BITS	10
#define MAX_BATCH	(MEMPROF_MAX_SPARES / 2)

/*
 * A thread takes free blocks from the table in batches. The size of a batch is
 * the size of the table divided by this number: at least 1, at most MAX_BATCH.
 */
#define BLOCKS_PER_BATCH (1 << 17)

/**
 * memprof_live_alloc() - allocate the table
 * @l: zeroed
 * @max: number of blocks
 * @counts: counters for blocks that find the table full
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_live_alloc(struct memprof_live *l, u32 max,
		       struct memprof_counts __percpu *counts)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT;
	u32 i;

	l->max = max;
	l->batch = clamp(max / BLOCKS_PER_BATCH, 1U, (u32)MAX_BATCH);
	l->bits = max(ilog2(roundup_pow_of_two(max)), STRIPE_BITS);
	l->counts = counts;
	l->free = MEMPROF_NO_BLOCK;
	raw_spin_lock_init(&l->free_lock);
	seqcount_raw_spinlock_init(&l->moves, &l->free_lock);
	mutex_init(&l->sweep_lock);
	get_random_bytes(&l->key, sizeof(l->key));
	l->blocks = __vmalloc(array_size(max, sizeof(*l->blocks)), gfp);
	l->hash = __vmalloc(sizeof(*l->hash) << l->bits, gfp);
	l->stripes = __vmalloc(sizeof(*l->stripes) << STRIPE_BITS, gfp);
	if (!l->blocks || !l->hash || !l->stripes) {
		memprof_live_free(l);
		return -ENOMEM;
	}
	memset(l->hash, 0xff, sizeof(*l->hash) << l->bits);
	for (i = 0; i < 1U << STRIPE_BITS; i++)
		raw_spin_lock_init(&l->stripes[i].lock);
	return 0;
}

/**
 * memprof_live_free() - free the table
 * @l: table of a session whose probes are removed; may be zeroed
 */
void memprof_live_free(struct memprof_live *l)
{
	vfree(l->blocks);
	vfree(l->hash);
	vfree(l->stripes);
	memset(l, 0, sizeof(*l));
}

/* The hash has a secret key because the processes choose the addresses. */
static u32 bucket_of_block(const struct memprof_live *l,
			   const struct memprof_row *row, u64 granule)
{
	return siphash_2u64(granule, row->number, &l->key) >> (64 - l->bits);
}

static raw_spinlock_t *stripe_of_bucket(struct memprof_live *l, u32 bucket)
{
	return &l->stripes[bucket & ((1U << STRIPE_BITS) - 1)].lock;
}

/* Returns a block of the free list, or a block that was never used. */
static u32 pop_free_block(struct memprof_live *l)
{
	u32 i = l->free;

	lockdep_assert_held(&l->free_lock);
	if (i != MEMPROF_NO_BLOCK) {
		l->free = l->blocks[i].next;
	} else if (l->touched < l->max) {
		i = l->touched;
		l->blocks[i].row = NULL;
		/* pairs with memprof_live_sweep() */
		smp_store_release(&l->touched, i + 1);
	}
	if (i != MEMPROF_NO_BLOCK)
		WRITE_ONCE(l->used, l->used + 1);
	return i;
}

static void push_free_block(struct memprof_live *l, u32 i)
{
	lockdep_assert_held(&l->free_lock);
	l->blocks[i].next = l->free;
	l->free = i;
	WRITE_ONCE(l->used, l->used - 1);
}

/* Returns MEMPROF_NO_BLOCK when the table is full. */
static u32 alloc_live_block(struct memprof_live *l, struct memprof_spares *spares)
{
	u32 i, n = spares->nr;

	if (!n) {
		raw_spin_lock(&l->free_lock);
		write_seqcount_begin(&l->moves);
		while (n < l->batch) {
			i = pop_free_block(l);
			if (i == MEMPROF_NO_BLOCK)
				break;
			spares->block[n++] = i;
		}
		WRITE_ONCE(spares->nr, n);
		write_seqcount_end(&l->moves);
		raw_spin_unlock(&l->free_lock);
	}
	i = n ? spares->block[--n] : MEMPROF_NO_BLOCK;
	WRITE_ONCE(spares->nr, n);
	return i;
}

/* Moves spare blocks to the free list, until the thread has only @keep. */
static void push_spares(struct memprof_live *l, struct memprof_spares *spares,
			u32 keep)
{
	u32 n = spares->nr;

	raw_spin_lock(&l->free_lock);
	write_seqcount_begin(&l->moves);
	while (n > keep)
		push_free_block(l, spares->block[--n]);
	WRITE_ONCE(spares->nr, n);
	write_seqcount_end(&l->moves);
	raw_spin_unlock(&l->free_lock);
}

static void free_live_block(struct memprof_live *l, struct memprof_spares *spares,
			    u32 i)
{
	struct memprof_spares none = {};

	if (i == MEMPROF_NO_BLOCK)
		return;
	spares = spares ?: &none;
	spares->block[spares->nr] = i;
	WRITE_ONCE(spares->nr, spares->nr + 1);
	if (spares == &none || l->batch == 1)
		push_spares(l, spares, 0);
	else if (spares->nr == MEMPROF_MAX_SPARES)
		push_spares(l, spares, MEMPROF_MAX_SPARES / 2);
}

/**
 * memprof_live_give_back() - move the spare blocks of a thread to the free list
 * @l: table
 * @spares: of a thread that exits
 */
void memprof_live_give_back(struct memprof_live *l, struct memprof_spares *spares)
{
	if (spares->nr)
		push_spares(l, spares, 0);
}

static void copy_live_block(const struct memprof_block *b, struct memprof_found *found)
{
	found->ptr = b->ptr;
	found->size = b->size;
	found->born_ns = b->born_ns;
	found->cgroup = b->cgroup;
	found->site = b->site;
	found->weighted = b->weighted;
}

static void insert_large_block(struct memprof_row *row, struct memprof_block *b)
{
	struct rb_node **link, *parent = NULL;

	raw_spin_lock(&row->large_lock);
	link = &row->large.rb_node;
	while (*link) {
		parent = *link;
		link = b->ptr < rb_entry(parent, struct memprof_block,
					 node)->ptr ?
		       &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&b->node, parent, link);
	rb_insert_color(&b->node, &row->large);
	raw_spin_unlock(&row->large_lock);
}

static void erase_large_block(struct memprof_row *row, struct memprof_block *b)
{
	raw_spin_lock(&row->large_lock);
	rb_erase(&b->node, &row->large);
	raw_spin_unlock(&row->large_lock);
}

/*
 * Returns the link of the bucket's chain that holds the block's number, or the
 * link at its end. The lock of the bucket's stripe is held.
 */
static u32 *find_block_link(struct memprof_live *l, u32 bucket,
			    const struct memprof_row *row, u64 ptr)
{
	struct memprof_block *b;
	u32 *link;

	for (link = &l->hash[bucket]; *link != MEMPROF_NO_BLOCK;
	     link = &b->next) {
		b = &l->blocks[*link];
		if (b->row == row && b->ptr == ptr)
			break;
	}
	return link;
}

/*
 * Takes the block at a link out of its chain and copies it. Returns its number,
 * for free_live_block(); MEMPROF_NO_BLOCK at the end of the chain.
 */
static u32 unlink_block(struct memprof_live *l, struct memprof_row *row, u32 *link,
			struct memprof_found *found)
{
	u32 i = *link;
	struct memprof_block *b;

	if (i == MEMPROF_NO_BLOCK)
		return i;
	b = &l->blocks[i];
	WRITE_ONCE(*link, b->next);
	if (b->size >= LARGE_BYTES)
		erase_large_block(row, b);
	copy_live_block(b, found);
	WRITE_ONCE(b->row, NULL);
	return i;
}

/**
 * memprof_live_add() - follow a block
 * @l: table
 * @spares: of the running thread
 * @row: process of the block
 * @block: the block
 * @old: filled with the block that was followed at the same address. Its free
 *	was not seen, and the allocator has used the address again. ptr is 0
 *	when there was no such block.
 *
 * The caller updates row->blocks: plus 1 for @block, minus 1 for @old.
 *
 * Return: false when the table is full; then no block is followed at the address. Also
 * false if the table contradicts itself (@l->inconsistent): a free slot has a block.
 */
bool memprof_live_add(struct memprof_live *l, struct memprof_spares *spares,
		      struct memprof_row *row,
		      const struct memprof_found *block,
		      struct memprof_found *old)
{
	u32 bucket = bucket_of_block(l, row, block->ptr >> GRANULE_BITS);
	struct memprof_block *b;
	u32 i = alloc_live_block(l, spares), old_nr;

	old->ptr = 0;
	if (i == MEMPROF_NO_BLOCK) {
		memprof_count(l->counts, MEMPROF_COUNT_LIVE_TABLE_FULL);
		memprof_live_take(l, spares, row, block->ptr, old);
		return false;
	}
	b = &l->blocks[i];
	if (unlikely(READ_ONCE(b->row))) {
		WRITE_ONCE(l->inconsistent, true);
		return false;
	}
	b->ptr = block->ptr;
	b->size = block->size;
	b->born_ns = block->born_ns;
	b->cgroup = block->cgroup;
	b->site = block->site;
	b->weighted = block->weighted;
	if (!READ_ONCE(row->followed))
		WRITE_ONCE(row->followed, true);
	raw_spin_lock(stripe_of_bucket(l, bucket));
	old_nr = unlink_block(l, row, find_block_link(l, bucket, row, block->ptr), old);
	WRITE_ONCE(b->row, row);
	b->next = l->hash[bucket];
	WRITE_ONCE(l->hash[bucket], i);
	if (b->size >= LARGE_BYTES)
		insert_large_block(row, b);
	raw_spin_unlock(stripe_of_bucket(l, bucket));
	free_live_block(l, spares, old_nr);
	return true;
}

/**
 * memprof_live_take() - stop following a block, because it is freed
 * @l: table
 * @spares: of the running thread; NULL: it has none
 * @row: process of the block
 * @ptr: address of the block
 * @found: filled in, when the block was followed
 *
 * The caller subtracts the block from row->blocks.
 *
 * Return: whether the block was followed. When two threads free the same block
 * at the same time, only one of them gets true.
 */
bool memprof_live_take(struct memprof_live *l, struct memprof_spares *spares,
		       struct memprof_row *row, u64 ptr,
		       struct memprof_found *found)
{
	u32 bucket = bucket_of_block(l, row, ptr >> GRANULE_BITS);
	u32 i;

	/* the fast path of most frees when few allocations are sampled */
	if (READ_ONCE(l->hash[bucket]) == MEMPROF_NO_BLOCK)
		return false;
	raw_spin_lock(stripe_of_bucket(l, bucket));
	i = unlink_block(l, row, find_block_link(l, bucket, row, ptr), found);
	raw_spin_unlock(stripe_of_bucket(l, bucket));
	free_live_block(l, spares, i);
	return i != MEMPROF_NO_BLOCK;
}

static bool find_large_block_at(struct memprof_row *row, u64 addr,
				struct memprof_found *found)
{
	struct memprof_block *b, *below = NULL;
	struct rb_node *node;
	bool hit;

	raw_spin_lock(&row->large_lock);
	for (node = row->large.rb_node; node;) {
		b = rb_entry(node, struct memprof_block, node);
		if (b->ptr <= addr)
			below = b;
		node = b->ptr <= addr ? node->rb_right : node->rb_left;
	}
	hit = below && addr - below->ptr < below->size;
	if (hit)
		copy_live_block(below, found);
	raw_spin_unlock(&row->large_lock);
	return hit;
}

static bool find_block_in_granule(struct memprof_live *l, struct memprof_row *row,
				  u64 granule, u64 addr, struct memprof_found *found)
{
	u32 bucket = bucket_of_block(l, row, granule), i;
	bool hit = false;

	if (READ_ONCE(l->hash[bucket]) == MEMPROF_NO_BLOCK)
		return false;
	raw_spin_lock(stripe_of_bucket(l, bucket));
	for (i = l->hash[bucket]; i != MEMPROF_NO_BLOCK && !hit;
	     i = l->blocks[i].next) {
		struct memprof_block *b = &l->blocks[i];

		hit = b->row == row && b->ptr <= addr &&
		      addr - b->ptr < b->size;
		if (hit)
			copy_live_block(b, found);
	}
	raw_spin_unlock(stripe_of_bucket(l, bucket));
	return hit;
}

/**
 * memprof_live_at() - find the block that contains an address
 * @l: table
 * @row: process
 * @addr: any address
 * @found: filled in, when there is a block
 *
 * Any context but NMI and interrupts. Searches one tree and 33 granules at most.
 */
bool memprof_live_at(struct memprof_live *l, struct memprof_row *row, u64 addr,
		     struct memprof_found *found)
{
	u64 granule = addr >> GRANULE_BITS;
	u32 i;

	if (!READ_ONCE(row->followed))
		return false;
	if (find_large_block_at(row, addr, found))
		return true;
	for (i = 0; i <= LARGE_BYTES >> GRANULE_BITS && i <= granule; i++)
		if (find_block_in_granule(l, row, granule - i, addr, found))
			return true;
	return false;
}

/**
 * memprof_live_end() - number of slots that were ever used
 * @l: table
 */
u32 memprof_live_end(struct memprof_live *l)
{
	/* pairs with pop_free_block() */
	return smp_load_acquire(&l->touched);
}

/**
 * memprof_live_slot() - copy the block in a slot
 * @l: table
 * @i: slot, below memprof_live_end()
 * @found: filled in
 *
 * The block may be freed at any time, and its slot be used for another one, which is
 * under another lock: then the lock of the first one protects nothing. So the slot is
 * read again under the lock.
 *
 * Return: the row of the block's process; NULL if the slot is free or changes, or if the
 * address space has ended.
 */
struct memprof_row *memprof_live_slot(struct memprof_live *l, u32 i,
				      struct memprof_found *found)
{
	struct memprof_block *b = &l->blocks[i];
	struct memprof_row *row = READ_ONCE(b->row);
	u64 ptr = READ_ONCE(b->ptr), number;
	raw_spinlock_t *stripe;
	bool hit;

	if (!row || READ_ONCE(row->state) == MEMPROF_ROW_EXITED)
		return NULL;
	number = READ_ONCE(row->number);
	stripe = stripe_of_bucket(l, bucket_of_block(l, row, ptr >> GRANULE_BITS));
	raw_spin_lock(stripe);
	hit = READ_ONCE(b->row) == row && READ_ONCE(b->ptr) == ptr &&
	      READ_ONCE(row->number) == number;
	if (hit)
		copy_live_block(b, found);
	raw_spin_unlock(stripe);
	return hit ? row : NULL;
}

/**
 * memprof_live_drop() - account for a block that ended with its address space
 * @row: process of the block
 * @block: copy of the block, which is not in the table any more
 */
void memprof_live_drop(struct memprof_row *row,
		       const struct memprof_found *block)
{
	memprof_alloc_keep(block->site, &row->alloc);
	memprof_alloc_end(&row->alloc, &block->weighted);
	memprof_alloc_end(block->cgroup, &block->weighted);
	memprof_alloc_end(block->site, &block->weighted);
}

/*
 * Removes a block if its process exited. The row of an exited process is not
 * reused while it has blocks. Only one sweep runs at a time.
 */
static void sweep_block(struct memprof_live *l, struct memprof_block *b)
{
	struct memprof_row *row = READ_ONCE(b->row);
	struct memprof_found found;

	if (!row || READ_ONCE(row->state) != MEMPROF_ROW_EXITED)
		return;
	/* the row must not be reused before the block is out of its sums */
	atomic_inc(&row->blocks);
	if (memprof_live_take(l, NULL, row, READ_ONCE(b->ptr), &found)) {
		memprof_live_drop(row, &found);
		atomic_dec(&row->blocks);
	}
	atomic_dec(&row->blocks);
}

/**
 * memprof_live_sweep() - remove the blocks of address spaces that ended
 * @l: table
 *
 * Process context. Cost: visits every slot that was ever used.
 */
void memprof_live_sweep(struct memprof_live *l)
{
	u32 i, end = memprof_live_end(l);

	mutex_lock(&l->sweep_lock);
	for (i = 0; i < end; i++) {
		sweep_block(l, &l->blocks[i]);
		if (!(i % 1024))
			cond_resched();
	}
	mutex_unlock(&l->sweep_lock);
}
