// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The region: made at start, and again in a forked child when it samples for the
 * first time. The file is sparse; each part gets its blocks from the file system
 * before it is written, so that a full disk is an error here and no SIGBUS in the
 * host. Without a file it is memory shared with nobody.
 *
 * Cost: 10 system calls, 100 us, and 120 KB. No descriptor stays open, for the
 * host may close any.
 */
#include "region-file.h"

#include "drop-counter.h"
#include "memprof_internal.h"
#include "out-path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ULL

static const struct {
	uint64_t stride;
	uint64_t capacity;
} shapes[MEMPROF_REGION_NR_SECTIONS] = {
	[MEMPROF_REGION_COUNTERS] = {
		sizeof(struct memprof_region_counter), MP_NR_COUNTERS },
	[MEMPROF_REGION_MAPS] = { sizeof(struct memprof_region_map), 2048 },
	[MEMPROF_REGION_TALLIES] = {
		sizeof(struct memprof_region_tally),
		MEMPROF_STACK_TABLE_MAX_DEFAULT },
	[MEMPROF_REGION_STACKS] = {
		sizeof(StackEntry), MEMPROF_STACK_TABLE_MAX_DEFAULT },
	[MEMPROF_REGION_ENTRIES] = {
		sizeof(HeapMapEntry), MEMPROF_HEAP_MAP_CAPACITY },
	[MEMPROF_REGION_BLOCKS] = {
		sizeof(struct memprof_region_block), MEMPROF_HEAP_MAP_CAPACITY },
};

_Static_assert(sizeof(HeapMapEntry) == sizeof(struct memprof_region_entry),
	       "the entry is in the file");
_Static_assert(MEMPROF_MAX_STACK_DEPTH != MEMPROF_REGION_DEPTH ||
	       sizeof(StackEntry) == sizeof(struct memprof_region_stack),
	       "the stack is in the file");
_Static_assert(sizeof(struct memprof_region_header) <= PAGE, "it has one page");

struct memprof_region_header *mp_region;

/* Where the file is, to open it again when it grows. No name: no file. */
static struct {
	char path[MP_OUT_PATH_SIZE];
	dev_t dev;
	ino_t ino;
} file;

static uint64_t round_up(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

/* Fills in the sections; the size of the whole. */
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
 * By writing zeros, over what holds nothing yet. fallocate() is one call, but each
 * first write to a page then costs a journaling file system 60 us; after this 0.5.
 */
static bool allocate(int fd, uint64_t begin, uint64_t end)
{
	static const char zeros[PAGE];
	struct iovec pages[16];
	uint64_t n = 0;
	ssize_t written;

	while (n < 16)
		pages[n++] = (struct iovec){ (void *)zeros, PAGE };
	while (begin < end) {
		n = (end - begin) / PAGE;
		written = pwritev(fd, pages, n < 16 ? n : 16, begin);
		if (written <= 0)
			return false;
		begin += written;
	}
	return true;
}

/* More than the limit would be a signal, not an error. */
static bool allowed(uint64_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && size <= limit.rlim_cur;
}

static int create(const char *pattern)
{
	int fd, attempt;

	for (attempt = 0; attempt < MP_OUT_PATH_TRIES; attempt++) {
		if (!mp_out_path(file.path, pattern, attempt))
			break;
		fd = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
			  O_CLOEXEC | O_NOCTTY, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	file.path[0] = 0;
	return -1;
}

static void *map_file(const char *pattern, uint64_t size)
{
	void *base = MAP_FAILED;
	struct stat st;
	int fd;

	if (!allowed(size))
		return MAP_FAILED;
	fd = create(pattern);
	if (fd < 0)
		return MAP_FAILED;
	if (!fstat(fd, &st) && !ftruncate(fd, size) && allocate(fd, 0, 2 * PAGE)) {
		file.dev = st.st_dev;
		file.ino = st.st_ino;
		base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (base == MAP_FAILED) {
		unlink(file.path);
		file.path[0] = 0;
	}
	close(fd);
	return base;
}

/* The asked for, the default, memory. */
static void *map_any(const char *pattern, uint64_t size)
{
	char fallback[MP_OUT_PATH_SIZE];
	void *base = MAP_FAILED;

	file.path[0] = 0;
	if (pattern && *pattern) {
		base = map_file(pattern, size);
		if (base == MAP_FAILED)
			mp_count(MP_COUNT_out_unusable);
	}
	if (base == MAP_FAILED && pattern && mp_out_path_default(fallback))
		base = map_file(fallback, size);
	if (base != MAP_FAILED)
		return base;
	if (pattern)
		mp_count(MP_COUNT_region_private);
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static uint64_t now(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Field 22 of stat; the name before it may hold anything. */
static uint64_t start_ticks(void)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC), field;
	uint64_t ticks = 0;
	char text[1024], *p;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');
	for (field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	for (; p && *p >= '0' && *p <= '9'; p++)
		ticks = ticks * 10 + *p - '0';
	return ticks;
}

static void describe(struct memprof_region_header *h, uint64_t size)
{
	h->magic = MEMPROF_REGION_MAGIC;
	h->size = sizeof(*h);
	h->version = MEMPROF_REGION_VERSION;
	h->nr_sections = MEMPROF_REGION_NR_SECTIONS;
	h->file_size = size;
	h->pid = getpid();
	h->start_ticks = start_ticks();
	h->page_size = sysconf(_SC_PAGESIZE);
	h->clock = CLOCK_MONOTONIC;
	h->start_ns = now(CLOCK_MONOTONIC);
	h->start_real_ns = now(CLOCK_REALTIME);
	prctl(PR_GET_NAME, h->comm);
	h->control.active = 1;
}

/**
 * mp_region_make() - make this process's region
 * @pattern: of the file's name, "" for the default, NULL for no file
 * @rate: for the header
 * @parent_pid: whose fork this is, or 0
 *
 * Return: 0; -1: there is no memory, and errno says why.
 */
int mp_region_make(const char *pattern, uint64_t rate, uint32_t parent_pid)
{
	struct memprof_region_section sections[MEMPROF_REGION_NR_SECTIONS] = { 0 };
	uint64_t size = lay_out(sections);
	struct memprof_region_header *h;
	void *base = map_any(pattern, size);

	if (base == MAP_FAILED)
		return -1;
	/* huge pages would make a sparse table resident */
	madvise(base, size, MADV_NOHUGEPAGE);
	h = base;
	memcpy(h->sections, sections, sizeof(sections));
	describe(h, size);
	h->rate = rate;
	h->parent_pid = parent_pid;
	h->sections[MEMPROF_REGION_COUNTERS].used = MP_NR_COUNTERS;
	mp_counters_move((void *)((char *)h + PAGE));
	__atomic_store_n(&mp_region, h, __ATOMIC_RELEASE);
	if (!mp_region_commit(MEMPROF_REGION_MAPS, MP_REGION_MAPS_FIRST))
		mp_count(MP_COUNT_region_grow_failed);
	return 0;
}

/* For those who use a table without a region of their own. */
int mp_region_need(void)
{
	return mp_region ? 0 : mp_region_make(NULL, 0, 0);
}

void *mp_region_array(int section)
{
	return (char *)mp_region + mp_region->sections[section].offset;
}

/* The file may have been renamed, removed, or be out of reach by now. */
static bool allocate_later(uint64_t begin, uint64_t end)
{
	int fd = open(file.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	bool done = false;
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_dev == file.dev && st.st_ino == file.ino)
		done = allocate(fd, begin, end);
	close(fd);
	return done;
}

/**
 * mp_region_commit() - make sure that elements can be written
 * @section: array
 * @nr: elements from its begin; what was committed before is not asked for again
 *
 * Whoever calls keeps others from doing so for this section. errno is kept.
 *
 * Return: whether it worked.
 */
bool mp_region_commit(int section, uint64_t nr)
{
	struct memprof_region_section *s = &mp_region->sections[section];
	uint64_t begin, end, used = s->used;
	int saved = errno;
	bool done = true;

	if (nr <= used)
		return true;
	/* a page that both halves are in has been committed already */
	begin = s->offset + (used ? round_up(used * s->stride) : 0);
	end = s->offset + round_up(nr * s->stride);
	if (file.path[0] && end > begin)
		done = allocate_later(begin, end);
	if (done && section != MEMPROF_REGION_MAPS)
		__atomic_store_n(&s->used, nr, __ATOMIC_RELEASE);
	errno = saved;
	return done;
}

/**
 * mp_region_end() - the process exits normally
 * @forget: nobody will look at it: its file is removed
 */
void mp_region_end(bool forget)
{
	struct memprof_region_header *h = mp_region;

	if (!h)
		return;
	h->end_ns = now(CLOCK_MONOTONIC);
	__atomic_store_n(&h->state, MEMPROF_REGION_EXITED, __ATOMIC_RELEASE);
	if (forget && file.path[0])
		unlink(file.path);
}
