// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: forged right|wrong SEED ROUNDS
 *
 * Looks like a Python interpreter: it has the symbols and the structures that the sampler
 * reads. VERSION is 0x030b (3.11) or 0x030d (3.13), or one that the sampler does not know.
 * With "right", all is as in an interpreter that runs the function "right" of the file
 * "/forged.py". With "wrong", words of the structures are replaced at random before each
 * allocation. All structures end at a page that cannot be read.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef VERSION
#define VERSION 0x030b
#endif
#define PAGE	4096
#define EXPORT	__attribute__((visibility("default")))

enum { INTERPRETER, STATE, CONTROL, OUTER, INNER, CODE, NAME, FILE_NAME, LINES, NR };

EXPORT uint64_t Py_Version = (uint64_t)VERSION << 16 | 0xf0;
EXPORT uint64_t PyCode_Type[8];
/* For 3.13 it begins with "xdebugpy" and the distances of Debian's package. */
EXPORT uint64_t _PyRuntime[PAGE / 8] = {
#if VERSION == 0x030d
	0x7970677562656478, VERSION << 16 | 0xf0, 0, 283376, 608, 632, 194976, 7272, 8, 16,
	7400, 7656, 7640, 7648, 16, 7752, 0, 7768, 7760, 304, 0, 8, 16, 72, 152, 160, 232,
	32, 80, 8, 0, 56, 72, 70, 208, 112, 120, 128, 136, 68, 52, 96, 104, 200, 16, 8,
	416, 24, 88, 168, 32, 24, 16, 40, 24, 16, 48, 32, 40, 24, 16, 32, 16, 24, 40, 16,
	32, 64, 32, 16, 40,
#endif
};

static char *parts[NR];
static uint64_t state;

static uint64_t next_random(void)
{
	state += 0x9e3779b97f4a7c15ULL;
	uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ULL;

	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void put(char *part, size_t at, uintptr_t word)
{
	memcpy(part + at, &word, sizeof(word));
}

static void put_text(char *part, const char *text)
{
	const size_t begin = VERSION == 0x030b ? 48 : 40;

	put(part, 16, strlen(text));
	put(part, 24, UINT64_MAX);
	put(part, 32, 1 << 2 | 0x20 | 0x40);
	strcpy(part + begin, text);
}

static void write_code(int is_old)
{
	put(parts[CODE], 8, (uintptr_t)PyCode_Type);
	put(parts[CODE], is_old ? 72 : 68, 7);
	put(parts[CODE], 112, (uintptr_t)parts[FILE_NAME]);
	put(parts[CODE], 128, (uintptr_t)parts[NAME]);
	put(parts[CODE], 136, (uintptr_t)parts[LINES]);
	put_text(parts[NAME], "right");
	put_text(parts[FILE_NAME], "/forged.py");
	/* one entry for 8 words of code, two lines after the first */
	put(parts[LINES], 16, 2);
	parts[LINES][32] = (char)(0x80 | 13 << 3 | 7);
	parts[LINES][33] = 2 << 1;
}

static void write_old(void *control)
{
	_PyRuntime[40 / 8] = (uintptr_t)parts[INTERPRETER];
	put(parts[INTERPRETER], 16, (uintptr_t)parts[STATE]);
	put(parts[STATE], 56, (uintptr_t)control);
	put(control, 8, (uintptr_t)parts[INNER]);
	put(control, 16, 0);
	put(parts[INNER], 32, (uintptr_t)parts[CODE]);
	put(parts[INNER], 56, (uintptr_t)parts[CODE] + 184);
	parts[INNER][68] = 1;
}

static void write_new(void *end)
{
	_PyRuntime[632 / 8] = (uintptr_t)parts[INTERPRETER];
	put(parts[INTERPRETER], 16, (uintptr_t)parts[STATE]);
	put(parts[STATE], 72, (uintptr_t)parts[INNER]);
	put(parts[INNER], 0, (uintptr_t)parts[CODE]);
	put(parts[INNER], 8, (uintptr_t)end);
	put(parts[INNER], 56, (uintptr_t)parts[CODE] + 200);
	((char *)end)[70] = 3;
}

static void make_parts(void)
{
	int i;

	for (i = 0; i < NR; i++) {
		char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(pages + PAGE, PAGE, PROT_NONE);
		parts[i] = pages + PAGE - 512;
	}
}

static void write_all(char *local)
{
	int i;

	for (i = 0; i < NR; i++)
		memset(parts[i], 0, 512);
	memset(_PyRuntime + 128, 0, sizeof(_PyRuntime) - 1024);
	memset(local, 0, 128);
	write_code(VERSION == 0x030b);
	if (VERSION == 0x030b)
		write_old(local);
	else
		write_new(local);
	put(parts[STATE], 152, (uintptr_t)pthread_self());
}

/* A value that may do harm: an address of a part, near its end, of nothing; a number. */
static uintptr_t harm(char *local)
{
	char *part = parts[next_random() % NR];

	switch (next_random() % 8) {
	case 0: return 0;
	case 1: return next_random();
	case 2: return next_random() >> next_random() % 64;
	case 3: return (uintptr_t)part + 512 - next_random() % 64;
	case 4: return (uintptr_t)part + 512 + next_random() % PAGE;
	case 5: return (uintptr_t)local + next_random() % 256;
	case 6: return (uintptr_t)part + next_random() % 512 / 8 * 8;
	default: return (uintptr_t)part;
	}
}

static void change(char *local)
{
	unsigned int nr = 1 + next_random() % 3;

	while (nr--) {
		size_t at = next_random() % 64 * 8, which = next_random() % (NR + 2);

		if (which == NR)
			put((char *)_PyRuntime, 1024 + at, harm(local));
		else if (which == NR + 1)
			put(local, at % 128, harm(local));
		else
			put(parts[which], at, harm(local));
	}
}

static __attribute__((noinline)) void *_PyEval_EvalFrameDefault(size_t size, int wrong)
{
	char local[128] __attribute__((aligned(16)));
	void *p;

	write_all(local);
	if (wrong)
		change(local);
	p = malloc(size);
	__asm__ volatile("" : : "r" (local) : "memory");
	/* the function has ended: what main() allocates is not its */
	memset(parts[STATE], 0, 512);
	return p;
}

int main(int argc, char **argv)
{
	const int wrong = argc > 1 && !strcmp(argv[1], "wrong");
	unsigned long i, rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	void *p;

	state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	make_parts();
	for (i = 0; i < rounds; i++) {
		p = _PyEval_EvalFrameDefault(100, wrong);
		if (wrong)
			free(p);
	}
	puts("done");
	return 0;
}
