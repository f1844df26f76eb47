// SPDX-License-Identifier: GPL-2.0-only
/*
 * waits KIND: waits again and again, and says what is wrong with the waits
 *
 * Prints "ready", a line per 20 waits, and a line for each wait that ended too early,
 * with another result, or that changed errno. SIGTERM ends it, with "done". Each wait
 * is followed by an allocation. Vector registers have to keep their values meanwhile.
 */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS	150
#define ERRNO	77

static volatile sig_atomic_t ends;
static struct timespec span = { 0, WAIT_MS * 1000000 };
static sem_t never;
static int epoll;

static void end(int number)
{
	(void)number;
	ends = 1;
}

static int wait_nanosleep(void) { return nanosleep(&span, NULL); }
static int wait_poll(void) { return poll(NULL, 0, WAIT_MS); }
static int wait_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, WAIT_MS);
}

static int wait_select(void)
{
	struct timeval time = { 0, WAIT_MS * 1000 };

	return select(0, NULL, NULL, NULL, &time);
}

static int wait_clock(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += span.tv_nsec;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int wait_sem(void)
{
	struct timespec until;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += span.tv_nsec;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	result = sem_timedwait(&never, &until);
	if (result != -1 || errno != ETIMEDOUT)
		return 1;
	errno = ERRNO;
	return 0;
}

static int wait_read(void)
{
	struct itimerspec timer = { .it_value = span };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long count;
	ssize_t got;

	timerfd_settime(fd, 0, &timer, NULL);
	got = read(fd, &count, sizeof(count));
	close(fd);
	return got != sizeof(count);
}

static void wait_in_handler(int number)
{
	(void)number;
	poll(NULL, 0, span.tv_nsec / 1000000);
}

/* In the handler of a signal */
static int wait_handler(void)
{
	const struct sigaction action = { .sa_handler = wait_in_handler };

	sigaction(SIGUSR1, &action, NULL);
	return kill(getpid(), SIGUSR1);
}

static void stay_in_handler(int signal)
{
	while (!ends)
		wait_in_handler(signal);
}

/* The same on a stack of its own, which is too small for dlopen(), and until the end */
static int wait_altstack(void)
{
	static char room[8192];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	const struct sigaction action = {
		.sa_handler = stay_in_handler, .sa_flags = SA_ONSTACK,
	};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	return kill(getpid(), SIGUSR1);
}

/* The same in a function of stdio, which holds the lock of its file */
static int wait_stdio(void)
{
	struct itimerspec timer = { .it_value = span };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), got;
	FILE *file = fdopen(fd, "r");

	timerfd_settime(fd, 0, &timer, NULL);
	got = getc(file);
	fclose(file);
	return got == EOF;
}

/* Computes: no system call is made until the clock says so. */
static int wait_spin(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec -
		 begin.tv_nsec < span.tv_nsec);
	return 0;
}

static const struct {
	const char *name;
	int (*wait)(void);
} kinds[] = {
	{ "nanosleep", wait_nanosleep }, { "poll", wait_poll },
	{ "epoll", wait_epoll }, { "select", wait_select }, { "clock", wait_clock },
	{ "sem", wait_sem }, { "read", wait_read },
	{ "handler", wait_handler }, { "altstack", wait_altstack },
	{ "stdio", wait_stdio }, { "spin", wait_spin },
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void wait_once(int (*wait)(void))
{
	volatile double first = 1.25, second = 3.5;
	double begin = seconds(), took;
	/* so that the compiler keeps the calls */
	void *volatile block;
	int result;

	errno = ERRNO;
	result = wait();
	took = seconds() - begin;
	if (!ends && (result || took < WAIT_MS / 1e3 - 0.002 || errno != ERRNO ||
		      first * second != 4.375))
		printf("wrong: result %d after %.3f s, errno %d\n", result, took, errno);
	block = malloc(600000);
	free(block);
}

static int run(int (*wait)(void))
{
	unsigned int nr = 0;

	puts("ready");
	while (!ends) {
		wait_once(wait);
		if (++nr % 4 == 0)
			printf("%u\n", nr);
	}
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 4096);
	epoll = epoll_create1(0);
	sem_init(&never, 0, 0);
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			return run(kinds[i].wait);
	return 2;
}
