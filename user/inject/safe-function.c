// SPDX-License-Identifier: GPL-2.0-only
/*
 * safe-function: what a thread that is about to call dlopen() may be in
 *
 * Names are compared without the underscores at their beginning. A function that is in
 * no list is not harmless.
 */
#include "safe-function.h"

#include <stddef.h>
#include <string.h>

/* These hold locks of the allocator, of the loader, or of the list of threads. */
static const char * const forbidden[] = {
	"malloc", "free", "calloc", "realloc", "reallocarray", "memalign",
	"aligned_alloc", "posix_memalign", "valloc", "pvalloc", "cfree", "malloc_trim",
	"malloc_info", "malloc_stats", "mallinfo", "mallinfo2", "malloc_usable_size",
	"mallopt",
	"fork", "vfork", "Fork", "posix_spawn", "posix_spawnp", "clone", "clone3",
	"system", "popen", "pthread_create", "pthread_exit", "pthread_getattr_np",
	"pthread_atfork", "register_atfork", "exit", "quick_exit", "abort",
	"cxa_finalize", "libc_freeres",
	"dlopen", "dlclose", "dlsym", "dlvsym", "dlmopen", "dladdr", "dladdr1",
	"dlinfo", "dlerror", "dl_iterate_phdr", "dl_find_object", "libc_dlopen_mode",
	"setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setresuid",
	"setresgid", "setgroups", "initgroups", "nptl_setxid",
	NULL
};

/* Calls of the kernel, waits, and functions without a lock. */
static const char * const harmless[] = {
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select",
	"pselect", "nanosleep", "clock_nanosleep", "usleep", "sleep", "pause",
	"sigsuspend", "sigwait", "sigtimedwait", "sigwaitinfo", "read", "write",
	"pread64", "pwrite64", "pread", "pwrite", "readv", "writev", "recv", "recvfrom",
	"recvmsg", "send", "sendto", "sendmsg", "accept", "accept4", "connect", "wait",
	"wait3", "wait4", "waitpid", "waitid", "flock", "fsync", "fdatasync",
	"io_getevents", "syscall", "sched_yield", "ioctl", "semop", "semtimedop",
	"msgrcv", "msgsnd", "open", "open64", "openat", "openat64", "close", "fcntl",
	"fcntl64", "lockf", "lockf64", "sendfile", "sendfile64", "splice", "recvmmsg",
	"sendmmsg", "preadv", "pwritev", "preadv2", "pwritev2", "mq_receive",
	"mq_timedreceive", "msync", "thrd_sleep", "kill", "raise", "sigprocmask",
	"pthread_sigmask",
	"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
	"sem_wait", "sem_timedwait", "sem_clockwait", "new_sem_wait", "pthread_join",
	"pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_barrier_wait",
	"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock",
	"pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	"memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp",
	"strchr", "memchr", "clock_gettime", "gettimeofday", "time", "bsearch",
	/* stdio holds the lock of one file, which neither dlopen() nor the library uses */
	"getc", "IO_getc", "fgetc", "getchar", "fgets", "IO_fgets", "IO_getline",
	"IO_getline_info", "getline", "getdelim", "IO_getdelim", "fread", "IO_fread",
	"IO_sgetn", "IO_file_xsgetn", "uflow", "underflow", "IO_default_uflow",
	"IO_file_underflow", "IO_file_read", "fflush", "IO_fflush", "putc", "IO_putc",
	"fputc", "putchar", "puts", "IO_puts", "fputs", "IO_fputs", "fwrite",
	"IO_fwrite", "overflow", "IO_file_overflow", "IO_file_xsputn", "IO_do_write",
	"IO_file_write", "IO_file_sync", "getc_unlocked", "fgetc_unlocked",
	"getchar_unlocked", "fgets_unlocked", "fread_unlocked", "fflush_unlocked",
	"putc_unlocked", "fputc_unlocked", "putchar_unlocked", "fputs_unlocked",
	"fwrite_unlocked",
	NULL
};

/* Beginnings of names in allocators that are often part of a program. */
static const char * const allocators[] = {
	"je_", "rjem_", "tc_", "mi_", "scudo", "arena_", "tcache_", "extent_", "rtree_",
	"sn_", "rust_alloc", "rust_dealloc", "rust_realloc", "rdl_", "rg_", NULL
};

static const char *bare(const char *name)
{
	return name + strspn(name, "_");
}

static bool is_in(const char * const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, bare(name)))
			return true;
	return false;
}

bool mp_function_is_forbidden(const char *name)
{
	return is_in(forbidden, name);
}

bool mp_function_is_harmless(const char *name)
{
	return is_in(harmless, name);
}

bool mp_function_allocates(const char *name)
{
	const char * const *start;

	for (start = allocators; *start; start++)
		if (!strncmp(bare(name), *start, strlen(*start)))
			return true;
	return is_in(forbidden, name);
}
