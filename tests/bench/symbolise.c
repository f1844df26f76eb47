// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbolises the offsets on its standard input, hexadecimal and of return
 * addresses, and says how long that took. With -p shows them as addr2line -fi
 * does. With -w looks for wrappers in the file instead.
 */
#include "symbolise.h"
#include "wrappers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static const char *text(const struct mp_symbols *symbols, uint32_t name)
{
	const char *known = mp_symbols_text(symbols, name);

	return known ? known : "??";
}

static void show(const struct mp_symbols *symbols, const struct mp_spot *spot)
{
	const struct mp_line *line = symbols->lines + spot->first;
	uint32_t i;

	printf("0x%llx\n", (unsigned long long)spot->offset - 1);
	for (i = 0; i < spot->nr; i++, line++)
		printf("%s\n%s:%u\n", text(symbols, line->function),
		       text(symbols, line->file), line->line);
}

static struct mp_spot *read_offsets(size_t *nr)
{
	struct mp_spot *spots = NULL;
	unsigned long long offset;

	for (*nr = 0; scanf("%llx", &offset) == 1; ++*nr) {
		if (!(*nr & (*nr - 1)))
			spots = realloc(spots, (*nr ? *nr * 2 : 1) *
					       sizeof(*spots));
		spots[*nr] = (struct mp_spot){ .offset = offset };
	}
	return spots;
}

static int find_wrappers(int fd, const char *path, const char *regex)
{
	struct mp_wrappers wrappers = { 0 };
	struct mp_binary binary = { 0 };
	char why[MP_WRAPPERS_WHY_SIZE];
	struct mp_wrapper_range *ranges;
	double begin = now();
	size_t nr;

	if ((*regex && !mp_wrappers_add(&wrappers, regex, why)) ||
	    !mp_wrappers_ranges_isolated(fd, path, &binary, &wrappers, &ranges,
				      &nr))
		return 1;
	printf("%.4f %zu\n", now() - begin, nr);
	return 0;
}

int main(int argc, char **argv)
{
	struct mp_binary binary = { 0 };
	struct mp_symbols symbols = { 0 };
	bool shows = argc > 2 && !strcmp(argv[1], "-p");
	const char *path = argv[argc - 1];
	size_t nr, i, nr_named = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mp_spot *spots;
	double begin;

	if (argc > 3 && !strcmp(argv[1], "-w"))
		return find_wrappers(fd, path, argv[2]);
	spots = read_offsets(&nr);
	begin = now();
	if (fd < 0 || !mp_symbolise(NULL, fd, path, &binary, spots, nr,
				    &symbols)) {
		fprintf(stderr, "symbolise: cannot read %s\n", path);
		return 1;
	}
	begin = now() - begin;
	for (i = 0; i < nr; i++) {
		nr_named += spots[i].nr != 0;
		if (shows)
			show(&symbols, &spots[i]);
	}
	if (!shows)
		printf("%.4f %zu %zu %zu\n", begin, nr, nr_named,
		       symbols.nr_lines);
	return 0;
}
