// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures sections with known values. Each line of standard input is a command:
 *
 *	example		run the examples of the definition, and two sections that cross
 *	many N		complete N sections in one flush
 *	threads		run four threads with a section each
 *	heap		allocate, free, touch and map memory inside of a section
 *	user		continue as the user nobody
 *
 * Flushed sections are also written to standard output.
 */
#include <memprof/memprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void start(const char *id, uint64_t heap, uint64_t cu)
{
	if (memprof_section_start_cu(id, strlen(id), heap, cu))
		abort();
}

static void end(const char *id, uint64_t heap, uint64_t cu)
{
	if (memprof_section_end_cu(id, strlen(id), heap, cu))
		abort();
}

static void example(void)
{
	start("outer", 1000, 5000);
	start("inner", 1200, 4500);
	end("inner", 1400, 4000);
	end("outer", 1600, 3500);
	start("A", 0, 1000);
	start("B", 0, 900);
	end("A", 0, 700);
	start("in b", 0, 650);
	end("in b", 0, 600);
	end("B", 0, 500);
}

static void many(int nr)
{
	char id[32];
	int i;

	for (i = 1; i <= nr; i++) {
		snprintf(id, sizeof(id), "number %d", i);
		start(id, 0, 100000);
		end(id, 0, 100000 - i);
	}
}

static void *thread(void *arg)
{
	char id[32];

	snprintf(id, sizeof(id), "thread %d", (int)(intptr_t)arg);
	start(id, 0, 10);
	end(id, 0, 10 - (int)(intptr_t)arg);
	memprof_section_flush(STDOUT_FILENO);
	return NULL;
}

static void threads(void)
{
	pthread_t list[4];
	intptr_t i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&list[i], NULL, thread, (void *)(i + 1)) ||
		    pthread_join(list[i], NULL))
			abort();
}

#define PAGES 50

static void heap(void)
{
	void *blocks[10];
	char *pages;
	int i;

	start("work", 0, 2);
	for (i = 0; i < 10; i++)
		blocks[i] = malloc(1000);
	for (i = 0; i < 4; i++)
		free(blocks[i]);
	pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		pages[4096 * i] = 1;
	end("work", 0, 1);
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "example", 7))
			example();
		else if (!strncmp(line, "many", 4))
			many(atoi(line + 4));
		else if (!strncmp(line, "threads", 7))
			threads();
		else if (!strncmp(line, "heap", 4))
			heap();
		else if (!strncmp(line, "user", 4) &&
			 (setgid(65534) || setuid(65534)))
			return 1;
		if (memprof_section_flush(STDOUT_FILENO) < 0)
			return 1;
	}
	return 0;
}
