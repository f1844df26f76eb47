// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c: opens libmemprof.so while it runs with several threads, attaches and
 * detaches it, and compares the region's totals with what it allocated.
 *
 *	[ATTACH_CYCLES=1000] attach KIND LIBRARY REGION [LATER]
 *
 * KIND: exact, cycles, loading (cycles while libraries are opened and threads end),
 * children. Prints "KIND done" if all is as it should be. LATER is the path
 * of later.so.
 */
#include <memprof/attach.h>
#include <memprof/region.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS	4
#define NR_SLOTS	100000
/* Blocks that a thread allocates for each thing that it has done: at most */
#define MOST_BLOCKS	64

/* operator new and delete, where the program has a C++ library */
extern void *_Znwm(size_t size) __attribute__((weak));
extern void *_Znam(size_t size) __attribute__((weak));
extern void *_ZnwmSt11align_val_t(size_t size, size_t alignment) __attribute__((weak));
extern void _ZdlPv(void *p) __attribute__((weak));
extern void _ZdaPv(void *p) __attribute__((weak));
extern void _ZdlPvSt11align_val_t(void *p, size_t alignment) __attribute__((weak));

/* jemalloc's own */
extern void *mallocx(size_t size, int flags) __attribute__((weak));
extern void *rallocx(void *p, size_t size, int flags) __attribute__((weak));
extern void dallocx(void *p, int flags) __attribute__((weak));
extern void sdallocx(void *p, size_t size, int flags) __attribute__((weak));

static int (*attach)(struct memprof_attachment *attachment);
static int (*detach)(void);
static const char *region_name;
static bool must_end;
static int nr_cycles = 1000;

#define CHECK(x) do {							\
		if (!(x)) {						\
			printf("line %d: not so: %s\n", __LINE__, #x);	\
			exit(1);					\
		}							\
	} while (0)

/* What the region should say. */
struct sums {
	uint64_t allocs;
	uint64_t alloc_bytes;
	uint64_t frees;
	uint64_t free_bytes;
};

static struct sums expected;

static void *got(void *p, size_t size)
{
	CHECK(p);
	*(volatile char *)p = 1;
	expected.allocs++;
	expected.alloc_bytes += size;
	return p;
}

static void gone(size_t size)
{
	expected.frees++;
	expected.free_bytes += size;
}

static void use_malloc(void)
{
	char *p;
	int i;

	for (i = 1; i <= 100; i++) {
		p = got(malloc(i), i);
		if (i % 2) {
			free(p);
			gone(i);
		}
	}
	free(got(calloc(7, 31), 7 * 31));
	gone(7 * 31);
	p = got(realloc(NULL, 40), 40);
	/* far away, so that the block moves */
	p = got(realloc(p, 400000), 400000);
	gone(40);
	free(p);
	gone(400000);
}

static bool is_the_c_librarys(const char *name)
{
	Dl_info a, b;

	return dladdr(dlsym(RTLD_DEFAULT, name), &a) &&
	       dladdr(dlsym(RTLD_DEFAULT, "exit"), &b) && a.dli_fbase == b.dli_fbase;
}

static void use_aligned(void)
{
	void *p;

	CHECK(!posix_memalign(&p, 128, 300));
	free(got(p, 300));
	gone(300);
	free(got(memalign(64, 200), 200));
	gone(200);
	free(got(aligned_alloc(64, 640), 640));
	gone(640);
	/* a call inside of the C library */
	/* that of mimalloc 3 is its own, and allocates inside of it */
	if (is_the_c_librarys("strdup")) {
		free(got(strdup("12345"), 6));
		gone(6);
	}
}

static FILE *line;

/* A line that is there before all attaches, and takes no block to read */
static void make_line(void)
{
	static char buffer[4096];

	line = tmpfile();
	CHECK(line);
	setvbuf(line, buffer, _IOFBF, sizeof(buffer));
	fprintf(line, "%0100d\n", 1);
}

/* The C library calls its own realloc(), through a slot that nothing has bound before. */
static void use_getline(void)
{
	size_t size = 10;
	char *p = got(malloc(size), size);

	rewind(line);
	CHECK(getline(&p, &size, line) == 101);
	got(p, size);
	gone(10);
	free(p);
	gone(size);
}

static void use_operators(void)
{
	if (!_Znwm)
		return;
	_ZdlPv(got(_Znwm(51), 51));
	gone(51);
	_ZdaPv(got(_Znam(52), 52));
	gone(52);
	_ZdlPvSt11align_val_t(got(_ZnwmSt11align_val_t(256, 64), 256), 64);
	gone(256);
	got(_Znwm(53), 53);
}

static void use_jemallocs_own(void)
{
	const int to_64 = 6, zero = 0x40;
	void *p;

	if (!mallocx)
		return;
	p = got(mallocx(61, zero), 61);
	p = got(rallocx(p, 500000, to_64), 500000);
	gone(61);
	dallocx(p, 0);
	gone(500000);
	sdallocx(got(mallocx(62, 0), 62), 62, 0);
	gone(62);
	got(mallocx(63, to_64), 63);
}

/* By its path, and by its name, which the dynamic linker searches. */
static void use_later_libraries(const char *path)
{
	char other[4096];
	void *(*block)(size_t size);
	void *library;

	if (!path)
		return;
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	*(void **)&block = dlsym(library, "later_block");
	free(got(block(77), 77));
	gone(77);
	snprintf(other, sizeof(other), "%s", strrchr(path, '/') + 1);
	memcpy(strstr(other, "later"), "named", 5);
	library = dlopen(other, RTLD_LAZY);
	CHECK(library);
	*(void **)&block = dlsym(library, "later_block");
	free(got(block(78), 78));
	gone(78);
}

static void *use_all(void *path)
{
	use_malloc();
	use_aligned();
	use_getline();
	use_operators();
	use_jemallocs_own();
	use_later_libraries(path);
	return NULL;
}

/* Maps what the library wrote. */
static const struct memprof_region_header *read_region(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	CHECK(fd >= 0 && !fstat(fd, &st));
	p = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

static void compare(const struct memprof_region_header *h)
{
	const struct memprof_region_tally *t = &h->total;

	if (t->allocs == expected.allocs && t->alloc_bytes == expected.alloc_bytes &&
	    t->frees == expected.frees && t->free_bytes == expected.free_bytes)
		return;
	printf("allocs %lu bytes %lu frees %lu bytes %lu, expected %lu %lu %lu %lu\n",
	       t->allocs, t->alloc_bytes, t->frees, t->free_bytes, expected.allocs,
	       expected.alloc_bytes, expected.frees, expected.free_bytes);
	exit(1);
}

/* All slots of all objects, as they were. */
static struct {
	void **at;
	void *value;
} slots[NR_SLOTS];
static size_t nr_slots;

static int add_slots(struct dl_phdr_info *info, size_t size, void *arg)
{
	const Elf64_Dyn *d = NULL;
	Elf64_Addr tables[2] = { 0 }, sizes[2] = { 0 };
	int i, list;

	(void)size;
	(void)arg;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!d || strstr(info->dlpi_name, "vdso") || strstr(info->dlpi_name, "libmemprof"))
		return 0;
	for (; d->d_tag; d++) {
		tables[0] = d->d_tag == DT_RELA ? d->d_un.d_ptr : tables[0];
		sizes[0] = d->d_tag == DT_RELASZ ? d->d_un.d_val : sizes[0];
		tables[1] = d->d_tag == DT_JMPREL ? d->d_un.d_ptr : tables[1];
		sizes[1] = d->d_tag == DT_PLTRELSZ ? d->d_un.d_val : sizes[1];
	}
	for (list = 0; list < 2; list++) {
		const Elf64_Rela *r = (void *)(tables[list] < info->dlpi_addr ?
					       tables[list] + info->dlpi_addr :
					       tables[list]);
		const Elf64_Rela *end = r + sizes[list] / sizeof(*r);

		for (; r < end; r++)
			if (ELF64_R_SYM(r->r_info) && nr_slots < NR_SLOTS) {
				slots[nr_slots].at = (void *)(info->dlpi_addr + r->r_offset);
				slots[nr_slots].value = *slots[nr_slots].at;
				nr_slots++;
			}
	}
	return 0;
}

static int nr_changed(void)
{
	int nr = 0;
	size_t i;

	for (i = 0; i < nr_slots; i++)
		nr += *slots[i].at != slots[i].value;
	return nr;
}

static struct memprof_attachment wanted(void)
{
	struct memprof_attachment a = { .size = sizeof(a), .rate = 1 };

	snprintf(a.out, sizeof(a.out), "%s", region_name);
	return a;
}

static pthread_barrier_t barrier;

static void *work_later(void *path)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	use_all(path);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	/* detached */
	free(malloc(1000));
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* A structure of the first version, which had no pace */
#define FIRST_SIZE offsetof(struct memprof_attachment, pace)

static void refuse_bad_calls(void)
{
	struct memprof_attachment a = wanted();

	CHECK(detach() == -EINVAL);
	CHECK(attach(NULL) == -EINVAL);
	a.size = FIRST_SIZE - 1;
	CHECK(attach(&a) == -EINVAL);
	a = wanted();
	a.flags = 1U << 31;
	CHECK(attach(&a) == -EINVAL);
	a = wanted();
	memset(a.out, 'x', sizeof(a.out));
	CHECK(attach(&a) == -EINVAL);
}

/* Attaches, and looks at what must not change. */
static struct memprof_attachment attach_with_care(void)
{
	struct memprof_attachment a = wanted(), again = a;
	sigset_t before, after;

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = 77;
	CHECK(!attach(&a));
	CHECK(errno == 77);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK(!memcmp(&before, &after, sizeof(before)));
	CHECK(attach(&again) == -EALREADY);
	return a;
}

static void exact(const char *path)
{
	struct memprof_region_header copy;
	const struct memprof_region_header *h;
	struct memprof_attachment a;
	pthread_t thread;
	void *old[2];
	int changed;

	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(!pthread_create(&thread, NULL, work_later, (void *)path));
	pthread_barrier_wait(&barrier);
	refuse_bad_calls();
	old[0] = malloc(100);
	old[1] = malloc(100);
	dl_iterate_phdr(add_slots, NULL);
	a = attach_with_care();
	changed = nr_changed();
	h = read_region(a.region);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	/* unknown blocks */
	free(old[0]);
	old[1] = got(realloc(old[1], 300), 300);
	use_all(NULL);
	compare(h);
	/* the message is a block of the C library: not expected above */
	CHECK(!dlopen("/nowhere/later.so", RTLD_NOW));
	CHECK(strstr(dlerror(), "/nowhere/later.so"));
	CHECK(!dlerror());
	copy = *h;
	CHECK(a.slots >= 8 && a.objects >= 2 && !a.failed);
	CHECK(changed == (int)a.slots);
	errno = 78;
	CHECK(detach() >= changed);
	CHECK(errno == 78);
	CHECK(nr_changed() == 0);
	pthread_barrier_wait(&barrier);
	free(old[1]);
	free(malloc(1000));
	pthread_barrier_wait(&barrier);
	CHECK(!memcmp(&copy.total, &h->total, sizeof(h->total)));
	CHECK(h->state == MEMPROF_REGION_EXITED && h->end_ns > h->start_ns);
	pthread_join(thread, NULL);
}

static unsigned long nr_done[NR_THREADS];

static void *allocate_always(void *arg)
{
	unsigned long *done = arg;
	char *list[64] = { 0 };
	unsigned int i = 0;

	while (!__atomic_load_n(&must_end, __ATOMIC_RELAXED)) {
		i = i * 1103515245 + 12345;
		free(list[i >> 10 & 63]);
		list[i >> 10 & 63] = i & 512 ? malloc(i >> 20 & 511) :
					       calloc(1, i >> 20 & 511);
		__atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
	}
	for (i = 0; i < 64; i++)
		free(list[i]);
	return NULL;
}

static const char *later_path;

/* Opens and closes a library all the time. */
static void *open_always(void *arg)
{
	unsigned long *done = arg;
	void *(*block)(size_t size);
	void *library;

	while (!__atomic_load_n(&must_end, __ATOMIC_RELAXED)) {
		library = dlopen(later_path, RTLD_LAZY);
		CHECK(library);
		*(void **)&block = dlsym(library, "later_block");
		free(block(30));
		dlclose(library);
		__atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *allocate_once(void *arg)
{
	free(malloc(10));
	return arg;
}

/* Threads that end, whose states others take over. */
static void *start_always(void *arg)
{
	unsigned long *done = arg;
	pthread_t threads[3];
	int i;

	while (!__atomic_load_n(&must_end, __ATOMIC_RELAXED)) {
		for (i = 0; i < 3; i++)
			CHECK(!pthread_create(&threads[i], NULL, allocate_once, NULL));
		for (i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		__atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int nr_lines(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, nr = 0;

	CHECK(f);
	while ((c = getc(f)) != EOF)
		nr += c == '\n';
	fclose(f);
	return nr;
}

static int nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static unsigned long all_done(void)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < NR_THREADS; i++)
		sum += __atomic_load_n(&nr_done[i], __ATOMIC_RELAXED);
	return sum;
}

/*
 * One cycle. The region is empty at first, and has what was allocated meanwhile: how
 * long that is depends on how busy the machine is.
 */
static int attach_and_detach(uint32_t slots_before)
{
	unsigned long done = all_done();
	struct memprof_attachment a = wanted();
	const struct memprof_region_header *h;
	uint64_t allocs;
	size_t i;

	/* of the first version: what lies beyond its size is not read */
	a.size = FIRST_SIZE;
	a.pace = 1;
	CHECK(!attach(&a));
	h = read_region(a.region);
	for (i = 0; i < 10; i++)
		free(malloc(10));
	allocs = h->total.allocs;
	done = all_done() - done;
	CHECK(allocs >= 10 && allocs <= 10 + MOST_BLOCKS * (done + NR_THREADS));
	CHECK(!slots_before || a.slots == slots_before);
	CHECK(!a.failed);
	if (slots_before)
		CHECK(detach() == (int)a.slots);
	else
		CHECK(detach() >= 0);
	CHECK(h->pid == (uint32_t)getpid());
	munmap((void *)h, h->file_size);
	unlink(a.region);
	return a.slots;
}

static void cycles(void)
{
	pthread_t threads[NR_THREADS];
	int i, lines, descriptors, nr;
	unsigned long before;

	for (i = 0; i < NR_THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, allocate_always, &nr_done[i]));
	/* two regions stay mapped; buffers of stdio and arenas exist */
	nr_lines();
	nr_descriptors();
	nr = attach_and_detach(0);
	for (i = 0; i < 20; i++)
		attach_and_detach(nr);
	before = all_done();
	lines = nr_lines();
	descriptors = nr_descriptors();
	for (i = 0; i < nr_cycles; i++)
		attach_and_detach(nr);
	/* the allocator maps and unmaps, too; a leak would show in each cycle */
	CHECK(nr_lines() < lines + nr_cycles / 10);
	CHECK(nr_descriptors() == descriptors);
	CHECK(all_done() > before);
	must_end = true;
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Cycles while the dynamic linker works, and threads begin and end. */
static void cycles_while_loading(void)
{
	static void *(*const works[NR_THREADS])(void *) = {
		open_always, open_always, start_always, allocate_always };
	pthread_t threads[NR_THREADS];
	int i;

	CHECK(later_path);
	for (i = 0; i < NR_THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, works[i], &nr_done[i]));
	for (i = 0; i < nr_cycles / 4; i++)
		attach_and_detach(0);
	must_end = true;
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(nr_done[i]);
	}
}

/* A child of an attached process has a region of its own, and can attach again. */
static void child(void)
{
	const struct memprof_region_header *h;
	struct memprof_attachment a = wanted();

	expected = (struct sums){ 0 };
	CHECK(attach(&a) == -EALREADY);
	CHECK(detach() > 0);
	use_malloc();
	expected = (struct sums){ 0 };
	CHECK(!attach(&a));
	h = read_region(a.region);
	CHECK(h->pid == (uint32_t)getpid());
	use_all(NULL);
	compare(h);
	CHECK(detach() > 0);
	unlink(a.region);
	_exit(0);
}

static void children(void)
{
	const struct memprof_region_header *h;
	struct memprof_attachment a = wanted();
	int i, status;
	pid_t pid;

	CHECK(!attach(&a));
	h = read_region(a.region);
	for (i = 0; i < 100; i++) {
		use_all(NULL);
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			child();
		CHECK(waitpid(pid, &status, 0) == pid && !status);
	}
	compare(h);
	CHECK(detach() > 0);
}

int main(int argc, char **argv)
{
	void *library;

	CHECK(argc > 3);
	region_name = argv[3];
	later_path = argc > 4 ? argv[4] : NULL;
	library = dlopen(argv[2], RTLD_NOW);
	if (!library)
		printf("%s\n", dlerror());
	CHECK(library);
	*(void **)&attach = dlsym(library, "memprof_attach");
	*(void **)&detach = dlsym(library, "memprof_detach");
	CHECK(attach && detach);
	if (getenv("ATTACH_CYCLES"))
		nr_cycles = atoi(getenv("ATTACH_CYCLES"));
	make_line();
	if (!strcmp(argv[1], "exact"))
		exact(later_path);
	else if (!strcmp(argv[1], "cycles"))
		cycles();
	else if (!strcmp(argv[1], "loading"))
		cycles_while_loading();
	else if (!strcmp(argv[1], "children"))
		children();
	else
		CHECK(!"a kind");
	printf("%s done\n", argv[1]);
	return 0;
}
