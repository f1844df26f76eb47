// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-map: reads the file from its end, each line once
 *
 * Where a runtime writes perf's jitdump instead, that file is read, see jitdump.c.
 * Everybody can write to /tmp, and a target process may have mounted anything
 * there. So the isolated child opens and reads the file, only a regular file of
 * the right user is opened, and only two numbers and a name are used from each
 * line. A later line replaces an earlier one, because code is generated again.
 * So the lines are read from the end: the first one that contains an address
 * names it, and a named address is skipped from then on. 5 MB take 30 ms for
 * 1000 addresses, for any line contents. Functions return -ENOMEM without
 * memory.
 */
#include "perf-map.h"
#include "array.h"
#include "interpreted.h"
#include "isolate.h"
#include "jitdump.h"
#include "process-file.h"
#include "regular-file.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit of bytes that are read, and of bytes of a name. */
#define MAX_BYTES	(256UL << 20)
#define MAX_NAME	1280

#define PATIENCE_MS	5000
#define SECONDS		4

/**
 * struct named - what the child sends for an address that has a name
 * @spot: index of the address
 * @len: bytes of the name, which follows
 * @distance: bytes from the start of the function
 *
 * Before these, the child sends a number of 32 bits: 0, or a negative errno.
 */
struct named {
	uint32_t spot;
	uint32_t len;
	uint64_t distance;
};

/*
 * @next: next[i] is i if address i has no name yet; else the index of a later
 *	address, from which the search for an address without a name continues
 */
struct reading {
	pid_t pid;
	const struct mp_spot *spots;
	size_t nr;
	uint32_t *next;
	FILE *to;
};

/* Reads the uid from status: /proc/PID belongs to root if the process is not dumpable. */
static uid_t user_of(pid_t pid)
{
	unsigned int user;
	char line[80];

	return mp_process_file_line(pid, "status", "Uid:", line, sizeof(line)) &&
	       sscanf(line, "Uid: %*u %u", &user) == 1 ? user : geteuid();
}

/*
 * A runtime maps a page of its jitdump, so that tools find it. @path: out: where the process
 * has it, of PATH_MAX bytes.
 */
static bool find_dump(pid_t pid, long own_pid, char *path)
{
	char line[PATH_MAX + 128], end[40], maps[32];
	FILE *file;
	size_t len = 0, end_len;
	const char *at = NULL;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	file = fopen(maps, "re");
	end_len = (size_t)snprintf(end, sizeof(end), "/jit-%ld.dump", own_pid);
	while (file && !at && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		at = strchr(line, '/');
		len = at ? strlen(at) : 0;
		if (len < end_len || strcmp(at + len - end_len, end))
			at = NULL;
	}
	if (file)
		fclose(file);
	return at && snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)pid, at) < PATH_MAX;
}

/* Opens what the process writes in the format of jitdump; of an ended one what is left. */
static int open_dump(pid_t pid, long own_pid, uid_t user)
{
	char path[PATH_MAX];
	int fd;

	if (find_dump(pid, own_pid, path))
		return mp_regular_open_of(path, user, false);
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)pid);
	fd = mp_regular_open_of(path, user, true);
	if (fd != -ENOENT)
		return fd;
	snprintf(path, sizeof(path), "jit-%d.dump", (int)pid);
	return mp_regular_open_of(path, user, false);
}

static int open_map(pid_t pid)
{
	uid_t user = user_of(pid);
	long own_pid = mp_process_own_pid(pid) ?: pid;
	char path[64];
	int fd, own;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%ld.map",
		 (int)pid, own_pid);
	/* refuse root's files here: the process's user may have mounted them */
	fd = mp_regular_open_of(path, user, false);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	own = mp_regular_open_of(path, user, true);
	if (own != -ENOENT)
		return own;
	own = open_dump(pid, own_pid, user);
	return own == -ENOENT ? fd : own;
}

/* Parses hexadecimal digits. Returns the text after them, or NULL. */
static const char *parse_number(const char *at, const char *end, uint64_t *number)
{
	const char *begin;
	char digits[17];

	if (end - at > 2 && at[0] == '0' && at[1] == 'x')
		at += 2;
	begin = at;
	while (at < end && at - begin < 17 &&
	       ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f') ||
		(*at >= 'A' && *at <= 'F')))
		at++;
	if (at == begin || at - begin > 16 || at == end || *at != ' ')
		return NULL;
	memcpy(digits, begin, at - begin);
	digits[at - begin] = '\0';
	*number = strtoull(digits, NULL, 16);
	return at + 1;
}

/* Parses "START SIZE NAME". A name can contain spaces. */
static bool parse_entry(const char *at, const char *end, struct mp_jitdump_entry *entry)
{
	at = parse_number(at, end, &entry->start);
	if (at)
		at = parse_number(at, end, &entry->size);
	if (!at || at == end || !entry->size ||
	    entry->size > UINT64_MAX - entry->start)
		return false;
	entry->name = at;
	entry->len = end - at;
	if (entry->len > MAX_NAME)
		entry->len = MAX_NAME;
	return true;
}

/*
 * Returns the index of the first address from @i on that has no name. Also
 * shortens the links that it follows, which makes later searches faster.
 */
static uint32_t next_unnamed(uint32_t *next, uint32_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/*
 * The addresses are return addresses: a call can be the last instruction of a
 * function, so the address after the function also belongs to it.
 */
static bool name_addresses(void *context, const struct mp_jitdump_entry *entry)
{
	struct reading *reading = context;
	struct named named = {
		.len = entry->len < MAX_NAME ? (uint32_t)entry->len : MAX_NAME,
	};
	size_t low = mp_array_above(reading->spots, reading->nr, offset,
				    entry->start);
	uint32_t i = next_unnamed(reading->next, (uint32_t)low);

	for (; i < reading->nr &&
	     reading->spots[i].offset - entry->start <= entry->size;
	     i = next_unnamed(reading->next, i)) {
		named.spot = i;
		named.distance = reading->spots[i].offset - entry->start;
		if (fwrite(&named, sizeof(named), 1, reading->to) != 1 ||
		    fwrite(entry->name, 1, named.len, reading->to) != named.len)
			return false;
		reading->next[i] = i + 1;
	}
	return true;
}

static bool read_lines(struct reading *reading, const char *data, size_t size)
{
	const char *end = data + size, *newline;
	struct mp_jitdump_entry entry;
	bool done = true;

	while (done && end > data) {
		newline = memrchr(data, '\n', end - data);
		if (parse_entry(newline ? newline + 1 : data, end, &entry))
			done = name_addresses(reading, &entry);
		end = newline ? newline : data;
	}
	return done;
}

/* The size of the file may change, so the buffer grows while reading. */
static char *read_file(int fd, size_t *size)
{
	char *data = NULL, *more;
	size_t room = 0;
	ssize_t got;

	*size = 0;
	do {
		if (*size == room) {
			room = room ? room * 2 : 1 << 16;
			more = realloc(data, room);
			if (!more)
				break;
			data = more;
		}
		got = read(fd, data + *size, room - *size);
		*size += got > 0 ? got : 0;
	} while (got > 0 && *size < MAX_BYTES);
	return data;
}

static bool send_names(void *context, FILE *to)
{
	struct reading *reading = context;
	int32_t err = open_map(reading->pid);
	int fd = err;
	char *data = NULL;
	size_t size = 0, i;

	reading->to = to;
	reading->next = calloc(reading->nr + 1, sizeof(*reading->next));
	for (i = 0; reading->next && i <= reading->nr; i++)
		reading->next[i] = (uint32_t)i;
	if (fd >= 0)
		data = read_file(fd, &size);
	if (fd >= 0)
		err = data && reading->next ? 0 : -ENOMEM;
	if (fwrite(&err, sizeof(err), 1, to) != 1)
		return false;
	return err || (mp_jitdump_is(data, size) ?
		       mp_jitdump_each(data, size, name_addresses, reading) :
		       read_lines(reading, data, size));
}

/* Python writes py::FUNCTION:FILE. Cuts the function's end, and returns the file or NULL. */
static const char *python_file(char *text)
{
	const char *file = mp_interpreted_file(text);

	if (file)
		text[file - 1 - text] = '\0';
	return file;
}

/* Cuts ":NUMBER" from the end of a text; returns 0 if there is none. */
static uint32_t cut_number(char *text)
{
	char *colon = strrchr(text, ':'), *end;
	unsigned long number;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return 0;
	number = strtoul(colon + 1, &end, 10);
	if (*end || number > UINT32_MAX)
		return 0;
	*colon = '\0';
	return (uint32_t)number;
}

/*
 * node writes JS:, a sign for how well the function is compiled, and
 * "FUNCTION FILE:LINE:COLUMN". Equal functions get equal names. Leaves "JS:FUNCTION",
 * and returns the file or NULL.
 */
static char *javascript_file(char *text, uint32_t *line)
{
	char *name = text + 3, *file;

	if (strncmp(text, MP_INTERPRETED_NODE, 3))
		return NULL;
	if (*name && strchr("~^*+", *name))
		memmove(name, name + 1, strlen(name));
	/* names such as "get size" contain a space, and so do paths */
	file = strstr(name, " /") ?: strstr(name, " node:") ?: strstr(name, " file:") ?:
	       strchr(name, ' ');
	if (!file)
		return NULL;
	*file++ = '\0';
	cut_number(file);
	*line = cut_number(file);
	return *file ? file : NULL;
}

/*
 * Java (jcmd PID Compiler.perfmap) writes "TYPE PACKAGE.CLASS.FUNCTION(TYPES)". Puts a mark
 * in the place of the function's type. @size: bytes of @text.
 */
static void mark_java(char *text, size_t size)
{
	const char *open = strchr(text, '('), *name, *dot;
	char marked[MP_SYMBOL_TEXT_SIZE];

	if (!open || open == text || text[strlen(text) - 1] != ')')
		return;
	name = memrchr(text, ' ', (size_t)(open - text));
	dot = memrchr(text, '.', (size_t)(open - text));
	if (!name || !dot || dot < name || name[1] == '.')
		return;
	snprintf(marked, sizeof(marked), MP_INTERPRETED_JAVA "%s", name + 1);
	snprintf(text, size, "%s", marked);
}

/* PHP writes "JIT$FUNCTION", and "JIT$$NAME" for code of its own, which stays. */
static void mark_php(char *text, size_t size)
{
	char marked[MP_SYMBOL_TEXT_SIZE];

	if (strncmp(text, "JIT$", 4) || !text[4] || text[4] == '$')
		return;
	snprintf(marked, sizeof(marked), MP_INTERPRETED_PHP "%.*s",
		 (int)(sizeof(marked) - sizeof(MP_INTERPRETED_PHP)), text + 4);
	snprintf(text, size, "%s", marked);
}

static int set_name(struct mp_spot *spot, struct mp_symbols *symbols,
		    uint64_t distance, const char *name, size_t len)
{
	char text[MP_SYMBOL_TEXT_SIZE];
	struct mp_line line = { .file = MP_NAMES_NONE, .distance = distance };
	const char *file;

	mp_text_escape(text, sizeof(text), name, len);
	file = python_file(text) ?: javascript_file(text, &line.line);
	if (!file && !mp_interpreted_names(text)) {
		mark_java(text, sizeof(text));
		mark_php(text, sizeof(text));
	}
	if (file) {
		line.file = mp_names_add(&symbols->names, file);
		if (line.file == MP_NAMES_NONE)
			return -ENOMEM;
	}
	line.function = mp_names_add(&symbols->names, text);
	if (line.function == MP_NAMES_NONE || mp_symbols_add(symbols, &line))
		return -ENOMEM;
	spot->first = (uint32_t)symbols->nr_lines - 1;
	spot->nr = 1;
	return 0;
}

/* Checks the child's answer, because the file may have taken over the child. */
static int take_names(const struct mp_isolate_answer *answer, struct mp_spot *spots,
		      size_t nr, struct mp_symbols *symbols)
{
	const char *at = answer->data, *end = at + answer->size;
	struct named named;
	int32_t err = -EIO;

	if (answer->size >= sizeof(err))
		memcpy(&err, at, sizeof(err));
	for (at += sizeof(err); !err && at < end; at += named.len) {
		if (end - at < (ssize_t)sizeof(named))
			return -EIO;
		memcpy(&named, at, sizeof(named));
		at += sizeof(named);
		if (named.len > end - at || named.spot >= nr ||
		    spots[named.spot].nr ||
		    named.distance > spots[named.spot].offset)
			return -EIO;
		err = set_name(&spots[named.spot], symbols, named.distance, at,
			       named.len);
	}
	return err <= 0 ? err : -EIO;
}

int mp_symbolise_jit(pid_t pid, struct mp_spot *spots, size_t nr,
		     struct mp_symbols *symbols)
{
	struct reading reading = { .pid = pid, .spots = spots, .nr = nr };
	const struct mp_isolate_stream stream = {
		.isolate = {
			.context = &reading, .fd = -1, .seconds = SECONDS,
			.patience_ms = PATIENCE_MS,
		},
		.send = send_names,
		.max = 64 + nr * (sizeof(struct named) + MAX_NAME),
	};
	struct mp_isolate_answer answer;
	char why[MP_ISOLATE_WHY_SIZE];
	size_t i;
	int err;

	mp_spots_sort(spots, nr);
	for (i = 0; i < nr; i++)
		spots[i].nr = 0;
	if (nr >= UINT32_MAX)
		return -E2BIG;
	if (!mp_isolate_stream(&stream, &answer, why))
		return -EIO;
	err = take_names(&answer, spots, nr, symbols);
	free(answer.data);
	return err;
}
