// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * end-pages.c: copies /proc/self/smaps and the states of anonymous pages into the region,
 * when the process exits or the library leaves it: nobody can look at them later.
 *
 * The kernel writes both directly into the region: nothing is parsed or allocated. Cost:
 * 0.2 ms for a small process, and about 30 ms per GiB that is resident in small pages. A
 * process that sampled nothing, or has confined itself, is left alone. What finds no room
 * is counted, and missing.
 */
#include "end-pages.h"

#include "confinement.h"
#include "drop-counter.h"
#include "memprof_internal.h"
#include "own-syscall.h"
#include "region-file.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <string.h>
#include <sys/auxv.h>

/* Elements for which room is made at once. */
#define TEXT_STEP	64
#define PAGES_STEP	4096

/* Entries of pagemap per read, and in all: those of 8 GiB of small pages. */
#define NR_ENTRIES	512
#define MAX_ENTRIES	(1UL << 21)

#define ENTRY_PRESENT	(1ULL << 63)
#define ENTRY_SWAPPED	(1ULL << 62)
#define ENTRY_OF_FILE	(1ULL << 61)

/* As in include/uapi/linux/fs.h of Linux 6.7; many C libraries have older headers. */
struct scan_argument {
	uint64_t size, flags;
	uint64_t start, end, walk_end;
	uint64_t elements, nr_elements, most_pages;
	uint64_t inverted, all_of, any_of, returned;
};

#define PAGEMAP_SCAN	_IOWR('f', 16, struct scan_argument)
#define PAGE_OF_FILE	0x04

/* Makes room for the elements up to @nr, in steps. Returns false if there is none. */
static bool make_room(int section, uint64_t nr, uint64_t step)
{
	const uint64_t most = mp_region->sections[section].capacity;
	const uint64_t rounded = (nr + step - 1) / step * step;

	return nr <= most && mp_region_commit(section, rounded < most ? rounded : most);
}

/* Opens a file of /proc/self. @st: for mp_own_close(). Returns -1 if that fails. */
static int open_own(const char *path, struct stat *st)
{
	int fd = mp_own_open(path, O_RDONLY, 0);

	if (fd >= 0 && mp_own_fstat(fd, st)) {
		mp_own_close(fd, NULL);
		fd = -1;
	}
	return fd < 0 ? -1 : fd;
}

/* Copies the text of smaps. Returns its bytes; 0 if it cannot be read. */
static uint64_t take_text(void)
{
	const uint64_t step = TEXT_STEP * sizeof(struct memprof_region_text);
	char *text = mp_region_array(MEMPROF_REGION_SMAPS);
	uint64_t nr = 0, room = 0;
	struct stat st;
	ssize_t got = 1;
	int fd = open_own("/proc/self/smaps", &st);

	while (fd >= 0 && got > 0) {
		if (nr == room && !make_room(MEMPROF_REGION_SMAPS,
					     (room + step) / sizeof(struct memprof_region_text),
					     TEXT_STEP)) {
			mp_drop_count(MP_COUNT_end_pages_cut);
			break;
		}
		if (nr == room)
			room += step;
		got = mp_own_read(fd, text + nr, room - nr);
		nr += got > 0 ? got : 0;
	}
	if (fd >= 0)
		mp_own_close(fd, &st);
	return nr;
}

/* Heaps are below the text that the kernel puts above the first thread's stack. */
static uint64_t end_of_addresses(void)
{
	return (getauxval(AT_EXECFN) | 4095) + 1;
}

/*
 * Lets the kernel write the states of all anonymous pages (Linux 6.7). Returns 0, -ENOSPC
 * or another negative errno.
 */
static int scan(int fd)
{
	struct memprof_region_pages *pages = mp_region_array(MEMPROF_REGION_PAGES);
	struct scan_argument arg = {
		.size = sizeof(arg), .end = end_of_addresses(),
		.inverted = PAGE_OF_FILE, .all_of = PAGE_OF_FILE,
		.any_of = MEMPROF_REGION_PAGE_PRESENT | MEMPROF_REGION_PAGE_SWAPPED,
		.returned = MEMPROF_REGION_PAGE_PRESENT | MEMPROF_REGION_PAGE_SWAPPED |
			    MEMPROF_REGION_PAGE_ZERO | MEMPROF_REGION_PAGE_HUGE,
	};
	uint64_t nr = 0;
	int got;

	while (arg.start < arg.end) {
		if (!make_room(MEMPROF_REGION_PAGES, nr + PAGES_STEP, PAGES_STEP))
			return -ENOSPC;
		arg.elements = (uintptr_t)(pages + nr);
		arg.nr_elements = PAGES_STEP;
		got = mp_own_ioctl(fd, PAGEMAP_SCAN, &arg);
		if (got < 0)
			return got;
		nr += got;
		arg.start = arg.walk_end > arg.start ? arg.walk_end : arg.end;
	}
	return 0;
}

/* State of the way by entries, for kernels without ranges. */
struct entries {
	int fd;
	uint64_t page_size;
	uint64_t nr_left;		/* entries that may still be read */
	uint64_t nr;			/* elements */
};

/* Adds a page. Returns false if there is no room. */
static bool add_entry(struct entries *entries, uint64_t address, uint64_t entry)
{
	struct memprof_region_pages *pages = mp_region_array(MEMPROF_REGION_PAGES), *last;
	const uint64_t state = entry & ENTRY_PRESENT ? MEMPROF_REGION_PAGE_PRESENT :
						       MEMPROF_REGION_PAGE_SWAPPED;

	if (!(entry & (ENTRY_PRESENT | ENTRY_SWAPPED)) || entry & ENTRY_OF_FILE)
		return true;
	last = entries->nr ? &pages[entries->nr - 1] : NULL;
	if (last && last->end == address && last->state == state) {
		last->end += entries->page_size;
		return true;
	}
	if (!make_room(MEMPROF_REGION_PAGES, entries->nr + 1, PAGES_STEP))
		return false;
	pages[entries->nr++] = (struct memprof_region_pages){
		address, address + entries->page_size, state,
	};
	return true;
}

static bool add_entries(struct entries *entries, uint64_t at, uint64_t end)
{
	uint64_t list[NR_ENTRIES], nr;
	ssize_t got, i;

	while (at < end) {
		nr = (end - at) / entries->page_size;
		if (nr > NR_ENTRIES)
			nr = NR_ENTRIES;
		if (nr > entries->nr_left)
			return false;
		entries->nr_left -= nr;
		got = mp_own_pread(entries->fd, list, nr * sizeof(*list),
				   at / entries->page_size * sizeof(*list));
		if (got < (ssize_t)sizeof(*list))
			return got >= 0;
		for (i = 0; i < got / (ssize_t)sizeof(*list); i++)
			if (!add_entry(entries, at + i * entries->page_size, list[i]))
				return false;
		at += got / sizeof(*list) * entries->page_size;
	}
	return true;
}

static const char *read_hex(const char *text, uint64_t *n)
{
	for (*n = 0;; text++)
		if (*text >= '0' && *text <= '9')
			*n = *n * 16 + *text - '0';
		else if (*text >= 'a' && *text <= 'f')
			*n = *n * 16 + *text - 'a' + 10;
		else
			return text;
}

/* Whether a line of smaps is that of a private mapping that can be written. */
static bool is_writable(const char *line, uint64_t *start, uint64_t *end)
{
	line = read_hex(line, start);
	if (*line != '-')
		return false;
	line = read_hex(line + 1, end);
	return *line == ' ' && line[1] == 'r' && line[2] == 'w' && line[4] == 'p';
}

/* Asks for each page of such mappings. Returns 0 or -ENOSPC. */
static int read_entries(int fd, uint64_t nr_text)
{
	const char *text = mp_region_array(MEMPROF_REGION_SMAPS), *last = text + nr_text, *next;
	struct entries entries = {
		.fd = fd, .nr_left = MAX_ENTRIES, .page_size = getauxval(AT_PAGESZ),
	};
	uint64_t start, end;

	for (; text < last; text = next + 1) {
		next = memchr(text, '\n', last - text);
		if (!next)
			break;
		if (is_writable(text, &start, &end) && start < end &&
		    !add_entries(&entries, start, end))
			return -ENOSPC;
	}
	return 0;
}

/**
 * mp_end_pages_take() - copy what is known of this process's pages into the region
 *
 * Call it once, at the end. Without a file nobody would read it. errno is preserved.
 */
void mp_end_pages_take(void)
{
	int saved = errno, fd, error = -EACCES;
	uint64_t nr_text = 0;
	struct stat st;

	if (!g_memprof.total_samples || !mp_region_has_file())
		return;
	if (mp_confinement == MP_FREE)
		nr_text = take_text();
	fd = nr_text ? open_own("/proc/self/pagemap", &st) : -1;
	if (fd >= 0) {
		error = scan(fd);
		if (error == -ENOTTY || error == -EINVAL)
			error = read_entries(fd, nr_text);
		mp_own_close(fd, &st);
	}
	if (error == -ENOSPC)
		mp_drop_count(MP_COUNT_end_pages_cut);
	else if (error)
		mp_drop_count(MP_COUNT_end_pages_refused);
	errno = saved;
}
