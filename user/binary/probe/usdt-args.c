// SPDX-License-Identifier: GPL-2.0-only
/*
 * usdt-args: parses the arguments of a static probe
 *
 * An argument is SIZE@OPERAND, where the operand is what the compiler wrote into the
 * assembler code: the syntax is the machine's. The compiler may choose operands that
 * the kernel module cannot read, such as the sum of two registers; they are refused.
 */
#include "usdt-args.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* perf's numbers are the indexes of these names. */
static const char * const x86_registers[] = {
	"%rax", "%rbx", "%rcx", "%rdx", "%rsi", "%rdi", "%rbp", "%rsp",
	NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15", NULL,
};

static const char * const arm64_registers[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20",
	"x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
	"sp", NULL,
};

/*
 * Returns the length of the register name at @text, or 0. "%r1" does not match
 * "%r10".
 */
static size_t read_register(const char * const *names, size_t nr, const char *text,
			    uint32_t *reg)
{
	size_t i, len;

	for (i = 0; i < nr; i++) {
		len = names[i] ? strlen(names[i]) : 0;
		if (!len || strncmp(text, names[i], len) ||
		    isalnum((unsigned char)text[len]))
			continue;
		*reg = (uint32_t)i;
		return len;
	}
	return 0;
}

#define READ_REGISTER(names, text, reg) \
	read_register(names, sizeof(names) / sizeof((names)[0]), text, reg)

static bool read_integer(const char **text, __s64 *value)
{
	char *end;

	errno = 0;
	*value = strtoll(*text, &end, 0);
	if (errno || end == *text)
		return false;
	*text = end;
	return true;
}

/*
 * Parses $number, %register, number(%register) or (%register). Returns what follows,
 * or NULL.
 */
static const char *read_x86(const char *text, struct memprof_probe_arg *arg,
			    bool wide)
{
	size_t len;

	if (*text == '$') {
		text++;
		arg->kind = 0;
		return read_integer(&text, &arg->value) ? text : NULL;
	}
	/* the upper bytes of a narrower register or of memory are undefined */
	if (!wide)
		return NULL;
	if (*text == '%') {
		arg->kind = 1;
		len = READ_REGISTER(x86_registers, text, &arg->reg);
		return len ? text + len : NULL;
	}
	arg->kind = 2;
	if (*text != '(' && !read_integer(&text, &arg->value))
		return NULL;
	if (*text++ != '(')
		return NULL;
	len = READ_REGISTER(x86_registers, text, &arg->reg);
	return len && text[len] == ')' ? text + len + 1 : NULL;
}

/* Parses number, register, [register] or [register, number]; a number may have a #. */
static const char *read_arm64(const char *text, struct memprof_probe_arg *arg,
			      bool wide)
{
	size_t len;

	if (*text == '#' || *text == '-' || isdigit((unsigned char)*text)) {
		text += *text == '#';
		arg->kind = 0;
		return read_integer(&text, &arg->value) ? text : NULL;
	}
	if (!wide)
		return NULL;
	arg->kind = *text == '[' ? 2 : 1;
	text += *text == '[';
	len = READ_REGISTER(arm64_registers, text, &arg->reg);
	if (!len)
		return NULL;
	text += len;
	if (arg->kind == 1)
		return text;
	if (*text == ',') {
		text++;
		text += strspn(text, " ");
		text += *text == '#';
		if (!read_integer(&text, &arg->value))
			return NULL;
	}
	return *text == ']' ? text + 1 : NULL;
}

int mp_usdt_parse_args(uint16_t machine, const char *text,
		       struct memprof_probe_arg args[MP_POINT_MAX_ARGS])
{
	bool wide;
	__s64 size;
	int nr;

	memset(args, 0, MP_POINT_MAX_ARGS * sizeof(args[0]));
	for (nr = 0; *text; nr++) {
		if (nr == MP_POINT_MAX_ARGS || !read_integer(&text, &size) || *text++ != '@')
			return -1;
		wide = size == 8 || size == -8;
		text = machine == EM_X86_64 ? read_x86(text, &args[nr], wide) :
		       machine == EM_AARCH64 ? read_arm64(text, &args[nr], wide) :
		       NULL;
		if (!text || (*text && *text != ' '))
			return -1;
		text += strspn(text, " ");
	}
	return nr;
}
