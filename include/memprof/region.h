/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file that a sampled process leaves: header, counters, binaries, tallies,
 * stacks and living blocks. Documentation/preload.rst says how to read it.
 *
 * Its writer is the process, which may be hostile and may have died at any
 * instruction: a reader trusts no number before it has compared it with the size
 * of the file. What the reader may write is struct memprof_region_control.
 *
 * All numbers are in the machine's byte order. Fields are added at the end of a
 * structure, which @size or the section's stride tells; they never change.
 */
#ifndef MEMPROF_REGION_H
#define MEMPROF_REGION_H

#include <stdint.h>

#define MEMPROF_REGION_MAGIC	0x676552666f727066ULL	/* "fprofReg" */
#define MEMPROF_REGION_VERSION	3

/* memprof_region_header.state */
#define MEMPROF_REGION_STARTING	0	/* do not read yet */
#define MEMPROF_REGION_RUNNING	1	/* or dead: look at pid and start_ticks */
#define MEMPROF_REGION_EXITED	2	/* its exit was a normal one */

/* memprof_region_section, by number */
#define MEMPROF_REGION_COUNTERS	0	/* struct memprof_region_counter */
#define MEMPROF_REGION_MAPS	1	/* struct memprof_region_map */
#define MEMPROF_REGION_TALLIES	2	/* struct memprof_region_tally, by stack */
#define MEMPROF_REGION_STACKS	3	/* struct memprof_region_stack */
#define MEMPROF_REGION_ENTRIES	4	/* struct memprof_region_entry, by slot */
#define MEMPROF_REGION_BLOCKS	5	/* struct memprof_region_block, by slot */
#define MEMPROF_REGION_NR_SECTIONS	6

#define MEMPROF_REGION_DEPTH	64
#define MEMPROF_REGION_NO_STACK	UINT32_MAX

/**
 * struct memprof_region_section - an array in the file
 * @offset: bytes from the file's begin, a multiple of 4096
 * @stride: bytes from one element to the next, at least the structure's
 * @capacity: elements that there is room for; the file may be sparse there
 * @used: elements that may hold something: those below it. Grows only
 */
struct memprof_region_section {
	uint64_t offset;
	uint64_t stride;
	uint64_t capacity;
	uint64_t used;
};

/**
 * struct memprof_region_control - what a reader may write, in the header
 * @active: 0 pauses: allocations are not sampled any more, frees still count
 * @nr_marks: how many marks were set
 * @mark_ns: when the last one was, by the header's clock; 0: never
 */
struct memprof_region_control {
	uint32_t active;
	uint32_t nr_marks;
	uint64_t mark_ns;
};

/**
 * struct memprof_region_tally - what was allocated and freed, of samples
 * @allocs: number of samples
 * @alloc_objects: what they stand for, in units of 2^-16 allocations
 * @alloc_bytes: what they stand for, in bytes
 * @frees: those of them that were freed
 * @free_objects: as @alloc_objects
 * @free_bytes: as @alloc_bytes
 * @peak_bytes: most of @alloc_bytes - @free_bytes
 * @nr_maps: of a stack: elements of MEMPROF_REGION_MAPS that there were when it was
 *	first counted, or 0: a later one over its addresses is another binary's
 */
struct memprof_region_tally {
	uint64_t allocs;
	uint64_t alloc_objects;
	uint64_t alloc_bytes;
	uint64_t frees;
	uint64_t free_objects;
	uint64_t free_bytes;
	uint64_t peak_bytes;
	uint64_t nr_maps;
};

/**
 * struct memprof_region_header - the begin of the file
 * @magic: MEMPROF_REGION_MAGIC
 * @size: bytes of this structure
 * @version: MEMPROF_REGION_VERSION
 * @state: MEMPROF_REGION_STARTING and so on
 * @nr_sections: of @sections
 * @file_size: bytes that the process mapped; the file is no shorter
 * @pid: process, as it knows itself (a namespace may call it otherwise)
 * @parent_pid: whose fork it is, when the region began with a fork; else 0
 * @start_ticks: start of the process, field 22 of its /proc/PID/stat
 * @rate: mean bytes between samples
 * @page_size: bytes
 * @clock: clockid_t of all times here (CLOCK_MONOTONIC)
 * @start_ns: when the region was made
 * @start_real_ns: the same moment in CLOCK_REALTIME
 * @end_ns: when the process exited, 0 before, or if it was killed
 * @comm: name, with a NUL
 * @reserved: 0
 * @control: written by readers
 * @total: tally of the whole process, but for what is mapped
 * @mapped: tally of mmap() and munmap(), where they are sampled
 * @dropped: of samples without a stack: the table was full, or nothing was walked
 * @sections: where the arrays are
 */
struct memprof_region_header {
	uint64_t magic;
	uint32_t size;
	uint32_t version;
	uint32_t state;
	uint32_t nr_sections;
	uint64_t file_size;
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t start_ticks;
	uint64_t rate;
	uint32_t page_size;
	uint32_t clock;
	uint64_t start_ns;
	uint64_t start_real_ns;
	uint64_t end_ns;
	char comm[16];
	uint64_t reserved[9];
	struct memprof_region_control control;
	struct memprof_region_tally total;
	struct memprof_region_tally mapped;
	struct memprof_region_tally dropped;
	struct memprof_region_section sections[MEMPROF_REGION_NR_SECTIONS];
};

/**
 * struct memprof_region_counter - what was dropped, skipped, less exact
 * @name: with a NUL; no name: no counter
 * @value: number
 */
struct memprof_region_counter {
	char name[40];
	uint64_t value;
};

/**
 * struct memprof_region_map - code of a binary that a stack went through
 * @start: first address
 * @end: first address behind it; 0: not written completely
 * @offset: of @start in the file
 * @birth_ns: when it was seen first. A later one over the same addresses is of a
 *	binary that was loaded after the earlier one was unloaded
 * @build_id_size: bytes of @build_id, 0 for none
 * @reserved: 0
 * @build_id: note NT_GNU_BUILD_ID
 * @path: file, with a NUL, cut at the end where it is too long; or "[vdso]"
 */
struct memprof_region_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t birth_ns;
	uint32_t build_id_size;
	uint32_t reserved;
	uint8_t build_id[24];
	char path[448];
};

/* memprof_region_stack.flags */
#define MEMPROF_REGION_STACK_RESOLVED	0x0001
#define MEMPROF_REGION_STACK_PYTHON	0x0002
#define MEMPROF_REGION_STACK_TRUNCATED	0x0004	/* callers are missing */
#define MEMPROF_REGION_STACK_MMAP	0x0008	/* what it mapped, not allocated */

/**
 * struct memprof_region_stack - who called whom
 * @hash: of the frames, never 0; 0: not written completely
 * @depth: frames, at most MEMPROF_REGION_DEPTH
 * @flags: MEMPROF_REGION_STACK_TRUNCATED and so on
 * @reserved: 0
 * @frames: return addresses, the caller of the allocator first
 * @process_private: pointers that mean nothing to a reader
 */
struct memprof_region_stack {
	uint64_t hash;
	uint16_t depth;
	uint16_t flags;
	uint32_t reserved;
	uint64_t frames[MEMPROF_REGION_DEPTH];
	uint64_t process_private[3];
};

/* memprof_region_entry.ptr that are not addresses */
#define MEMPROF_REGION_EMPTY		0
#define MEMPROF_REGION_RESERVED		1
#define MEMPROF_REGION_TOMBSTONE	UINT64_MAX

/**
 * struct memprof_region_entry - slot of the live table
 * @ptr: address of a living block, or MEMPROF_REGION_EMPTY and so on
 * @metadata: stack (upper 20 bits), size (24), weight (20). A field that is all ones
 *	does not fit: struct memprof_region_block has the numbers
 * @birth_seq: number of this birth, unique in the process
 * @birth_ns: when it was allocated
 */
struct memprof_region_entry {
	uint64_t ptr;
	uint64_t metadata;
	uint64_t birth_seq;
	uint64_t birth_ns;
};

/* memprof_region_block.kind */
#define MEMPROF_REGION_HEAP	0
#define MEMPROF_REGION_MMAP	1

/**
 * struct memprof_region_block - numbers of a slot whose entry has not all of them
 * @birth_seq: that of the entry; another one: this is of an earlier block, and
 *	the entry's metadata is all that is known
 * @size: bytes that were asked for
 * @weight_bytes: bytes that the sample stands for: size / (1 - exp(-size / rate))
 * @stack: number in MEMPROF_REGION_STACKS, or MEMPROF_REGION_NO_STACK
 * @kind: MEMPROF_REGION_HEAP, MEMPROF_REGION_MMAP
 */
struct memprof_region_block {
	uint64_t birth_seq;
	uint64_t size;
	uint64_t weight_bytes;
	uint32_t stack;
	uint32_t kind;
};

/* Whether memprof_region_entry.metadata says all of a block, which is of the heap. */
static inline int memprof_region_is_whole(uint64_t metadata)
{
	return metadata >> 44 != 0xfffff && (metadata >> 20 & 0xffffff) != 0xffffff &&
	       (metadata & 0xfffff) != 0xfffff;
}

/**
 * memprof_region_read_block() - what is known of a living block
 * @entry: copy of its slot
 * @block: copy of the block of the same number, or of none; becomes what is known
 *
 * Return: 0, or -1 when @block is not this entry's: then it has the entry's numbers,
 * which are clamped, or the entry changed meanwhile.
 */
static inline int memprof_region_read_block(const struct memprof_region_entry *entry,
					    struct memprof_region_block *block)
{
	int whole = memprof_region_is_whole(entry->metadata);

	if (!whole && block->birth_seq == entry->birth_seq)
		return 0;
	block->birth_seq = entry->birth_seq;
	block->size = entry->metadata >> 20 & 0xffffff;
	block->weight_bytes = entry->metadata & 0xfffff;
	block->stack = (uint32_t)(entry->metadata >> 44);
	block->kind = MEMPROF_REGION_HEAP;
	return whole ? 0 : -1;
}

/**
 * memprof_region_element() - look an element up; nothing that the file says leads
 *	outside of it
 * @base: the file, mapped
 * @file_size: bytes that are mapped
 * @section: copy of the section (the process may change its own at any time)
 * @index: of the element
 * @size: bytes of its structure
 *
 * Return: the element, or a null pointer where there is none.
 */
static inline const void *
memprof_region_element(const void *base, uint64_t file_size,
		       const struct memprof_region_section *section,
		       uint64_t index, uint64_t size)
{
	uint64_t begin;

	if (!section->stride || index >= section->used ||
	    index >= section->capacity ||
	    section->stride < size || section->stride > file_size ||
	    section->offset > file_size || section->offset % 4096 ||
	    section->stride % 8 || index > file_size / section->stride)
		return (const void *)0;
	begin = section->offset + index * section->stride;
	if (begin > file_size || size > file_size - begin)
		return (const void *)0;
	return (const char *)base + begin;
}

#endif
