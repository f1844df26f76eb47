// SPDX-License-Identifier: GPL-2.0-only
/* Maps two areas of memory, writes to the first, and lets the kernel fill the second. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE	(16UL << 20)
#define PAGE	4096UL

static __attribute__((noinline)) char *map(void)
{
	/* mmap() of glibc 2.41 ends the chain of frame pointers */
	char *at = (char *)syscall(SYS_mmap, NULL, SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	madvise(at, SIZE, MADV_NOHUGEPAGE);
	return at;
}

static __attribute__((noinline)) void touch(char *at)
{
	volatile char *page;

	for (page = at; page < at + SIZE; page += PAGE)
		*page = 1;		/* @touch */
}

static __attribute__((noinline)) long fill(char *at)
{
	int zero = open("/dev/zero", O_RDONLY);
	long done = 0;

	while (done < (long)SIZE)
		done += read(zero, at + done, SIZE - (unsigned long)done);
	close(zero);
	return done;
}

int main(void)
{
	char *mine = map(), *filled = map();

	touch(mine);
	return fill(filled) != SIZE;
}
