// SPDX-License-Identifier: GPL-2.0-only
/*
 * page-walk: asks pagemap for the pages of mappings, in batches
 *
 * Between two batches the time is checked; what is left then is counted. Mappings may
 * have changed since they were read: the kernel reports nothing for what is not mapped
 * any more.
 */
#include "page-walk.h"
#include "clock.h"
#include "kpageflags.h"
#include "pagemap-scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Regions of one scan, and the bytes that one scan covers at most */
#define NR_REGIONS	512
#define SCAN_BYTES	(256UL << 20)

/* Entries of pagemap per read */
#define NR_ENTRIES	4096

#define ENTRY_PRESENT	(1ULL << 63)
#define ENTRY_SWAPPED	(1ULL << 62)
#define ENTRY_FRAME	((1ULL << 55) - 1)

/* A huge page, in bytes, and in pages of 4 KiB: other sizes are not told by entries. */
#define HUGE_BYTES	(2ULL << 20)
#define HUGE_PAGES	512

/*
 * State of a walk.
 * @zero_frame: frame number of the page of zeros; 0: not known
 * @flags: /proc/kpageflags, for a walk by entries; negative: not known
 */
struct walking {
	const struct mp_page_walk *walk;
	struct mp_pages *pages;
	int fd, flags;
	bool by_entry;
	uint64_t zero_frame;
	const struct mp_page_runs *runs;	/* or NULL: ask the kernel */
	size_t at;				/* in @runs */
};

static bool is_over(const struct walking *walking)
{
	return walking->walk->end_ns && mp_clock_ns() > walking->walk->end_ns;
}

/*
 * Finds the frame of the page of zeros: it is below memory of our own that was only
 * read. Without CAP_SYS_ADMIN frame numbers are hidden: 0.
 */
static uint64_t find_zero_frame(uint64_t page_size)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *page = mmap(NULL, page_size, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t entry = 0;

	if (fd >= 0 && page != MAP_FAILED && !*page &&
	    pread(fd, &entry, sizeof(entry),
		  (off_t)((uintptr_t)page / page_size * sizeof(entry))) != sizeof(entry))
		entry = 0;
	if (page != MAP_FAILED)
		munmap((void *)page, page_size);
	if (fd >= 0)
		close(fd);
	return entry & ENTRY_PRESENT ? entry & ENTRY_FRAME : 0;
}

static int add_region(struct walking *walking, const struct page_region *region)
{
	struct mp_page_run run = { .start = region->start, .end = region->end };

	if (region->categories & PAGE_IS_PFNZERO)
		return 0;
	if (region->categories & PAGE_IS_PRESENT)
		run.state = MP_PAGE_PRESENT |
			    (region->categories & PAGE_IS_HUGE ? MP_PAGE_HUGE : 0);
	return mp_pages_add_run(walking->pages, &run);
}

/* Scans up to @end. @at: in, out: first address that was not scanned. */
static int scan(struct walking *walking, uint64_t *at, uint64_t end)
{
	struct page_region regions[NR_REGIONS];
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .start = *at, .end = end,
		.vec = (uintptr_t)regions, .vec_len = NR_REGIONS,
		.category_anyof_mask = PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
		.return_mask = PAGE_IS_PRESENT | PAGE_IS_SWAPPED | PAGE_IS_PFNZERO |
			       PAGE_IS_HUGE,
	};
	int i, nr = ioctl(walking->fd, PAGEMAP_SCAN, &arg), err = 0;

	if (nr < 0)
		return -errno;
	for (i = 0; !err && i < nr; i++)
		err = add_region(walking, &regions[i]);
	*at = arg.walk_end > *at ? arg.walk_end : end;
	return err;
}

static int add_entry(struct walking *walking, uint64_t address, uint64_t entry)
{
	const struct mp_page_run run = {
		.start = address, .end = address + walking->pages->page_size,
		.state = entry & ENTRY_PRESENT ? MP_PAGE_PRESENT : 0,
	};

	if (!(entry & (ENTRY_PRESENT | ENTRY_SWAPPED)))
		return 0;
	if (entry & ENTRY_PRESENT && walking->zero_frame &&
	    (entry & ENTRY_FRAME) == walking->zero_frame)
		return 0;
	return mp_pages_add_run(walking->pages, &run);
}

/* Whether entries are those of frames one after the other, as a huge page's are. */
static bool is_huge(const struct walking *walking, uint64_t address, const uint64_t *entries,
		    ssize_t nr)
{
	const uint64_t first = entries[0] & ENTRY_FRAME;
	ssize_t i;

	if (walking->flags < 0 || address % HUGE_BYTES || nr < HUGE_PAGES ||
	    !first || first % HUGE_PAGES)
		return false;
	for (i = 0; i < HUGE_PAGES; i++)
		if (!(entries[i] & ENTRY_PRESENT) ||
		    (entries[i] & ENTRY_FRAME) != first + (uint64_t)i)
			return false;
	return mp_kpageflags_read(walking->flags, first) & (MP_FRAME_THP | MP_FRAME_HUGETLB);
}

static int add_huge(struct walking *walking, uint64_t address, uint64_t entry)
{
	const struct mp_page_run run = {
		.start = address, .end = address + HUGE_BYTES,
		.state = MP_PAGE_PRESENT | MP_PAGE_HUGE,
	};

	/* a huge page of zeros is in no RSS */
	return mp_kpageflags_read(walking->flags, entry & ENTRY_FRAME) & MP_FRAME_ZERO ? 0 :
	       mp_pages_add_run(walking->pages, &run);
}

/* The number of entries to read: full reads end where a huge page may begin. */
static uint64_t nr_entries(uint64_t at, uint64_t end, uint64_t size)
{
	const uint64_t nr = (end - at) / size;

	return nr <= NR_ENTRIES ? nr : NR_ENTRIES - (at / size + NR_ENTRIES) % HUGE_PAGES;
}

static int read_entries(struct walking *walking, uint64_t *at, uint64_t end)
{
	const uint64_t size = walking->pages->page_size;
	uint64_t entries[NR_ENTRIES], address = *at;
	ssize_t got, i = 0;
	int err = 0;

	got = pread(walking->fd, entries, nr_entries(*at, end, size) * sizeof(uint64_t),
		    (off_t)(*at / size * sizeof(uint64_t)));
	if (got < 0)
		return -errno;
	got /= (ssize_t)sizeof(uint64_t);
	while (!err && i < got) {
		address = *at + (uint64_t)i * size;
		if (is_huge(walking, address, &entries[i], got - i)) {
			err = add_huge(walking, address, entries[i]);
			i += HUGE_PAGES;
		} else {
			err = add_entry(walking, address, entries[i++]);
		}
	}
	*at = got ? *at + (uint64_t)got * size : end;
	return err;
}

/* Adds the runs that were found before, as far as they are in an area. */
static int pick(struct walking *walking, const struct mp_page_area *area)
{
	const struct mp_page_runs *runs = walking->runs;
	struct mp_page_run run;
	int err = mp_pages_add_area(walking->pages, area);

	while (walking->at < runs->nr && runs->list[walking->at].end <= area->start)
		walking->at++;
	while (!err && walking->at < runs->nr &&
	       runs->list[walking->at].start < area->end) {
		run = runs->list[walking->at];
		if (run.start < area->start)
			run.start = area->start;
		if (run.end > area->end)
			run.end = area->end;
		err = mp_pages_add_run(walking->pages, &run);
		if (runs->list[walking->at].end > area->end)
			break;
		walking->at++;
	}
	return err == -ENOSPC ? 0 : err;
}

static void begin_entries(struct walking *walking)
{
	walking->by_entry = true;
	walking->zero_frame = find_zero_frame(walking->pages->page_size);
	if (walking->zero_frame && walking->pages->page_size * HUGE_PAGES == HUGE_BYTES)
		walking->flags = mp_kpageflags_open();
}

static int look_at(struct walking *walking, const struct mp_page_area *area)
{
	uint64_t at = area->start, end;
	int err = mp_pages_add_area(walking->pages, area);

	while (!err && at < area->end && !is_over(walking)) {
		end = area->end - at > SCAN_BYTES ? at + SCAN_BYTES : area->end;
		err = walking->by_entry ? read_entries(walking, &at, end) :
					  scan(walking, &at, end);
		/* an older kernel, or one that was built without it */
		if (err == -ENOTTY && !walking->by_entry) {
			begin_entries(walking);
			err = 0;
		}
	}
	if (err && err != -ENOSPC)
		return err;
	walking->pages->unseen += area->end - at;
	return 0;
}

/* The vsyscall page and the like have addresses that are no user's. */
static bool is_wanted(const struct walking *walking, const struct mp_mapping *mapping)
{
	const struct mp_blame_blocks *blocks = walking->walk->blocks;

	if ((!mapping->rss && !mapping->swap) || mapping->start >> 63)
		return false;
	if (mp_mapping_is_heap(mapping))
		return true;
	if (blocks)
		return mp_blame_has(blocks, mapping->start, mapping->end);
	return mapping->class == MP_MAPPING_BSS || mapping->class == MP_MAPPING_STACK;
}

static int walk_mappings(struct walking *walking, const struct mp_mappings *mappings)
{
	const struct mp_mapping *mapping;
	struct mp_page_area area;
	size_t i, first;
	int err = 0;

	for (i = 0; !err && i < mappings->nr; i++) {
		mapping = &mappings->list[i];
		if (!is_wanted(walking, mapping))
			continue;
		first = walking->pages->nr_runs;
		area = (struct mp_page_area){
			.start = mapping->start, .end = mapping->end,
			.class = mapping->class, .is_break = mapping->is_break,
		};
		err = walking->runs ? pick(walking, &area) : look_at(walking, &area);
		mp_pages_limit(walking->pages, first, mapping->rss);
	}
	return err;
}

int mp_page_walk(const struct mp_page_walk *walk, pid_t pid,
		 const struct mp_mappings *mappings, struct mp_pages *pages)
{
	struct walking walking = { .walk = walk, .pages = pages, .flags = -1 };
	char path[64];
	int err;

	pages->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	if (walk->entries_only)
		begin_entries(&walking);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	walking.fd = open(path, O_RDONLY | O_CLOEXEC);
	err = walking.fd < 0 ? -errno : walk_mappings(&walking, mappings);
	if (walking.fd >= 0)
		close(walking.fd);
	if (walking.flags >= 0)
		close(walking.flags);
	return err;
}

int mp_page_walk_runs(const struct mp_page_walk *walk, const struct mp_page_runs *runs,
		      const struct mp_mappings *mappings, struct mp_pages *pages)
{
	struct walking walking = { .walk = walk, .pages = pages, .fd = -1, .flags = -1, .runs = runs };

	pages->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	return walk_mappings(&walking, mappings);
}
