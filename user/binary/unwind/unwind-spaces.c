// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind-spaces: gives libdwfl what it asks for
 *
 * libdwfl never gets a file. For each file it gets an image with the call frame
 * information, which was read in a child and checked (frame-image.h). Several
 * address spaces can use one image. If there are too many images, all are
 * freed, and those needed are read again. If one address space has too many,
 * the rest is left out.
 */
#include "unwind-spaces.h"
#include "clock.h"
#include "unwind-files.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>

struct mp_unwind_space {
	struct mp_unwind *unwind;
	struct mp_merge *merge;
	Dwfl *dwfl;
	uint32_t process;
	uint64_t version;
	uint64_t used;
	struct mp_unwind_walk *walk;		/* sample that is being unwound */
	bool attached;
};

#if defined(__x86_64__)
/* The index is DWARF's register number, the value is perf's. */
static const uint8_t perf_regs[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};
#else
static const uint8_t perf_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
#endif

#define NR_REGS	(sizeof(perf_regs) / sizeof(perf_regs[0]))

static pid_t next_thread(Dwfl *dwfl, void *arg, void **state)
{
	(void)dwfl;
	if (*state)
		return 0;
	*state = arg;
	return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word,
			void *arg)
{
	const struct mp_unwind_space *space = arg;

	(void)dwfl;
	return mp_unwind_read(space->walk, address, word);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct mp_unwind_space *space = arg;
	const struct mp_dump *dump = space->walk->dump;
	Dwarf_Word words[NR_REGS];
	size_t i;

	for (i = 0; i < NR_REGS; i++)
		words[i] = mp_unwind_register(dump, perf_regs[i]);
	dwfl_thread_state_register_pc(thread, mp_unwind_register(dump, MP_PERF_PC));
	return dwfl_thread_state_registers(thread, 0, NR_REGS, words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* Returns the file of a module. libdwfl counts references. */
static int find_elf(Dwfl_Module *module, void **data, const char *name,
		    Dwarf_Addr base, char **path, Elf **elf)
{
	const struct mp_unwind_file *file = *data;

	(void)module;
	(void)name;
	(void)base;
	(void)path;
	if (file && file->elf)
		*elf = elf_begin(-1, ELF_C_READ, file->elf);
	return -1;
}

/* There are no debug files: call frame information is in the files themselves. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name,
			Dwarf_Addr base, const char *path, const char *link,
			GElf_Word crc, char **found)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct mp_unwind_walk *walk = arg;
	bool activation;
	Dwarf_Addr pc;

	/* dwfl_frame_pc() reads what is needed to leave the frame */
	walk->has_ended = false;
	/* leave room for the end mark */
	if (!dwfl_frame_pc(frame, &pc, &activation) || !pc ||
	    walk->nr == MP_STACKS_DEPTH - 1)
		return DWARF_CB_ABORT;
	walk->frames[walk->nr++] = pc + activation;
	return DWARF_CB_OK;
}

/*
 * Returns whether the stack is whole. libdwfl takes a return address that cannot be read
 * for that of a thread's first function, so has_ended decides.
 */
bool mp_unwind_spaces_walk(struct mp_unwind *unwind, struct mp_unwind_space *space,
			   struct mp_unwind_walk *walk)
{
	bool whole = false;

	space->used = ++unwind->clock;
	space->walk = walk;
	walk->nr = 0;
	walk->has_ended = false;
	if (space->attached)
		whole = !dwfl_getthread_frames(space->dwfl, 1, add_frame, walk) &&
			!walk->has_ended;
	space->walk = NULL;
	return whole;
}

static void close_space(struct mp_unwind *unwind, size_t i)
{
	if (!unwind->spaces[i])
		return;
	if (unwind->spaces[i]->dwfl)
		dwfl_end(unwind->spaces[i]->dwfl);
	free(unwind->spaces[i]);
	unwind->spaces[i] = NULL;
}

void mp_unwind_spaces_close(struct mp_unwind *unwind)
{
	size_t i;

	for (i = 0; i < MP_UNWIND_SPACES; i++)
		close_space(unwind, i);
	mp_unwind_files_close(unwind);
}

/* Adds one module per file, at the address where its code is mapped. */
static void report_module(struct mp_unwind_space *space, const struct mp_range *range,
			  struct mp_unwind_file *file)
{
	uint64_t bias = range->start - range->offset -
			(file->image.code_address - file->image.code_offset);
	Dwfl_Module *module;
	void **data;

	module = dwfl_report_module(space->dwfl, "", bias + file->image.low,
				    bias + file->image.high);
	if (!module)
		return;
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = file;
}

/*
 * Adds the program, then the other files from the highest address downwards,
 * because the libraries that most programs use are mapped first. If there are
 * more files than one space may have, the rest is left out. If there is no room
 * for a file because other spaces have too many, the result is false; but if
 * @alone, there are no other spaces, and the file is left out.
 */
static bool report_all(struct mp_unwind_space *space, bool alone)
{
	const struct mp_space *mapped = mp_spaces_at(&space->merge->spaces,
						     space->process);
	struct mp_unwind_file *file, *before = NULL;
	const struct mp_range *range;
	size_t i, nr = 0, bytes = 0;

	dwfl_report_begin(space->dwfl);
	for (i = 0; mapped && i < mapped->nr && nr < MP_UNWIND_SPACE_FILES &&
	     bytes < MP_UNWIND_SPACE_BYTES; i++) {
		range = &mapped->list[i ? mapped->nr - i : 0];
		/* the engine has no data about files beyond its limit */
		if (range->file >= space->merge->nr_files)
			continue;
		file = mp_unwind_files_at(space->unwind, space->merge, space->process,
			       range->file);
		if (!file && !alone)
			return false;
		/* skip further parts of one mapping, which mprotect() can split */
		if (file && file->elf && file != before) {
			report_module(space, range, file);
			bytes += file->image.size;
			nr++;
		}
		before = file;
	}
	dwfl_report_end(space->dwfl, NULL, NULL);
	return true;
}

/* Returns NULL if other spaces and files have to be closed first. */
static struct mp_unwind_space *open_space(struct mp_unwind *unwind,
					  struct mp_merge *merge,
					  uint32_t process, bool alone)
{
	const struct mp_space *mapped = mp_spaces_at(&merge->spaces, process);
	struct mp_unwind_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->unwind = unwind;
	space->merge = merge;
	space->process = process;
	space->version = mapped ? mapped->version : 0;
	space->dwfl = dwfl_begin(&callbacks);
	if (!space->dwfl || !report_all(space, alone)) {
		if (space->dwfl)
			dwfl_end(space->dwfl);
		free(space);
		return NULL;
	}
	space->attached = dwfl_attach_state(space->dwfl, NULL, 1,
					    &thread_callbacks, space);
	return space;
}

/* Returns the index of a process's space, or of the least recently used space. */
static size_t find_space(const struct mp_unwind *unwind, uint32_t process)
{
	size_t i, oldest = 0;

	for (i = 0; i < MP_UNWIND_SPACES; i++) {
		if (!unwind->spaces[i])
			oldest = unwind->spaces[oldest] ? i : oldest;
		else if (unwind->spaces[i]->process == process)
			return i;
		else if (unwind->spaces[oldest] && unwind->spaces[i]->used <
			 unwind->spaces[oldest]->used)
			oldest = i;
	}
	return oldest;
}

static void renew_space(struct mp_unwind *unwind, struct mp_merge *merge,
			uint32_t process, size_t i)
{
	close_space(unwind, i);
	unwind->spaces[i] = open_space(unwind, merge, process, false);
	if (unwind->spaces[i])
		return;
	mp_unwind_spaces_close(unwind);
	unwind->spaces[i] = open_space(unwind, merge, process, true);
}

struct mp_unwind_space *mp_unwind_spaces_at(struct mp_unwind *unwind,
					    struct mp_merge *merge, uint32_t process)
{
	const struct mp_space *mapped = mp_spaces_at(&merge->spaces, process);
	size_t i = find_space(unwind, process);
	struct mp_unwind_space *space = unwind->spaces[i];
	uint64_t began_ns;

	if (space && space->process == process &&
	    space->version == (mapped ? mapped->version : 0))
		return space;
	if (!mp_unwind_may_read(unwind)) {
		unwind->nr_late++;
		return NULL;
	}
	began_ns = mp_clock_ns();
	renew_space(unwind, merge, process, i);
	mp_unwind_spend(unwind, began_ns);
	return unwind->spaces[i];
}

void mp_unwind_end(struct mp_unwind *unwind, uint32_t process)
{
	size_t i = find_space(unwind, process);

	if (unwind->spaces[i] && unwind->spaces[i]->process == process)
		close_space(unwind, i);
}
