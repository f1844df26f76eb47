// SPDX-License-Identifier: GPL-2.0-only
/*
 * allocate WHAT: allocates in ways that are hard for a profiler in the process.
 *
 * If everything works as it does without a profiler, the program prints "WHAT done"
 * and exits with 0.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 64

static void fail(const char *what)
{
	dprintf(2, "allocate: %s\n", what);
	_exit(1);
}

static void *filled(void *p, size_t size)
{
	if (!p)
		fail("no memory");
	if (malloc_usable_size(p) < size)
		fail("usable size");
	return memset(p, 0x5a, size);
}

static void churn(unsigned int seed, int rounds)
{
	void *blocks[BLOCKS] = { 0 };
	size_t size;
	int i, n;

	for (i = 0; i < rounds; i++) {
		seed = seed * 1103515245 + 12345;
		n = seed >> 8 & (BLOCKS - 1);
		size = 1 + (seed >> 16 & 0x3fff);
		free(blocks[n]);
		blocks[n] = filled(malloc(size), size);
	}
	for (n = 0; n < BLOCKS; n++)
		free(blocks[n]);
}

static void every_function(void)
{
	volatile size_t too_much = SIZE_MAX / 2;
	void *volatile p, *q = NULL;
	int i;

	for (i = 0; i < 300; i++) {
		free(filled(malloc(5000), 5000));
		p = calloc(100, 50);
		if (((char *)p)[4999])
			fail("calloc is not zero");
		memset(p, 0x11, 5000);
		p = realloc(p, 9000);
		if (((char *)p)[4999] != 0x11)
			fail("realloc lost something");
		filled(p, 9000);
		p = filled(reallocarray(p, 10, 2000), 20000);
		errno = 0;
		if (reallocarray(p, too_much, 4) || errno != ENOMEM ||
		    realloc(p, too_much) || calloc(too_much, 4) ||
		    ((char *)p)[19999] != 0x5a)
			fail("too much is not refused");
		p = realloc(p, 0);
		if (posix_memalign(&q, 256, 3000) || (uintptr_t)q % 256)
			fail("posix_memalign");
		free(filled(q, 3000));
		if (posix_memalign(&q, 3, 3000) != EINVAL)
			fail("a strange alignment");
		p = filled(aligned_alloc(512, 1024), 1024);
		if ((uintptr_t)p % 512)
			fail("aligned_alloc");
		free(p);
		free(filled(memalign(1024, 100), 100));
		free(filled(valloc(100), 100));
		free(filled(pvalloc(100), 4096));
		free(NULL);
		free(filled(malloc(1 << 20), 1 << 20));
	}
}

static void *thread(void *arg)
{
	churn((uintptr_t)arg, 2000);
	return arg;
}

static void threads(void)
{
	pthread_t list[8];
	int round, i;

	for (round = 0; round < 60; round++) {
		for (i = 0; i < 8; i++)
			if (pthread_create(&list[i], NULL, thread,
					   (void *)(long)i))
				fail("no thread");
		for (i = 0; i < 8; i++)
			pthread_join(list[i], NULL);
	}
}

static volatile sig_atomic_t signals, in_allocator;

/* Allocates in a signal handler. This is safe only if no allocator was interrupted. */
static void on_timer(int sig)
{
	(void)sig;
	signals++;
	if (!in_allocator)
		free(calloc(1, 70000));
}

static void signal_handlers(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	static char stack[65536];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_timer,
				    .sa_flags = SA_ONSTACK };
	int i;

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (signals < 2000) {
		in_allocator = 1;
		free(filled(malloc(3000), 3000));
		in_allocator = 0;
		for (i = 0; i < 300; i++)
			__asm__ volatile("" : : : "memory");
	}
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child failed");
}

static volatile int forks_done;

static void *churn_on(void *arg)
{
	while (!forks_done)
		churn((uintptr_t)arg, 500);
	return NULL;
}

/* Forks 1,000 times while two threads allocate. Each child allocates, too, and some
 * children do so in a second thread.
 */
static void forks(void)
{
	pthread_t list[2], inner;
	pid_t pid;
	long i;

	for (i = 0; i < 2; i++)
		pthread_create(&list[i], NULL, churn_on, (void *)i);
	for (i = 0; i < 1000; i++) {
		pid = fork();
		if (pid < 0)
			fail("no fork");
		if (!pid) {
			forks_done = 1;
			churn(i, i % 10 ? 20 : 400);
			if (i % 50 == 0) {
				pthread_create(&inner, NULL, thread, (void *)i);
				thread((void *)i);
				pthread_join(inner, NULL);
			}
			_exit(0);
		}
		wait_for(pid);
	}
	forks_done = 1;
	for (i = 0; i < 2; i++)
		pthread_join(list[i], NULL);
}

/* Forks by a system call, so the C library runs no fork handlers. */
static void raw_fork(void)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid) {
		churn(1, 2000);
		_exit(0);
	}
	wait_for(pid);
	churn(2, 2000);
}

static void vforks(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		pid_t pid = vfork();

		if (!pid) {
			execlp("true", "true", NULL);
			_exit(1);
		}
		wait_for(pid);
		churn(i, 200);
	}
}

static void libraries(void)
{
	static const char *const names[] = { "libm.so.6", "libz.so.1",
					     "libgcc_s.so.1", "librt.so.1" };
	void *handle;
	int i;

	for (i = 0; i < 400; i++) {
		handle = dlopen(names[i % 4], RTLD_NOW);
		churn(i, 100);
		if (dlopen("no-such-library.so", RTLD_NOW) || !dlerror())
			fail("dlerror");
		if (handle)
			dlclose(handle);
	}
}

static void mappings(void)
{
	char *p;
	int i;

	for (i = 0; i < 300; i++) {
		p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		p[4096] = 7;
		p = mremap(p, 1 << 20, 2 << 20, MREMAP_MAYMOVE);
		if (p == MAP_FAILED || p[4096] != 7)
			fail("mremap");
		if (i < 295)
			munmap(p, 2 << 20);
	}
	errno = 0;
	if (mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	    MAP_FAILED || errno != EINVAL)
		fail("a mapping of nothing");
}

/* Allocates until the program is killed. */
static void for_ever(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		churn(time(NULL), 10000);
}

static __attribute__((noinline)) void *known_site(size_t size)
{
	void *volatile p = malloc(size);

	return p;
}

static __attribute__((noinline)) void known_caller(void **list, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		list[i] = known_site(1000);
}

/* Allocates 100 MB at one callsite, and keeps them. */
static void known(void)
{
	static void *list[100000];

	known_caller(list, 100000);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "every-function", every_function }, { "threads", threads },
	{ "signals", signal_handlers }, { "forks", forks },
	{ "raw-fork", raw_fork }, { "vforks", vforks },
	{ "libraries", libraries }, { "mappings", mappings },
	{ "for-ever", for_ever }, { "known", known },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			printf("%s done\n", argv[1]);
			return 0;
		}
	return 2;
}
