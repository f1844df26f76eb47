// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-code.c: reads code objects of Python and their strings.
 *
 * The thread that runs a function keeps its code object alive, so nothing is locked. No
 * function of the interpreter is called. What is read may still be wrong, in a process
 * that damaged its memory, or in a signal handler: each read and each loop is bounded.
 *
 * Cost: 30 ns for the digest of a code object whose strings have their hashes; some
 * microseconds for the text and the line of a new place.
 */
#include "python-code.h"

#include "host-memory.h"
#include "python-text.h"

#include <string.h>

/* Limits of what is read: bytes of a table of lines, characters of a string. */
#define MAX_TABLE	(1UL << 20)
#define MAX_TEXT	(1UL << 30)
/* Bytes at both ends of a string, for the digest of one without a hash. */
#define END_BYTES	64
/* Room for the name of a function, in front of its file. */
#define NAME_ROOM	192

/* Bits of the state of a string, in all versions from 3.11 to 3.13. */
#define KIND(state)	((state) >> 2 & 7)
#define IS_COMPACT	0x20
#define IS_ASCII	0x40

static uint32_t half_at(uintptr_t at)
{
	return *(const volatile uint32_t *)at;
}

static uintptr_t word_at(uintptr_t at)
{
	return *(const volatile uintptr_t *)at;
}

/**
 * mp_python_code_read() - read a code object
 * @code: its address
 * @instr: address of the instruction that runs
 * @to: out
 *
 * Return: false if it is no code object, or has no strings. The interpreter has a code
 * object of its own, which waits for an __init__(): its name is its file.
 */
bool mp_python_code_read(const struct mp_python *python, uintptr_t code, uintptr_t instr,
			 struct mp_python_code *to)
{
	const struct mp_python_layout *is = python->layout;

	if (code % sizeof(code) || !mp_host_is_readable(code, is->code.size) ||
	    word_at(code + is->code.type) != python->code_type)
		return false;
	to->name = word_at(code + is->code.name);
	to->file = word_at(code + is->code.file);
	to->lines = word_at(code + is->code.lines);
	to->first_line = half_at(code + is->code.first_line);
	/* before its first instruction, a frame of 3.11 points in front of the code */
	to->at = instr > code + is->code.begin ? instr - code - is->code.begin : 0;
	return to->name && to->file && to->name != to->file;
}

/* The characters of a string. @width: bytes of each. */
struct text {
	uintptr_t at;
	uint64_t length;
	uint64_t hash;
	uint32_t width;
};

static bool read_text(const struct mp_python *python, uintptr_t object, struct text *text)
{
	const struct mp_python_layout *is = python->layout;
	uint32_t state;

	if (object % sizeof(object) || !mp_host_is_readable(object, is->text.ascii))
		return false;
	state = half_at(object + is->text.state);
	text->length = word_at(object + is->text.length);
	text->hash = word_at(object + is->text.hash);
	text->width = KIND(state);
	text->at = object + (state & IS_ASCII ? is->text.ascii : is->text.other);
	return state & IS_COMPACT && text->length <= MAX_TEXT &&
	       (text->width == 1 || text->width == 2 || text->width == 4);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, uintptr_t at, size_t size)
{
	uint64_t word;

	if (!size || !mp_host_is_readable(at, size))
		return mix(hash, size);
	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, (const void *)at, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, (const void *)at, size);
	return mix(hash, word);
}

/* The hash that a string has if it was ever used as a key, else its two ends. */
static uint64_t mix_text(uint64_t hash, const struct text *text)
{
	const uint64_t size = text->length * text->width;

	hash = mix(hash, text->length);
	if (text->hash != UINT64_MAX)
		return mix(hash, text->hash);
	if (size <= 2 * END_BYTES)
		return mix_bytes(hash, text->at, size);
	hash = mix_bytes(hash, text->at, END_BYTES);
	return mix_bytes(hash, text->at + size - END_BYTES, END_BYTES);
}

/**
 * mp_python_code_digest() - a number for a place in a code object
 *
 * Another code object at the same address has another number, unless its strings, its
 * first line and the address of its table of lines are the same, too.
 *
 * Return: the number; 0 if the strings cannot be read.
 */
uint64_t mp_python_code_digest(const struct mp_python *python,
			       const struct mp_python_code *code)
{
	struct text name, file;
	uint64_t hash;

	if (!read_text(python, code->name, &name) || !read_text(python, code->file, &file))
		return 0;
	hash = mix(code->at << 32 | code->first_line, code->lines);
	hash = mix_text(mix_text(hash, &name), &file);
	return hash ? hash : 1;
}

/* Returns the line of a place; the first line of the function if it is not known. */
uint32_t mp_python_code_line(const struct mp_python *python,
			     const struct mp_python_code *code)
{
	const struct mp_python_layout *is = python->layout;
	uint32_t first_line = code->first_line <= INT32_MAX ? code->first_line : 0;
	uintptr_t size;

	if (!mp_host_word(code->lines + is->bytes.size, &size) || !size ||
	    size > MAX_TABLE || !mp_host_is_readable(code->lines + is->bytes.data, size))
		return first_line;
	return mp_python_line((const void *)(code->lines + is->bytes.data), size, code->at,
			      first_line);
}

static size_t put_text(const struct text *text, char *to, size_t room)
{
	return mp_python_utf8((const void *)text->at, text->width, text->length, to, room);
}

/* Reads only the part of a string that there is room for: the begin, or the end. */
static bool cut_text(struct text *text, bool at_end, size_t room)
{
	uint64_t cut = text->length > room ? text->length - room : 0;

	text->length -= cut;
	if (at_end)
		text->at += cut * text->width;
	return text->length && mp_host_is_readable(text->at, text->length * text->width);
}

/**
 * mp_python_code_text() - write "py::NAME:FILE", as python -X perf does
 * @to, @size: room for the text, of at least 2 * NAME_ROOM bytes
 *
 * Of a long name the begin is written, of a long path the end. Return: false if the
 * strings cannot be read.
 */
bool mp_python_code_text(const struct mp_python *python, const struct mp_python_code *code,
			 char *to, size_t size)
{
	struct text name, file;
	size_t len = strlen("py::");

	if (!read_text(python, code->name, &name) || !read_text(python, code->file, &file) ||
	    !cut_text(&name, false, NAME_ROOM) ||
	    !cut_text(&file, true, size - NAME_ROOM - 16))
		return false;
	memcpy(to, "py::", len);
	len += put_text(&name, to + len, NAME_ROOM - 8);
	to[len++] = ':';
	len += put_text(&file, to + len, size - len - 1);
	to[len] = 0;
	return true;
}
