// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region-file.c: creates the region file of this process and grows it.
 *
 * The region is created at start, and again in a forked child at its first
 * sample. The file is sparse. Before a part is used, the file system allocates
 * its blocks. So a full disk is an error here and not a SIGBUS in the host. If
 * no file can be created, the region is private memory.
 *
 * Cost: 25 system calls, 100 us, and 190 KB; 6 us per page when tables grow. No
 * descriptor stays open, because the host may close any descriptor. Since Linux
 * 5.14 growth needs no descriptor.
 */
#include "region-file.h"

#include "confinement.h"
#include "drop-counter.h"
#include "memprof_internal.h"
#include "out-path.h"
#include "own-syscall.h"
#include "sample-clock.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>

#define PAGE 4096ULL

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/*
 * Sizes of the sections. @first: number of elements for which blocks are allocated
 * at start, while the file is open.
 */
static const struct {
	uint64_t stride;
	uint64_t capacity;
	uint64_t first;
} shapes[MEMPROF_REGION_NR_SECTIONS] = {
	[MEMPROF_REGION_COUNTERS] = {
		sizeof(struct memprof_region_counter), MP_NR_COUNTERS,
		MP_NR_COUNTERS },
	[MEMPROF_REGION_MAPS] = {
		sizeof(struct memprof_region_map), 2048, MP_REGION_MAPS_FIRST },
	[MEMPROF_REGION_TALLIES] = {
		sizeof(struct memprof_region_tally),
		MEMPROF_STACK_TABLE_MAX_DEFAULT, 128 },
	[MEMPROF_REGION_STACKS] = {
		sizeof(StackEntry), MEMPROF_STACK_TABLE_MAX_DEFAULT, 128 },
	[MEMPROF_REGION_ENTRIES] = {
		sizeof(HeapMapEntry), MEMPROF_HEAP_MAP_CAPACITY, 1 << 10 },
	[MEMPROF_REGION_BLOCKS] = {
		sizeof(struct memprof_region_block), MEMPROF_HEAP_MAP_CAPACITY,
		1 << 10 },
	[MEMPROF_REGION_FUNCTIONS] = {
		sizeof(struct memprof_region_function), MP_REGION_FUNCTIONS, 0 },
	[MEMPROF_REGION_PEAKS] = {
		sizeof(struct memprof_region_peak),
		MEMPROF_STACK_TABLE_MAX_DEFAULT, 256 },
	[MEMPROF_REGION_SMAPS] = {
		sizeof(struct memprof_region_text), MP_REGION_SMAPS, 0 },
	[MEMPROF_REGION_PAGES] = {
		sizeof(struct memprof_region_pages), MP_REGION_PAGES, 0 },
};

_Static_assert(sizeof(HeapMapEntry) == sizeof(struct memprof_region_entry),
	       "the entry is in the file");
_Static_assert(MEMPROF_MAX_STACK_DEPTH != MEMPROF_REGION_DEPTH ||
	       sizeof(StackEntry) == sizeof(struct memprof_region_stack),
	       "the stack is in the file");
_Static_assert(sizeof(struct memprof_region_header) <= PAGE, "it has one page");

struct memprof_region_header *mp_region;
bool mp_region_is_attached;

/* Number of elements of each section that may be written; these numbers only grow. */
static uint64_t committed[MEMPROF_REGION_NR_SECTIONS];

/* Path and identity of the file, to open it again when it grows. Empty path: no file. */
static struct {
	char path[MP_OUT_PATH_SIZE];
	dev_t dev;
	ino_t ino;
} file;

/* Where the next region is mapped: over the last region but one. NULL: anywhere. */
static void *next_place;

static uint64_t round_up(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

/* Computes the offsets of the sections. Returns the size of the file in bytes. */
static uint64_t lay_out(struct memprof_region_section *sections)
{
	uint64_t offset = PAGE;
	int i;

	for (i = 0; i < MEMPROF_REGION_NR_SECTIONS; i++) {
		sections[i].offset = offset;
		sections[i].stride = shapes[i].stride;
		sections[i].capacity = shapes[i].capacity;
		offset = round_up(offset + shapes[i].stride * shapes[i].capacity);
	}
	return offset;
}

/*
 * Allocates blocks of the file by writing zeros. fallocate() would be only one call,
 * but then the first write to each page takes 60 us on a journaling file system.
 * After zeros it takes 0.5 us.
 */
static bool allocate_blocks(int fd, uint64_t begin, uint64_t end)
{
	static const char zeros[PAGE];
	struct iovec pages[16];
	uint64_t n = 0;
	ssize_t written;

	while (n < 16)
		pages[n++] = (struct iovec){ (void *)zeros, PAGE };
	while (begin < end) {
		n = (end - begin) / PAGE;
		written = mp_own_pwritev(fd, pages, n < 16 ? n : 16, begin);
		if (written <= 0)
			return false;
		begin += written;
	}
	return true;
}

/* Whether a size is allowed. A write above RLIMIT_FSIZE raises a signal in the host. */
static bool is_size_allowed(uint64_t size)
{
	struct rlimit limit;

	return !mp_own_getrlimit(RLIMIT_FSIZE, &limit) && size <= limit.rlim_cur;
}

static int create_file(const char *pattern)
{
	int fd, attempt;

	for (attempt = 0; attempt < MP_OUT_PATH_TRIES; attempt++) {
		if (!mp_out_path(file.path, pattern, attempt))
			break;
		fd = mp_own_open(file.path, O_RDWR | O_CREAT | O_EXCL |
				 O_NOFOLLOW | O_NOCTTY, 0600);
		if (fd >= 0)
			return fd;
		if (fd != -EEXIST)
			break;
	}
	file.path[0] = 0;
	return -1;
}

static bool allocate_first(int fd, const struct memprof_region_section *sections)
{
	uint64_t nr;
	int i;

	for (i = 0; i < MEMPROF_REGION_NR_SECTIONS; i++) {
		nr = shapes[i].first < shapes[i].capacity ? shapes[i].first :
							    shapes[i].capacity;
		if (!allocate_blocks(fd, sections[i].offset, sections[i].offset +
				     round_up(nr * shapes[i].stride)))
			return false;
	}
	return allocate_blocks(fd, 0, PAGE);
}

static void *map_region(uint64_t size, int flags, int fd)
{
	return mp_own_mmap(next_place, size,
			   flags | MAP_SHARED | (next_place ? MAP_FIXED : 0), fd);
}

/* Creates and maps the file. Returns NULL if it cannot be created. */
static void *map_file(const char *pattern, uint64_t size,
		      const struct memprof_region_section *sections)
{
	struct stat st = { 0 };
	void *base = NULL;
	bool is_known;
	int fd;

	if (!is_size_allowed(size))
		return NULL;
	fd = create_file(pattern);
	if (fd < 0)
		return NULL;
	is_known = !mp_own_fstat(fd, &st);
	if (is_known && !mp_own_ftruncate(fd, size) &&
	    allocate_first(fd, sections))
		base = map_region(size, 0, fd);
	if (!base || mp_own_failed(base)) {
		base = NULL;
		mp_own_unlink(file.path);
		file.path[0] = 0;
	}
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	mp_own_close(fd, is_known ? &st : NULL);
	return base;
}

/* Maps the region: the requested file, else the default file, else private memory. */
static void *map_any(const char *pattern, uint64_t size,
		     const struct memprof_region_section *sections)
{
	static char fallback[MP_OUT_PATH_SIZE];
	void *base = NULL;

	file.path[0] = 0;
	if (pattern && !*fallback && !mp_out_path_default(fallback))
		*fallback = 0;
	if (pattern && *pattern) {
		base = map_file(pattern, size, sections);
		if (!base)
			mp_drop_count(MP_COUNT_out_unusable);
	}
	if (!base && pattern && *fallback)
		base = map_file(fallback, size, sections);
	if (base)
		return base;
	if (pattern)
		mp_drop_count(MP_COUNT_region_private);
	return map_region(size, MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

/*
 * Reads an exact clock. sample-clock.h explains why this needs a system call.
 */
static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	mp_own_clock(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Copies the name of the process's first thread, which may contain any character. */
static void copy_name(struct memprof_region_header *h, const char *text, const char *end)
{
	const char *begin = strchr(text, '(');
	size_t len;

	if (!begin || begin >= end)
		return;
	len = (size_t)(end - ++begin);
	len = len < sizeof(h->comm) ? len : sizeof(h->comm) - 1;
	memset(h->comm, 0, sizeof(h->comm));
	memcpy(h->comm, begin, len);
}

/*
 * Reads fields 2 and 22 of /proc/self/stat. An injected library runs in any thread, whose own
 * name is another one.
 */
static void read_stat(struct memprof_region_header *h)
{
	int fd = mp_own_open("/proc/self/stat", O_RDONLY, 0), field;
	char text[1024], *p;
	struct stat st;
	ssize_t n = 0;

	mp_own_prctl(PR_GET_NAME, h->comm);
	if (fd < 0)
		return;
	if (mp_own_fstat(fd, &st)) {
		mp_own_close(fd, NULL);
	} else {
		n = mp_own_read(fd, text, sizeof(text) - 1);
		mp_own_close(fd, &st);
	}
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');
	if (p)
		copy_name(h, text, p);
	for (field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	h->start_ticks = 0;
	for (; p && *p >= '0' && *p <= '9'; p++)
		h->start_ticks = h->start_ticks * 10 + (uint64_t)(*p - '0');
}

static void fill_header(struct memprof_region_header *h, uint64_t size)
{
	h->magic = MEMPROF_REGION_MAGIC;
	h->size = sizeof(*h);
	h->version = MEMPROF_REGION_VERSION;
	h->nr_sections = MEMPROF_REGION_NR_SECTIONS;
	h->file_size = size;
	h->pid = mp_own_getpid();
	read_stat(h);
	h->page_size = getauxval(AT_PAGESZ);
	h->clock = CLOCK_MONOTONIC;
	h->start_ns = clock_ns(CLOCK_MONOTONIC);
	h->start_real_ns = clock_ns(CLOCK_REALTIME);
	h->flags = mp_region_is_attached ? MEMPROF_REGION_ATTACHED : 0;
	h->control.active = 1;
}

/**
 * mp_region_make() - create the region of this process
 * @pattern: pattern of the file name, "" for the default, NULL for no file
 * @rate: mean bytes between samples, for the header
 * @parent_pid: process id of the parent if this is a forked child, else 0
 *
 * Return: 0; -1 and errno if memory is short.
 */
int mp_region_make(const char *pattern, uint64_t rate, uint32_t parent_pid)
{
	struct memprof_region_section sections[MEMPROF_REGION_NR_SECTIONS] = { 0 };
	uint64_t size = lay_out(sections);
	struct memprof_region_header *h;
	void *base = map_any(pattern, size, sections);

	if (mp_own_failed(base)) {
		errno = -(intptr_t)base;
		return -1;
	}
	next_place = NULL;
	/* no huge pages: they would make unused parts of sparse tables resident */
	mp_own_madvise(base, size, MADV_NOHUGEPAGE);
	/* no read-ahead: over holes of the file it takes 3 ms when a table grows */
	mp_own_madvise(base, size, MADV_RANDOM);
	h = base;
	memcpy(h->sections, sections, sizeof(sections));
	fill_header(h, size);
	h->rate = rate;
	h->parent_pid = parent_pid;
	h->sections[MEMPROF_REGION_COUNTERS].used = MP_NR_COUNTERS;
	memset(committed, 0, sizeof(committed));
	committed[MEMPROF_REGION_MAPS] = MP_REGION_MAPS_FIRST;
	mp_counters_move((void *)((char *)h + PAGE));
	__atomic_store_n(&mp_region, h, __ATOMIC_RELEASE);
	return 0;
}

/**
 * mp_region_renew() - create a region, and keep the last one for late threads
 *
 * A thread may still write the last region. It stays mapped until the next call, which
 * uses its addresses again. So at most two regions are mapped.
 *
 * Return: as mp_region_make().
 */
int mp_region_renew(const char *pattern, uint64_t rate)
{
	void *last = mp_region;
	int error = mp_region_make(pattern, rate, 0);

	if (!error)
		next_place = last;
	return error;
}

/* Whether the region is a file, which others read after the end of this process. */
bool mp_region_has_file(void)
{
	return file.path[0];
}

/* Copies the path of the region's file; an empty one if there is no file. */
void mp_region_path(char *path, size_t size)
{
	const size_t len = strlen(file.path);

	*path = 0;
	if (len < size)
		memcpy(path, file.path, len + 1);
}

/* Creates a region without a file, if there is no region yet. Returns 0 or -1. */
int mp_region_need(void)
{
	return mp_region ? 0 : mp_region_make(NULL, 0, 0);
}

void *mp_region_array(int section)
{
	return (char *)mp_region + mp_region->sections[section].offset;
}

/* Sets *@number to @to, unless *@number is larger already. */
static void raise_to(uint64_t *number, uint64_t to)
{
	uint64_t is = __atomic_load_n(number, __ATOMIC_RELAXED);

	while (is < to && !__atomic_compare_exchange_n(number, &is, to, true,
						       __ATOMIC_RELEASE,
						       __ATOMIC_RELAXED))
		;
}

/*
 * Opens the file by its path and allocates blocks. Only needed on Linux before
 * 5.14, where madvise() cannot allocate them. This fails if the file was
 * renamed or removed, or cannot be reached. During the call the host can see
 * the descriptor.
 */
static bool write_by_name(uint64_t begin, uint64_t end)
{
	int fd = mp_own_open(file.path, O_RDWR | O_NOFOLLOW | O_NOCTTY, 0);
	bool done = false;
	struct stat st;

	if (fd < 0)
		return false;
	if (mp_own_fstat(fd, &st)) {
		mp_own_close(fd, NULL);
		return false;
	}
	if (st.st_dev == file.dev && st.st_ino == file.ino && is_size_allowed(end))
		done = allocate_blocks(fd, begin, end);
	mp_own_close(fd, &st);
	return done;
}

/*
 * Allocates blocks by writing zeros. Another thread may already have committed and
 * used the same part, which must not be overwritten. So only one thread does this at
 * a time; a second thread gets false.
 */
static bool allocate_by_name(int section, uint64_t nr, uint64_t begin, uint64_t end)
{
	static uint32_t is_busy;
	bool done;

	if (__atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE))
		return false;
	done = __atomic_load_n(&committed[section], __ATOMIC_ACQUIRE) >= nr;
	if (!done && write_by_name(begin, end)) {
		raise_to(&committed[section], nr);
		done = true;
	}
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
	return done;
}

/*
 * Allocates blocks through the mapping: a failure is an error here and not a SIGBUS in
 * the host. The contents do not change, so other threads may already use the part.
 * The limit of file sizes does not apply, because the size does not change.
 */
static bool allocate_later(int section, uint64_t nr, uint64_t begin, uint64_t end)
{
	int error;

	if (mp_is_strict())
		return false;
	error = mp_own_madvise((char *)mp_region + begin, end - begin,
			       MADV_POPULATE_WRITE);
	return !error || (error == -EINVAL && allocate_by_name(section, nr, begin,
								   end));
}

/**
 * mp_region_commit() - make sure that the first elements of a section can be written
 * @section: number of the section
 * @nr: number of elements from the start of the section
 *
 * Several threads may call this at once. errno is preserved.
 *
 * Return: true if the elements can be written.
 */
bool mp_region_commit(int section, uint64_t nr)
{
	struct memprof_region_section *s = &mp_region->sections[section];
	uint64_t begin, end, is = __atomic_load_n(&committed[section],
						  __ATOMIC_ACQUIRE);
	int saved = errno;
	bool done = true;

	if (nr <= is)
		return true;
	/*
	 * round up: the page of the last committed element is committed already
	 */
	begin = s->offset + (is ? round_up(is * s->stride) : 0);
	end = s->offset + round_up(nr * s->stride);
	if (file.path[0] && nr > shapes[section].first && end > begin)
		done = allocate_later(section, nr, begin, end);
	if (done)
		raise_to(&committed[section], nr);
	if (done && section != MEMPROF_REGION_MAPS)
		raise_to(&s->used, nr);
	errno = saved;
	return done;
}

/**
 * mp_region_end() - the process exits normally
 * @forget: remove the file, because no reader needs it. It is not removed if seccomp
 *	might kill the host for that
 */
void mp_region_end(bool forget)
{
	struct memprof_region_header *h = mp_region;
	uint64_t end_ns;

	if (!h)
		return;
	end_ns = mp_clock_coarse_ns();
	/* the coarse clock may be late: end_ns must be after start_ns */
	h->end_ns = end_ns > h->start_ns ? end_ns : h->start_ns + 1;
	__atomic_store_n(&h->state, MEMPROF_REGION_EXITED, __ATOMIC_RELEASE);
	if (forget && file.path[0] && mp_confinement == MP_FREE)
		mp_own_unlink(file.path);
}

/**
 * mp_region_unload() - let the process do without the pages of the region
 *
 * The file keeps them. The mapping stays, because a thread may still write to it.
 */
void mp_region_unload(void)
{
	if (mp_region && file.path[0] && mp_confinement == MP_FREE)
		mp_own_madvise(mp_region, mp_region->file_size, MADV_DONTNEED);
}
