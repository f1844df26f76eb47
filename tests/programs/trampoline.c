// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does what `python -X perf` does: each function runs through a copy of a piece of code
 * that has no unwind information, and /tmp/perf-PID.map names the copy. outer() calls
 * inner(), which allocates 50 blocks of a million bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 32

typedef void *evaluator(void *thread, void *frame, int flag);
typedef void *trampoline(void *thread, void *frame, int flag, evaluator *evaluate);

static const unsigned char code[] = {
	0xf3, 0x0f, 0x1e, 0xfa,		/* endbr64 */
	0x48, 0x83, 0xec, 0x08,		/* sub $8, %rsp */
	0xff, 0xd1,			/* call *%rcx */
	0x48, 0x83, 0xc4, 0x08,		/* add $8, %rsp */
	0xc3,				/* ret */
};

static char *copies;
static void *volatile last;

static void *evaluate(void *thread, void *frame, int left)
{
	(void)thread;
	(void)frame;
	if (left)
		return ((trampoline *)copies)(NULL, NULL, left - 1, evaluate);
	last = malloc(1000000);
	return last;
}

int main(void)
{
	char path[64];
	FILE *map;
	int i;

	copies = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copies == MAP_FAILED)
		return 1;
	for (i = 0; i < 2; i++)
		memcpy(copies + i * SIZE, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %x py::Cache.inner:/srv/web/cache.py\n",
		(unsigned long)copies, SIZE);
	fprintf(map, "%lx %x py::outer:/srv/web/main.py\n",
		(unsigned long)(copies + SIZE), SIZE);
	fclose(map);
	for (i = 0; i < 50; i++)
		((trampoline *)(copies + SIZE))(NULL, NULL, 1, evaluate);
	return 0;
}
