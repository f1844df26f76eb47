// SPDX-License-Identifier: GPL-2.0-only
/*
 * parts FILE: resident memory of every kind, in sizes that are known
 *
 * To be run with a limit of 9 MiB for stacks. Reads a line, takes the memory, says "ready", and ends with its input.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MIB	(1024UL * 1024)
#define SMALL	1008
#define NR	(64 * MIB / (SMALL + 16))

static char *touched[64], *untouched, *pin;
static char *freed[NR];
static volatile int ready;

static void *deep(void *unused)
{
	char stack[8 * MIB];

	memset(stack, 1, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
	ready = 1;
	for (;;)
		pause();
	return unused;
}

static void start_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, deep, NULL))
		exit(1);
	while (!ready)
		usleep(1000);
}

static void hold(void)
{
	size_t i;

	for (i = 0; i < NR; i++)
		freed[i] = memset(malloc(SMALL), 1, SMALL);
	/* what lies below it cannot go back */
	pin = malloc(SMALL);
	for (i = 0; i < NR; i++)
		free(freed[i]);
}

static void map(int fd, int prot, int flags)
{
	volatile char sum = 0;
	char *at = mmap(NULL, 16 * MIB, prot, flags, fd, 0);
	size_t i;

	if (at == MAP_FAILED)
		exit(1);
	if (prot & PROT_WRITE)
		memset(at, 1, 16 * MIB);
	for (i = 0; i < 16 * MIB; i += 4096)
		sum += at[i];
	close(fd);
}

int main(int argc, char **argv)
{
	char line[16];
	size_t i;
	int fd;

	if (argc < 2 || !fgets(line, sizeof(line), stdin))
		return 2;
	/* A huge page that covers what was not touched would be resident too. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		return 1;
	for (i = 0; i < 64; i++)
		touched[i] = memset(malloc(MIB), 1, MIB);
	untouched = malloc(64 * MIB);
	hold();
	start_thread();
	fd = memfd_create("parts", 0);
	if (ftruncate(fd, 16 * MIB))
		return 1;
	map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	map(open(argv[1], O_RDONLY), PROT_READ, MAP_PRIVATE);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
