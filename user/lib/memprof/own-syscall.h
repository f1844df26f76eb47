/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own-syscall.h: makes system calls for code that runs inside the host's
 * malloc.
 *
 * The code does not call the C library's functions, for three reasons. First,
 * open(), read(), write() and close() are cancellation points: a thread could
 * exit there and never release the host's locks. Second, the host may define
 * functions with these names, which may take locks that the host holds around
 * malloc. Third, errno belongs to the host. So all functions here return -errno
 * and do not set errno.
 *
 * These functions of the C library are still called: memory and string
 * functions, which cannot block even if the host replaces them; clock_gettime()
 * of the coarse clock, which is in the vdso; getauxval() and _dl_find_object(),
 * which read data of the loader. All other functions are called only in the
 * constructor and in memprof_resolve_symbols(). None of these functions is a
 * cancellation point.
 */
#ifndef MEMPROF_OWN_SYSCALL_H
#define MEMPROF_OWN_SYSCALL_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
static inline long mp_own_syscall(long nr, long a, long b, long c, long d, long e,
				  long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a" (result)
			 : "a" (nr), "D" (a), "S" (b), "d" (c), "r" (r10),
			 "r" (r8), "r" (r9)
			 : "rcx", "r11", "memory");
	return result;
}
#else
#include <errno.h>

static inline long mp_own_syscall(long nr, long a, long b, long c, long d, long e,
				  long f)
{
	int saved = errno;
	long result = syscall(nr, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}
#endif

static inline int mp_own_open(const char *path, int flags, mode_t mode)
{
	return mp_own_syscall(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC,
			      mode, 0, 0);
}

static inline int mp_own_fstat(int fd, struct stat *st)
{
	return mp_own_syscall(SYS_fstat, fd, (long)st, 0, 0, 0, 0);
}

/*
 * Closes @fd, unless it is another file than the one that @st describes: the
 * host may have closed the descriptor and reused its number. If fstat() fails,
 * or failed before (@st is NULL), the files cannot be compared. Then the
 * descriptor is closed, because it must not stay open in the host.
 */
static inline void mp_own_close(int fd, const struct stat *st)
{
	struct stat now;

	if (!st || mp_own_fstat(fd, &now) ||
	    (now.st_dev == st->st_dev && now.st_ino == st->st_ino))
		mp_own_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline ssize_t mp_own_read(int fd, void *to, size_t size)
{
	return mp_own_syscall(SYS_read, fd, (long)to, size, 0, 0, 0);
}

static inline ssize_t mp_own_pread(int fd, void *to, size_t size, off_t at)
{
	return mp_own_syscall(SYS_pread64, fd, (long)to, size, at, 0, 0);
}

static inline int mp_own_ioctl(int fd, unsigned long command, void *arg)
{
	return mp_own_syscall(SYS_ioctl, fd, (long)command, (long)arg, 0, 0, 0);
}

static inline ssize_t mp_own_pwritev(int fd, const struct iovec *list, int nr,
				     off_t at)
{
	return mp_own_syscall(SYS_pwritev, fd, (long)list, nr, at, 0, 0);
}

static inline int mp_own_ftruncate(int fd, off_t size)
{
	return mp_own_syscall(SYS_ftruncate, fd, size, 0, 0, 0, 0);
}

static inline int mp_own_unlink(const char *path)
{
	return mp_own_syscall(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

static inline int mp_own_access(const char *path, int mode)
{
	return mp_own_syscall(SYS_faccessat, AT_FDCWD, (long)path, mode, 0, 0, 0);
}

static inline ssize_t mp_own_readlink(const char *path, char *to, size_t size)
{
	return mp_own_syscall(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, size,
			      0, 0);
}

/*
 * Gets the path of the working directory. Returns false if it has no path: an
 * unreachable directory has a name without a leading slash.
 */
static inline bool mp_own_getcwd(char *to, size_t size)
{
	return mp_own_syscall(SYS_getcwd, (long)to, size, 0, 0, 0, 0) > 0 &&
	       *to == '/';
}

static inline int mp_own_uname(struct utsname *to)
{
	return mp_own_syscall(SYS_uname, (long)to, 0, 0, 0, 0, 0);
}

static inline pid_t mp_own_getpid(void)
{
	return mp_own_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int mp_own_getrlimit(int resource, struct rlimit *to)
{
	return mp_own_syscall(SYS_prlimit64, 0, resource, 0, (long)to, 0, 0);
}

static inline int mp_own_clock(clockid_t clock, struct timespec *to)
{
	return mp_own_syscall(SYS_clock_gettime, clock, (long)to, 0, 0, 0, 0);
}

static inline int mp_own_prctl(int option, void *arg)
{
	return mp_own_syscall(SYS_prctl, option, (long)arg, 0, 0, 0, 0);
}

/*
 * Maps writable memory. An error is not MAP_FAILED but -errno; see mp_own_failed().
 */
static inline void *mp_own_mmap(void *at, size_t size, int flags, int fd)
{
	return (void *)mp_own_syscall(SYS_mmap, (long)at, size,
				      PROT_READ | PROT_WRITE, flags, fd, 0);
}

static inline bool mp_own_failed(const void *mapped)
{
	return (uintptr_t)mapped > -4096UL;
}

static inline int mp_own_munmap(void *p, size_t size)
{
	return mp_own_syscall(SYS_munmap, (long)p, size, 0, 0, 0, 0);
}

static inline int mp_own_madvise(void *p, size_t size, int advice)
{
	return mp_own_syscall(SYS_madvise, (long)p, size, advice, 0, 0, 0);
}

#endif
