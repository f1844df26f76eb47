/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region.h: the format of the region file, which a sampled process writes.
 *
 * The file holds a header, counters, binaries, tallies, stacks and live blocks.
 * Documentation/preload.rst explains how to read it.
 *
 * The process that writes the file may be hostile, and it may have been killed at any
 * instruction. So a reader must check each number against the size of the file
 * before it uses the number. A reader may write only struct
 * memprof_region_control.
 *
 * All numbers have the byte order of the machine. New fields are added at the
 * end of a structure. The size of a structure is in the header's @size or in the
 * stride of its section. Existing fields never change.
 */
#ifndef MEMPROF_REGION_H
#define MEMPROF_REGION_H

#include <stdint.h>

#define MEMPROF_REGION_MAGIC	0x676552666f727066ULL	/* "fprofReg" */
#define MEMPROF_REGION_VERSION	3

/* Values of memprof_region_header.state. */
#define MEMPROF_REGION_STARTING	0	/* not complete: do not read yet */
#define MEMPROF_REGION_RUNNING	1	/* running or killed: check start_ticks */
#define MEMPROF_REGION_EXITED	2	/* the process exited normally */

/* Bits of memprof_region_header.flags. */
#define MEMPROF_REGION_ATTACHED	1	/* the process ran before: older blocks are not known */

/* Indices in memprof_region_header.sections. */
#define MEMPROF_REGION_COUNTERS	0	/* struct memprof_region_counter */
#define MEMPROF_REGION_MAPS	1	/* struct memprof_region_map */
#define MEMPROF_REGION_TALLIES	2	/* struct memprof_region_tally, by stack */
#define MEMPROF_REGION_STACKS	3	/* struct memprof_region_stack */
#define MEMPROF_REGION_ENTRIES	4	/* struct memprof_region_entry, by slot */
#define MEMPROF_REGION_BLOCKS	5	/* struct memprof_region_block, by slot */
#define MEMPROF_REGION_FUNCTIONS 6	/* struct memprof_region_function */
#define MEMPROF_REGION_PEAKS	7	/* struct memprof_region_peak, by stack */
#define MEMPROF_REGION_SMAPS	8	/* struct memprof_region_text */
#define MEMPROF_REGION_PAGES	9	/* struct memprof_region_pages */
#define MEMPROF_REGION_NR_SECTIONS	10

#define MEMPROF_REGION_DEPTH	64
#define MEMPROF_REGION_NO_STACK	UINT32_MAX

/**
 * struct memprof_region_section - an array in the file
 * @offset: bytes from the start of the file, a multiple of 4096
 * @stride: bytes from one element to the next, at least the size of the
 *	structure
 * @capacity: limit of elements; the file may be sparse there
 * @used: only elements below this index can have data. The number only grows
 */
struct memprof_region_section {
	uint64_t offset;
	uint64_t stride;
	uint64_t capacity;
	uint64_t used;
};

/**
 * struct memprof_region_control - the part of the header that a reader may
 * write
 * @active: 0: the sampler is paused: allocations are not sampled, and frees are still
 *	counted
 * @nr_marks: number of marks that were set
 * @mark_ns: time of the last mark, by the header's @clock; 0: no mark
 */
struct memprof_region_control {
	uint32_t active;
	uint32_t nr_marks;
	uint64_t mark_ns;
};

/**
 * struct memprof_region_tally - sums of the sampled allocations and frees
 * @allocs: number of samples
 * @alloc_objects: allocations that the samples stand for, in units of 2^-16
 * @alloc_bytes: bytes that the samples stand for
 * @frees: number of samples that were freed
 * @free_objects: allocations that the freed samples stand for, in units of 2^-16
 * @free_bytes: bytes that the freed samples stand for
 * @peak_bytes: maximum of @alloc_bytes - @free_bytes
 * @nr_maps: for a stack: number of elements in MEMPROF_REGION_MAPS when the
 *	stack was first counted, or 0. A later element with the same addresses
 *	belongs to another binary
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
 * struct memprof_region_peak - live bytes of a stack when those of the process were
 * highest
 * @number: memprof_region_header.peak_number when @bytes was valid
 * @bytes: live bytes then
 *
 * If @number is not the header's, the stack has not changed since the peak, and its
 * live bytes then are those of its tally now. Threads that sample in the same moment
 * may write an older value: then @bytes lacks their last samples.
 */
struct memprof_region_peak {
	uint64_t number;
	uint64_t bytes;
};

/**
 * struct memprof_region_header - the start of the file
 * @magic: MEMPROF_REGION_MAGIC
 * @size: bytes of this structure
 * @version: MEMPROF_REGION_VERSION
 * @state: MEMPROF_REGION_STARTING and so on
 * @nr_sections: elements of @sections
 * @file_size: number of bytes that the process mapped; the file has at least this size
 * @pid: process id in the process's own namespace
 * @parent_pid: process id of the parent if a fork created the region; else 0
 * @start_ticks: start time of the process, field 22 of its /proc/PID/stat
 * @rate: mean bytes between samples
 * @page_size: size of a page in bytes
 * @clock: clockid_t of all times in the file (CLOCK_MONOTONIC)
 * @start_ns: time when the region was created
 * @start_real_ns: the same moment in CLOCK_REALTIME
 * @end_ns: time when the process exited; 0 while it runs, or if it was killed
 * @comm: command name of the process, with a NUL
 * @peak_number: how often the live bytes of @total reached a new maximum
 * @dropped_peak: of the samples in @dropped
 * @flags: MEMPROF_REGION_ATTACHED
 * @reserved: 0
 * @control: written by readers
 * @total: tally of the whole process, without mappings
 * @mapped: tally of mmap() and munmap(), if they are sampled
 * @dropped: tally of the samples without a stack, because the table was full or the
 *	walk found no frame
 * @sections: the arrays
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
	uint64_t peak_number;
	struct memprof_region_peak dropped_peak;
	uint64_t flags;
	uint64_t reserved[5];
	struct memprof_region_control control;
	struct memprof_region_tally total;
	struct memprof_region_tally mapped;
	struct memprof_region_tally dropped;
	struct memprof_region_section sections[MEMPROF_REGION_NR_SECTIONS];
};

/**
 * struct memprof_region_counter - how often data was dropped, skipped or less
 * exact
 * @name: name with a NUL; if it is empty, the element is not used
 * @value: number of events
 */
struct memprof_region_counter {
	char name[40];
	uint64_t value;
};

/**
 * struct memprof_region_map - an executable mapping with code of a stack
 * @start: first address
 * @end: first address after the mapping; 0: the element is not complete yet
 * @offset: offset of @start in the file
 * @birth_ns: time when the mapping was first seen. If a later element has the same
 *	addresses, the earlier binary was unloaded and another one was loaded
 * @build_id_size: bytes of @build_id; 0: no build-id is known
 * @reserved: 0
 * @build_id: contents of the note NT_GNU_BUILD_ID
 * @path: path of the file, with a NUL, cut if it is too long; or "[vdso]"
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

/**
 * struct memprof_region_function - a line of a function that an interpreter runs
 * @address: the frame in stacks that stands for it: an address in the region, where no
 *	code can be. 0: the element is not complete yet
 * @line: the line; 0: not known
 * @reserved: 0
 * @text: "py::NAME:FILE" in UTF-8, with a NUL; a long name or path is cut
 */
struct memprof_region_function {
	uint64_t address;
	uint32_t line;
	uint32_t reserved;
	char text[496];
};

/**
 * struct memprof_region_text - a piece of the text of /proc/PID/smaps, taken at the end of
 * sampling: the process exits, or the library leaves it
 * @text: the pieces one after the other are the text, followed by zeros. Text that finds
 *	no room is missing at its end
 */
struct memprof_region_text {
	char text[1024];
};

/* Bits in memprof_region_pages.state: those of the kernel's PAGEMAP_SCAN. */
#define MEMPROF_REGION_PAGE_PRESENT	0x08
#define MEMPROF_REGION_PAGE_SWAPPED	0x10
#define MEMPROF_REGION_PAGE_ZERO	0x20	/* the page of zeros, which is in no RSS */
#define MEMPROF_REGION_PAGE_HUGE	0x40

/**
 * struct memprof_region_pages - anonymous pages of one state, taken when @text of
 * MEMPROF_REGION_SMAPS was. Elements are sorted by address; one of zeros is not used
 * @start: first address
 * @end: first address after the pages
 * @state: MEMPROF_REGION_PAGE_* bits. A kernel before 6.7 knows PRESENT and SWAPPED only
 */
struct memprof_region_pages {
	uint64_t start;
	uint64_t end;
	uint64_t state;
};

/* Flags in memprof_region_stack.flags. */
#define MEMPROF_REGION_STACK_RESOLVED	0x0001
#define MEMPROF_REGION_STACK_PYTHON	0x0002	/* with frames of MEMPROF_REGION_FUNCTIONS */
#define MEMPROF_REGION_STACK_TRUNCATED	0x0004	/* outer callers are missing */
#define MEMPROF_REGION_STACK_MMAP	0x0008	/* stack of a mapping */

/**
 * struct memprof_region_stack - one call stack
 * @hash: hash of the frames; 0: the element is not complete yet
 * @depth: number of frames, at most MEMPROF_REGION_DEPTH
 * @flags: MEMPROF_REGION_STACK_* bits
 * @reserved: 0
 * @frames: return addresses, the caller of the allocator first
 * @process_private: pointers that only the process can use
 */
struct memprof_region_stack {
	uint64_t hash;
	uint16_t depth;
	uint16_t flags;
	uint32_t reserved;
	uint64_t frames[MEMPROF_REGION_DEPTH];
	uint64_t process_private[3];
};

/* Values of memprof_region_entry.ptr that are not addresses. */
#define MEMPROF_REGION_EMPTY		0
#define MEMPROF_REGION_RESERVED		1
#define MEMPROF_REGION_TOMBSTONE	UINT64_MAX

/**
 * struct memprof_region_entry - a slot of the table of live blocks
 * @ptr: address of a live block; or MEMPROF_REGION_EMPTY, _RESERVED or _TOMBSTONE
 * @metadata: stack (upper 20 bits), size (24 bits), weight (lower 20 bits). If all
 *	bits of a field are set, the value did not fit: struct memprof_region_block
 *	has the numbers
 * @birth_seq: sequence number of this allocation, unique in the process
 * @birth_ns: time of the allocation
 */
struct memprof_region_entry {
	uint64_t ptr;
	uint64_t metadata;
	uint64_t birth_seq;
	uint64_t birth_ns;
};

/* Values of memprof_region_block.kind. */
#define MEMPROF_REGION_HEAP	0
#define MEMPROF_REGION_MMAP	1

/**
 * struct memprof_region_block - exact numbers of a slot, if they do not fit into
 * the entry's metadata
 * @birth_seq: sequence number of the block. If the entry's @birth_seq differs, this
 *	element describes an earlier block, and only the entry's metadata is valid
 * @size: requested bytes
 * @weight_bytes: bytes that the sample stands for: size / (1 - exp(-size /
 *	rate))
 * @stack: index in MEMPROF_REGION_STACKS, or MEMPROF_REGION_NO_STACK
 * @kind: MEMPROF_REGION_HEAP, MEMPROF_REGION_MMAP
 */
struct memprof_region_block {
	uint64_t birth_seq;
	uint64_t size;
	uint64_t weight_bytes;
	uint32_t stack;
	uint32_t kind;
};

/*
 * Whether all numbers of a block fit into memprof_region_entry.metadata. The kind of
 * such a block is MEMPROF_REGION_HEAP.
 */
static inline int memprof_region_is_whole(uint64_t metadata)
{
	return metadata >> 44 != 0xfffff && (metadata >> 20 & 0xffffff) != 0xffffff &&
	       (metadata & 0xfffff) != 0xfffff;
}

/**
 * memprof_region_read_block() - combine the entry and the block of a slot
 * @entry: copy of the slot's entry
 * @block: in: copy of the slot's block, or zeros; out: the numbers of the block
 *
 * Return: 0; -1 if @block does not belong to @entry. In this case the numbers
 * are those of the entry's metadata and may be too low, or the entry changed
 * during the copy.
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
 * memprof_region_element() - find an element in an untrusted file
 * @base: address of the mapped file
 * @file_size: number of mapped bytes
 * @section: copy of the section (the process may change the original at any
 *	time)
 * @index: index of the element
 * @size: bytes of the element's structure
 *
 * Return: the element, or a null pointer if the element is not inside the
 * mapped file.
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
