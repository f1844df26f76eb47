// SPDX-License-Identifier: GPL-2.0-only
/*
 * corners WHAT: behaves in ways that are hard for code that runs inside malloc.
 *
 * If everything works as it does without a profiler, the program prints "WHAT done"
 * and exits with 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static void fail(const char *what)
{
	dprintf(2, "corners: %s\n", what);
	_exit(1);
}

static void churn(int rounds, size_t size)
{
	void *volatile p;

	while (rounds--) {
		p = malloc(size);
		free(p);
	}
}

static void keep(int nr)
{
	void *volatile p;

	while (nr--)
		p = malloc(1000);
	(void)p;
}

static void in_a_thread(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		fail("no thread");
	pthread_join(thread, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

/* Allocates while a cancellation is pending. The thread must not end inside malloc(). */
static void *be_cancelled(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	churn(1000, 100000);
	keep(3000);
	pthread_mutex_unlock(&lock);
	pthread_testcancel();
	return arg;
}

static void cancelled(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, be_cancelled, NULL);
	pthread_barrier_wait(&barrier);
	pthread_cancel(thread);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	if (pthread_mutex_trylock(&lock))
		fail("a thread ended inside malloc");
}

/* An open() like that of libraries that log names: it calls malloc() under a lock. */
static long nr_opened;

int open(const char *path, int flags, ...)
{
	static char *last;
	va_list args;
	int mode, fd;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	pthread_mutex_lock(&lock);
	nr_opened++;
	free(last);
	last = strdup(path);
	fd = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	pthread_mutex_unlock(&lock);
	return fd;
}

static void *open_often(void *arg)
{
	int i;

	for (i = 0; i < 10000; i++)
		close(open("/dev/null", O_RDONLY));
	return arg;
}

static void own_open(void)
{
	int i;

	for (i = 0; i < 20; i++)
		in_a_thread(open_often);
	if (nr_opened != 200000)
		fail("somebody else's opens");
}

#define DIES_OF(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void lock_in(void)
{
	struct sock_filter list[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		DIES_OF(openat), DIES_OF(close), DIES_OF(read), DIES_OF(pwritev),
		DIES_OF(ftruncate), DIES_OF(fallocate), DIES_OF(unlinkat),
#ifdef __x86_64__
		DIES_OF(open), DIES_OF(unlink),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(list) / sizeof(list[0]), list };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		fail("no filter");
}

#define ALLOWS(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Sets a filter that allows the program's own system calls, and those to grow tables. */
static void confined(void)
{
	struct sock_filter list[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOWS(brk), ALLOWS(mmap), ALLOWS(munmap), ALLOWS(madvise),
		ALLOWS(write), ALLOWS(fstat), ALLOWS(newfstatat), ALLOWS(getrandom),
		ALLOWS(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { sizeof(list) / sizeof(list[0]), list };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		fail("no filter");
	keep(20000);
}

/* Allows only read(), write() and exit(). The CPU's counter cannot be read, either. */
static void *be_strict(void *arg)
{
	static const char text[] = "strict done\n";
	void *volatile p = malloc(100000);

	free(p);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		fail("not strict");
	churn(5000, 1000);
	keep(90);
	syscall(SYS_write, 1, text, arg ? sizeof(text) - 1 : 0);
	syscall(SYS_exit, 0);
	return NULL;
}

static void strict(void)
{
	in_a_thread(be_strict);
	be_strict("");
}

/* Makes each read of the CPU's time stamp counter raise SIGSEGV. */
static void no_clock(void)
{
	int status;
	pid_t child;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		fail("no such clock");
	keep(20000);
	child = fork();
	if (!child) {
		keep(20000);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		fail("the child");
}

static void *keep_much(void *arg)
{
	keep(200000);
	return arg;
}

/* Forbids new file descriptors, then allocates: new threads and tables get none. */
static void locked_in(void)
{
	lock_in();
	in_a_thread(keep_much);
	in_a_thread(keep_much);
}

/* Limits the size of files, then allocates so much that the tables must grow. */
static void file_limit(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_FSIZE, &limit);
	keep(400000);
}

/* Makes 20,000 allocations of 0 to 7 bytes, of which 2,000 are live at any time. */
static void *be_in_the_crowd(void *arg)
{
	static __thread void *volatile living[2000];
	int i;

	for (i = 0; i < 20000; i++) {
		free(living[i % 2000]);
		living[i % 2000] = malloc(i % 8);
	}
	return arg;
}

static void crowd(void)
{
	pthread_t threads[16];
	int i;

	for (i = 0; i < 16; i++)
		if (pthread_create(&threads[i], NULL, be_in_the_crowd, NULL))
			fail("no thread");
	for (i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
}

#define STACK (64 << 10)
static ucontext_t outside, inside;
static char *stacks;

static void run_inside(void (*run)(void))
{
	stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stacks;
	inside.uc_stack.ss_size = STACK;
	inside.uc_link = &outside;
	makecontext(&inside, run, 0);
	swapcontext(&outside, &inside);
}

static void in_coroutine(void)
{
	churn(300, 100000);
}

static void coroutines(void)
{
	run_inside(in_coroutine);
}

/* Generated code without unwind rules that calls malloc and uses the frame pointer for data. */
static void *(*made)(size_t size, void *frame);

static void from_made_code(void)
{
	int i;

	churn(300, 100000);
	/* unmap a stack, as if another coroutine had ended, and let the frame pointer point there */
	munmap(stacks + STACK, STACK);
	for (i = 0; i < 300; i++)
		free(made(100000, stacks + STACK + STACK / 2));
}

static void wild_frame_pointer(void)
{
#ifdef __aarch64__
	/*
	 * stp x29, x30, [sp, #-16]!; mov x29, x1; ldr x16, ...; blr x16;
	 * ldp x29, x30, [sp], #16; ret
	 */
	static uint32_t code[] = {
		0xa9bf7bfd, 0xaa0103fd, 0x58000090, 0xd63f0200, 0xa8c17bfd,
		0xd65f03c0, 0, 0 };
	const size_t address = 24;
#else
	/* push rbp; mov rbp, rsi; mov rax, ...; call rax; pop rbp; ret */
	static unsigned char code[] = {
		0x55, 0x48, 0x89, 0xf5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
		0xff, 0xd0, 0x5d, 0xc3 };
	const size_t address = 6;
#endif
	void *(*function)(size_t) = malloc;
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, code, sizeof(code));
	memcpy(page + address, &function, 8);
	__builtin___clear_cache(page, page + sizeof(code));
	made = (void *(*)(size_t, void *))page;
	run_inside(from_made_code);
}

/* Requests too much memory, which fails. Later allocations must be sampled as before. */
static void too_much(void)
{
	static const size_t sizes[] = { SIZE_MAX / 2, SIZE_MAX, SIZE_MAX / 4 * 3 };
	void *volatile p = NULL;
	volatile size_t size;
	int i;

	for (i = 0; i < 30; i++) {
		size = sizes[i % 3];
		p = i % 2 ? realloc(p, size) : malloc(size);
		if (p || errno != ENOMEM)
			fail("too much is not refused");
	}
	keep(100000);
}

static volatile sig_atomic_t is_child, nr_forks;

static void fork_here(int sig)
{
	int saved = errno;

	(void)sig;
	if (!is_child && nr_forks < 1000) {
		nr_forks++;
		is_child = !fork();
	}
	while (!is_child && waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = saved;
}

/* Forks in a signal handler. Each child continues where the parent was interrupted,
 * which is often in a sample. At the end all blocks of the parent are freed.
 */
static void handler_forks(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { 0 };

	signal(SIGALRM, fork_here);
	setitimer(ITIMER_REAL, &often, NULL);
	while (nr_forks < 1000 && !is_child)
		churn(1, 100);
	if (is_child) {
		churn(3, 100);
		_exit(0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	while (wait(NULL) > 0)
		;
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* Moves mappings with MREMAP_DONTUNMAP, so that the old mapping stays. */
static void kept_mappings(void)
{
	char *p, *moved;
	int i;

	for (i = 0; i < 5; i++) {
		p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		p[4096] = 7;
		moved = mremap(p, 4 << 20, 4 << 20,
			       MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
		if (moved == MAP_FAILED || moved == p || moved[4096] != 7)
			fail("mremap");
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "cancelled", cancelled }, { "own-open", own_open },
	{ "confined", confined }, { "strict", strict }, { "no-clock", no_clock },
	{ "locked-in", locked_in }, { "file-limit", file_limit },
	{ "coroutines", coroutines },
	{ "wild-frame-pointer", wild_frame_pointer }, { "too-much", too_much },
	{ "crowd", crowd }, { "handler-forks", handler_forks }, { "kept-mappings", kept_mappings },
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
