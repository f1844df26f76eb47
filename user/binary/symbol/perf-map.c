// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-map: reads the lines once, with a binary search for each
 *
 * Everybody can write to /tmp. So only a regular file of the right user is
 * opened, and from each line only two numbers and a name are used. A later line
 * replaces an earlier one, because code is generated again. Without memory it
 * returns -ENOMEM.
 */
#include "perf-map.h"
#include "array.h"
#include "process-file.h"
#include "regular-file.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of bytes that are read. */
#define MAX_BYTES	(256UL << 20)

#define LINE_SIZE	1280

struct entry {
	uint64_t start;
	uint64_t size;
	const char *name;
};

static uid_t user_of(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) ? geteuid() : st.st_uid;
}

static int open_map(pid_t pid)
{
	uid_t user = user_of(pid);
	long own_pid = mp_process_own_pid(pid) ?: pid;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%ld.map",
		 (int)pid, own_pid);
	fd = mp_regular_open_of(path, user);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	return mp_regular_open_of(path, user);
}

/*
 * Parses "START SIZE NAME", hexadecimal without 0x. A name can contain spaces.
 */
static bool parse_entry(char *line, struct entry *entry)
{
	char *end;

	if (line[0] == ' ' || line[0] == '-')
		return false;
	entry->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	line = end + 1;
	entry->size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !entry->size ||
	    entry->size > UINT64_MAX - entry->start)
		return false;
	entry->name = end + 1;
	return *entry->name;
}

static int set_name(struct mp_spot *spot, struct mp_symbols *symbols,
		    const struct entry *entry)
{
	char text[MP_SYMBOL_TEXT_SIZE];
	struct mp_line line = {
		.file = MP_NAMES_NONE,
		.distance = spot->offset - entry->start,
	};

	mp_text_escape(text, sizeof(text), entry->name, strlen(entry->name));
	line.function = mp_names_add(&symbols->names, text);
	/* if the address has a line already, replace it */
	if (spot->nr) {
		symbols->lines[spot->first] = line;
		return 0;
	}
	if (line.function == MP_NAMES_NONE || mp_symbols_add(symbols, &line))
		return -ENOMEM;
	spot->first = (uint32_t)symbols->nr_lines - 1;
	spot->nr = 1;
	return 0;
}

/*
 * These are return addresses: a call can be the last instruction of a function.
 */
static int name_addresses(struct mp_spot *spots, size_t nr, struct mp_symbols *symbols,
			  const struct entry *entry)
{
	size_t low = mp_array_above(spots, nr, offset, entry->start);

	for (; low < nr && spots[low].offset - entry->start <= entry->size;
	     low++)
		if (set_name(&spots[low], symbols, entry))
			return -ENOMEM;
	return 0;
}

/* Reads a line. A line that is too long is cut. */
static bool read_line(FILE *file, char *line, size_t *left)
{
	size_t len;
	int c = 0;

	if (!*left || !fgets(line, LINE_SIZE, file))
		return false;
	len = strcspn(line, "\n");
	if (line[len] != '\n')
		while (*left && (c = getc_unlocked(file)) != EOF && c != '\n')
			--*left;
	line[len] = '\0';
	*left -= len < *left ? len : *left;
	return true;
}

int mp_symbolise_jit(pid_t pid, struct mp_spot *spots, size_t nr,
		     struct mp_symbols *symbols)
{
	int fd = open_map(pid), err = 0;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[LINE_SIZE];
	size_t left = MAX_BYTES, i;
	struct entry entry;

	mp_spots_sort(spots, nr);
	for (i = 0; i < nr; i++)
		spots[i].nr = 0;
	if (!file)
		return fd < 0 ? fd : -ENOMEM;
	while (!err && read_line(file, line, &left))
		if (parse_entry(line, &entry))
			err = name_addresses(spots, nr, symbols, &entry);
	fclose(file);
	return err;
}
