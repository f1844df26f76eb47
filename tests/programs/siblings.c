// SPDX-License-Identifier: GPL-2.0-only
/*
 * siblings: two children take turns on one CPU. The first one ends; then the second one frees
 * 100 blocks of 100,000 bytes.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR	100
#define TURNS	200

static int go[2], back[2];

static void say(int to)
{
	if (write(to, "", 1) != 1)
		_exit(1);
}

static void wait_for(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(1);
}

static void first(void)
{
	for (int i = 0; i < TURNS; i++) {
		say(go[1]);
		wait_for(back[0]);
	}
	_exit(0);
}

__attribute__((noinline)) static void second(void)
{
	char *blocks[NR];

	for (int i = 0; i < NR; i++)
		memset(blocks[i] = malloc(100000), 1, 100000);
	for (int i = 0; i < TURNS; i++) {
		wait_for(go[0]);
		say(back[1]);
	}
	usleep(200000);
	for (int i = 0; i < NR; i++)
		free(blocks[i]);
	_exit(0);
}

int main(void)
{
	cpu_set_t one;
	int status = 0, failed = 0;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(go) || pipe(back))
		return 1;
	if (!fork())
		first();
	if (!fork())
		second();
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
