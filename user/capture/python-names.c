// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-names: reads code objects and strings of Python in other processes
 *
 * Cost: 0.1 ms for a name that is new, or was read a second ago; else a look into a table.
 */
#include "python-names.h"
#include "clock.h"
#include "python-text.h"

#include <string.h>

/* Limits: bytes of a code object, of a table of lines, of a string, and names that are known. */
#define MAX_CODE	512
#define MAX_TABLE	(64U << 10)
#define MAX_STRING	1024
#define MAX_KNOWN	(1U << 17)
#define MAX_PER_SECOND	3000

/* A name is read again after a second, in ms: another function may be at its address */
#define PATIENCE	1000U
#define UNIT		1000000U

/* Room for the name of a function, in front of its file. */
#define NAME_ROOM	192

/* Bits of the state of a string, in all versions from 3.11 to 3.13. */
#define KIND(state)	((state) >> 2 & 7)
#define IS_COMPACT	0x20
#define IS_ASCII	0x40

/* A string's characters, or a part of them. */
struct string {
	char bytes[MAX_STRING];
	uint32_t width;
	uint64_t length;
};

/* A process whose memory is read. */
struct reader {
	struct mp_process_memory *memory;
	pid_t pid;
};

static bool read_bytes(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	return mp_process_read(reader->memory, reader->pid, address, to, size);
}

static bool read_word(const struct reader *reader, uint64_t address, uint64_t *word)
{
	return read_bytes(reader, address, word, sizeof(*word));
}

/* Reads the begin of a string or, with @at_end, its end. */
static bool read_string(const struct reader *reader, const struct mp_python_layout *is, uint64_t object,
			bool at_end, uint64_t room, struct string *to)
{
	uint64_t length, at, cut;
	uint32_t state;

	if (!read_word(reader, object + is->text.length, &length) ||
	    !read_bytes(reader, object + is->text.state, &state, sizeof(state)))
		return false;
	to->width = KIND(state);
	if (!(state & IS_COMPACT) || !length || length > UINT32_MAX ||
	    (to->width != 1 && to->width != 2 && to->width != 4))
		return false;
	if (room > sizeof(to->bytes) / to->width)
		room = sizeof(to->bytes) / to->width;
	cut = length > room ? length - room : 0;
	to->length = length - cut;
	at = object + (state & IS_ASCII ? is->text.ascii : is->text.other) +
	     (at_end ? cut * to->width : 0);
	return read_bytes(reader, at, to->bytes, to->length * to->width);
}

static uint64_t word_in(const char *object, uint32_t distance)
{
	uint64_t word;

	memcpy(&word, object + distance, sizeof(word));
	return word;
}

static uint32_t read_line(const struct reader *reader, const struct mp_python_layout *is, uint64_t lines,
			  uint64_t at, uint32_t first_line)
{
	static char table[MAX_TABLE];
	uint64_t size;

	if (!read_word(reader, lines + is->bytes.size, &size) || !size || size > sizeof(table) ||
	    !read_bytes(reader, lines + is->bytes.data, table, size))
		return first_line;
	return mp_python_line(table, size, at, first_line);
}

static bool read_name(const struct mp_python_process *process, const struct reader *reader,
		      const struct mp_python_place *place,
		      struct memprof_region_function *function)
{
	const struct mp_python_layout *is = &process->layout;
	const uint64_t begin = place->code + is->code.begin;
	struct string name, file;
	char code[MAX_CODE], *text = function->text;
	uint32_t first_line;
	size_t len = strlen("py::");

	if (is->code.size > sizeof(code) || !read_bytes(reader, place->code, code, is->code.size) ||
	    word_in(code, is->code.type) != process->code_type ||
	    word_in(code, is->code.name) == word_in(code, is->code.file) ||
	    !read_string(reader, is, word_in(code, is->code.name), false, NAME_ROOM, &name) ||
	    !read_string(reader, is, word_in(code, is->code.file), true,
			 sizeof(function->text) - NAME_ROOM - 16, &file))
		return false;
	memcpy(&first_line, code + is->code.first_line, sizeof(first_line));
	memcpy(text, "py::", len);
	len += mp_python_utf8(name.bytes, name.width, name.length, text + len, NAME_ROOM - 8);
	text[len++] = ':';
	len += mp_python_utf8(file.bytes, file.width, file.length, text + len,
			      sizeof(function->text) - len - 1);
	text[len] = '\0';
	function->line = read_line(reader, is, word_in(code, is->code.lines),
				   place->instr > begin ? place->instr - begin : 0,
				   first_line <= INT32_MAX ? first_line : 0);
	return true;
}

/* Whether a name was read for a sample shortly before; else notes that it is read for this. */
static bool is_known(struct mp_python_names *names, uint32_t pid, uint64_t time_ns,
		     uint64_t frame)
{
	/* the highest number means that it is new */
	const uint32_t time = (uint32_t)(time_ns / UNIT) & INT32_MAX;
	uint32_t *last;

	if (names->known.nr >= MAX_KNOWN)
		mp_map_free(&names->known);
	last = mp_map_add(&names->known, pid, frame);
	if (!last || (*last != MP_MAP_NEW && time - *last < PATIENCE))
		return last;
	*last = time;
	return false;
}

/* Limits the names that are read in a second: a hostile program can show any number. */
static bool may_read(struct mp_python_names *names)
{
	const uint64_t second = mp_clock_ns() / 1000000000ULL;

	if (names->second != second)
		names->nr_read = 0;
	names->second = second;
	return names->nr_read++ < MAX_PER_SECOND;
}

bool mp_python_names_get(void *context, uint32_t pid, uint64_t time_ns,
			 const struct mp_python_place *place,
			 struct memprof_region_function *function)
{
	struct mp_python_names *names = context;
	const struct mp_python_process *process;
	const uint64_t frame = mp_python_place_frame(place);
	struct reader reader = { .pid = (pid_t)pid };

	if (!names->processes || is_known(names, pid, time_ns, frame))
		return false;
	process = may_read(names) ? mp_python_processes_find(names->processes, (pid_t)pid) : NULL;
	reader.memory = &names->processes->memory;
	memset(function, 0, sizeof(*function));
	function->address = frame;
	if (process && read_name(process, &reader, place, function))
		return true;
	if (process)
		mp_python_processes_doubt(names->processes, (pid_t)pid);
	names->nr_lost++;
	return false;
}

void mp_python_names_free(struct mp_python_names *names)
{
	mp_map_free(&names->known);
}
