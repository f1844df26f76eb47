// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames: allocates in functions whose frames have many shapes. The program itself
 * never unwinds, so a damaged .eh_frame does not change it. Prints "done" at the end.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20

static void *volatile kept;

static void allocate(void)
{
	free(kept);
	kept = malloc(100);
}

__attribute__((noinline)) static void plain(int depth)
{
	allocate();
	if (depth)
		plain(depth - 1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void with_alloca(int depth)
{
	char *volatile p = alloca(16 + 8 * depth);

	memset(p, 0, 16);
	allocate();
	if (depth)
		with_alloca(depth - 1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void realigned(int depth)
{
	_Alignas(64) char big[640];

	memset(big, depth, sizeof(big));
	__asm__ volatile("" : : "r" (big) : "memory");
	allocate();
	if (depth)
		realigned(depth - 1);
	__asm__ volatile("");
}

static int compare(const void *a, const void *b)
{
	allocate();
	return *(const int *)a - *(const int *)b;
}

static void by_a_library(void)
{
	int list[] = { 3, 1, 2 };

	qsort(list, 3, sizeof(list[0]), compare);
}

static void on_signal(int number)
{
	(void)number;
	plain(2);
}

static void on_its_own_stack(void)
{
	static char stack[1 << 16];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void *run(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		plain(i % 8);
		with_alloca(i % 8);
		realigned(i % 8);
		by_a_library();
		on_its_own_stack();
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	run(NULL);
	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_join(thread, NULL);
	return write(1, "done\n", 5) != 5;
}
