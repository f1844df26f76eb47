// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm: threads that allocate, call setuid(), make threads and load a library, with
 * two thousand signals per second; SIGTERM ends it, with "done"
 *
 * A library that holds locks in the wrong order makes it hang: the line of counts that
 * it prints each 0.2 s stops.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define LIBRARY	"libz.so.1"

static volatile sig_atomic_t ends;
static unsigned long counts[5];
enum { SIGNALS, ALLOCATIONS, USERS, THREADS, LIBRARIES };

static void count(int what)
{
	__atomic_add_fetch(&counts[what], 1, __ATOMIC_RELAXED);
}

static unsigned long get(int what)
{
	return __atomic_load_n(&counts[what], __ATOMIC_RELAXED);
}

static void end(int number)
{
	(void)number;
	ends = 1;
}

static void take_alarm(int number)
{
	(void)number;
	count(SIGNALS);
}

static void *allocate(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;
	char *blocks[64];
	size_t i;

	while (!ends) {
		for (i = 0; i < 64; i++) {
			blocks[i] = malloc(1 + (size_t)rand_r(&seed) % 5000);
			*blocks[i] = 1;
		}
		for (i = 0; i < 64; i++)
			free(blocks[i]);
		count(ALLOCATIONS);
	}
	return NULL;
}

static void *change_user(void *arg)
{
	while (!ends) {
		if (setuid(getuid()))
			abort();
		count(USERS);
		usleep(50);
	}
	return arg;
}

static void *allocate_once(void *arg)
{
	void *volatile block = malloc(1000);

	free(block);
	return arg;
}

static void *make_threads(void *arg)
{
	pthread_t threads[2];
	int i;

	while (!ends) {
		for (i = 0; i < 2; i++)
			if (pthread_create(&threads[i], NULL, allocate_once, NULL))
				abort();
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		count(THREADS);
	}
	return arg;
}

static void *load_library(void *arg)
{
	const char *(*version)(void);
	void *library;

	while (!ends) {
		library = dlopen(LIBRARY, RTLD_NOW);
		version = library ? (const char *(*)(void))dlsym(library, "zlibVersion") :
			  NULL;
		if (!version || version()[0] != '1')
			abort();
		dlclose(library);
		count(LIBRARIES);
	}
	return arg;
}

int main(void)
{
	void *(*jobs[])(void *) = { allocate, allocate, allocate, change_user,
				    make_threads, load_library };
	struct itimerval each = { { 0, 500 }, { 0, 500 } };
	struct sigaction on_alarm = { .sa_handler = take_alarm, .sa_flags = SA_RESTART };
	struct sigaction on_end = { .sa_handler = end };
	pthread_t threads[6];
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 4096);
	sigaction(SIGALRM, &on_alarm, NULL);
	sigaction(SIGTERM, &on_end, NULL);
	for (i = 0; i < 6; i++)
		if (pthread_create(&threads[i], NULL, jobs[i], (void *)(i + 1)))
			return 1;
	setitimer(ITIMER_REAL, &each, NULL);
	puts("ready");
	while (!ends) {
		usleep(200000);
		printf("%lu %lu %lu %lu %lu\n", get(SIGNALS), get(ALLOCATIONS), get(USERS),
		       get(THREADS), get(LIBRARIES));
	}
	for (i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
