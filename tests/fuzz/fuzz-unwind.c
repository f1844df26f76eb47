// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-unwind: any bytes as the call frame information of a file, and a stack
 *
 * The child's answer has them, with sound numbers around: fuzz-answer has others.
 * What is accepted goes to libdw, which must then survive it.
 */
#include "frame-tables-read.h"
#include "isolated.h"
#include "unwind.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CODE	0x400000
#define SPAN	0x10000
#define MAX_PART	4096
#define PID	7

/* As perf numbers the registers bp, sp and ip. */
#define MASK	(7 << 6)

static struct {
	struct mp_frame_tables tables;
	uint8_t parts[MP_FRAME_PARTS * MAX_PART];
} answer;

static struct mp_merge merge;
static uint32_t process, number;

/* One process, which has mapped one file. */
static void map_file(void)
{
	struct mp_event map = {
		.kind = MP_EVENT_MAP, .pid = PID, .tid = PID,
		.map = { .start = CODE, .size = SPAN },
	};
	const struct mp_who who = { .pid = PID };
	struct mp_merge_file file = { 0 };
	struct stat st;

	if (stat("/bin/true", &st))
		abort();
	file.inode = st.st_ino;
	file.dev = st.st_dev;
	mp_merge_init(&merge, NULL);
	if (mp_merge_file(&merge, "/bin/true", &file, &number))
		abort();
	map.map.file = number;
	if (mp_merge_add(&merge, &map) || mp_merge_flush(&merge) ||
	    mp_heap_process(&merge.heap, &who, &process))
		abort();
}

static size_t take_part(struct input *input, enum mp_frame_part part, size_t at)
{
	size_t size = input_number(input, 2) % MAX_PART;

	size = size < input->size ? size : input->size;
	memcpy(answer.parts + at, input->data, size);
	input->data += size;
	input->size -= size;
	answer.tables.address[part] = 0x1000 * (part + 1);
	answer.tables.size[part] = size;
	return at + size;
}

/* Returns the bytes of the parts. */
static size_t take_tables(struct input *input)
{
	enum mp_frame_part part;
	size_t at = 0;

	answer.tables = (struct mp_frame_tables){
		.is_usable = true, .machine = EM_X86_64, .type = ET_DYN,
		.nr_segments = 1, .segments = { {
			.file_size = SPAN, .memory_size = SPAN, .align = 4096,
			.flags = PF_R | PF_X,
		} },
	};
	for (part = 0; part < MP_FRAME_PARTS; part++)
		at = take_part(input, part, at);
	return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint64_t at = input_number(&input, 2), regs[3], frames[MP_STACKS_DEPTH];
	struct input sent = { .data = (const uint8_t *)&answer };
	struct mp_dump dump = { .mask = MASK, .regs = regs };
	struct mp_unwind unwind = { 0 };
	uint8_t *stack;

	if (!merge.nr_files)
		map_file();
	regs[0] = input_number(&input, 1);
	regs[1] = 0;
	regs[2] = CODE + at;
	sent.size = sizeof(answer.tables) + take_tables(&input);
	isolated_answer(&sent);
	stack = input_copy(&input);
	dump.stack = stack;
	dump.size = input.size;
	mp_unwind_dump(&unwind, &merge, process, &dump, frames);
	mp_unwind_keeps_frame(&unwind, &merge, process, number, at);
	mp_unwind_free(&unwind);
	free(stack);
	return 0;
}
