// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind: follows the rules of frames (frame-rule.h), or uses libdwfl
 *
 * Rules need no more than the place of an address: its file and offset. They serve all
 * but a few stacks. If a frame has no rule, libdwfl unwinds the whole stack, with one
 * Dwfl per address space, which has to be made anew whenever a process maps a file.
 *
 * libdwfl never gets a file. For each file it gets an image with the call frame
 * information, which was read in a child and checked (frame-image.h). Several
 * address spaces can use one image. If there are too many images, all are
 * freed, and those needed are read again. If one address space has too many,
 * the rest is left out. A stack that cannot be unwound to its end is marked as
 * cut.
 */
#include "unwind.h"
#include "binary-file.h"
#include "clock.h"
#include "frame-image.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mp_unwind_file {
	struct mp_frame_image image;
	Elf *elf;			/* made from @image; NULL: the file cannot be read */
	uint32_t tried;			/* process used for the last attempt */
	uint32_t attempts;
	Dwarf_CFI *cfi;			/* must be freed before @elf */
};

/* The time for reading binaries that can be saved up. */
#define BUDGET_NS	2000000000LL

/* A sample that is being unwound. @has_ended: the copy of its stack, in the last frame */
struct walk {
	const struct mp_dump *dump;
	uint64_t sp;
	uint64_t *frames;
	uint32_t nr;
	bool has_ended;
};

struct mp_unwind_space {
	struct mp_unwind *unwind;
	struct mp_merge *merge;
	Dwfl *dwfl;
	uint32_t process;
	uint64_t version;
	uint64_t used;
	struct walk *walk;		/* sample that is being unwound */
	bool attached;
};

#if defined(__x86_64__)
/* The index is perf's register number, the value is DWARF's. */
static const uint8_t dwarf_regs[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};
#define PERF_FP		6
#define PERF_SP		7
#define PERF_PC		8
#define PERF_LR		8		/* there is none, and no rule has one */
#elif defined(__aarch64__)
static const uint8_t dwarf_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
#define PERF_FP		29
#define PERF_LR		30
#define PERF_SP		31
#define PERF_PC		32
#else
#error "which of perf's registers are which of DWARF's?"
#endif

#define NR_REGS	(sizeof(dwarf_regs) / sizeof(dwarf_regs[0]))

static uint64_t register_value(const struct mp_dump *dump, unsigned int number)
{
	uint64_t below = dump->mask & ((1ULL << number) - 1);

	return dump->mask & 1ULL << number ?
	       dump->regs[__builtin_popcountll(below)] : 0;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **state)
{
	(void)dwfl;
	if (*state)
		return 0;
	*state = arg;
	return 1;
}

/* Returns false if the copy of the stack does not reach so far. */
static bool read_stack(struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t at = address - walk->sp;

	walk->has_ended = address < walk->sp || walk->dump->size < sizeof(*word) ||
			  at > walk->dump->size - sizeof(*word);
	if (!walk->has_ended)
		memcpy(word, walk->dump->stack + at, sizeof(*word));
	return !walk->has_ended;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word,
			void *arg)
{
	const struct mp_unwind_space *space = arg;

	(void)dwfl;
	return read_stack(space->walk, address, word);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct mp_unwind_space *space = arg;
	const struct mp_dump *dump = space->walk->dump;
	Dwarf_Word words[NR_REGS];
	size_t i;

	for (i = 0; i < NR_REGS; i++)
		words[i] = register_value(dump, dwarf_regs[i]);
	dwfl_thread_state_register_pc(thread, register_value(dump, PERF_PC));
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

/* Counts a refused file once, even if it is tried several times. */
static void note_refused(struct mp_unwind *unwind, uint32_t number,
			 const char *path, const char *why)
{
	uint32_t *known = mp_map_add(&unwind->refused, number, 0);

	if (!known || *known != MP_MAP_NEW)
		return;
	*known = 0;
	if (unwind->nr_refused < MP_UNWIND_NAMED)
		snprintf(unwind->why[unwind->nr_refused], MP_UNWIND_WHY_SIZE,
			 "%.*s: %.*s: stacks are cut there", 150, path, 90, why);
	unwind->nr_refused++;
}

static void open_elf(struct mp_unwind *unwind, struct mp_unwind_file *file,
		     uint32_t number, const struct mp_binary *binary)
{
	char path[MP_BINARY_FILE_PATH], why[MP_FRAME_WHY_SIZE];
	int fd = mp_binary_file_open(binary, path, sizeof(path));

	if (fd < 0)
		return;
	mp_frame_image_read(fd, binary, &file->image, why);
	close(fd);
	if (*why)
		note_refused(unwind, number, binary->path, why);
	if (!file->image.data)
		return;
	elf_version(EV_CURRENT);
	file->elf = elf_memory(file->image.data, file->image.size);
	unwind->bytes += file->image.size;
}

void mp_unwind_limit(struct mp_unwind *unwind, unsigned int percent)
{
	unwind->budget = (struct mp_unwind_budget){
		.percent = percent, .left_ns = BUDGET_NS, .at_ns = mp_clock_ns(),
	};
}

bool mp_unwind_may_read(struct mp_unwind *unwind)
{
	struct mp_unwind_budget *budget = &unwind->budget;
	uint64_t now = mp_clock_ns();

	if (!budget->percent)
		return true;
	budget->left_ns += (int64_t)((now - budget->at_ns) * budget->percent / 100);
	if (budget->left_ns > BUDGET_NS)
		budget->left_ns = BUDGET_NS;
	budget->at_ns = now;
	return budget->left_ns > 0;
}

void mp_unwind_spend(struct mp_unwind *unwind, uint64_t since_ns)
{
	unwind->budget.left_ns -= (int64_t)(mp_clock_ns() - since_ns);
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

static void close_all(struct mp_unwind *unwind)
{
	size_t i;

	for (i = 0; i < MP_UNWIND_SPACES; i++)
		close_space(unwind, i);
	for (i = 0; i < unwind->nr_files; i++) {
		if (unwind->files[i].cfi)
			dwarf_cfi_end(unwind->files[i].cfi);
		if (unwind->files[i].elf)
			elf_end(unwind->files[i].elf);
		free(unwind->files[i].image.data);
	}
	unwind->nr_files = 0;
	unwind->bytes = 0;
	mp_map_free(&unwind->by_file);
	free(unwind->files);
	unwind->files = NULL;
}

void mp_unwind_free(struct mp_unwind *unwind)
{
	close_all(unwind);
	mp_map_free(&unwind->refused);
	mp_frame_rules_free(&unwind->rules);
	unwind->nr_refused = 0;
}

static bool reserve_files(struct mp_unwind *unwind)
{
	if (!unwind->files)
		unwind->files = calloc(MP_UNWIND_FILES,
				       sizeof(*unwind->files));
	return unwind->files;
}

static struct mp_unwind_file *file_of(struct mp_unwind *unwind,
				      const struct mp_merge *merge,
				      uint32_t process, uint32_t number)
{
	uint32_t *known = mp_map_add(&unwind->by_file, number, 0);
	bool is_new = known && *known == MP_MAP_NEW;
	struct mp_unwind_file *file;
	struct mp_binary binary;

	if (!known)
		return NULL;
	if (is_new && (unwind->nr_files == MP_UNWIND_FILES ||
		       unwind->bytes >= MP_UNWIND_BYTES)) {
		mp_map_remove(&unwind->by_file, number, 0);
		return NULL;
	}
	if (is_new)
		*known = (uint32_t)unwind->nr_files++;
	file = &unwind->files[*known];
	if (!is_new && file->elf)
		return file;
	mp_merge_binary(merge, number, process, &binary);
	if (is_new)
		*file = (struct mp_unwind_file){ 0 };
	/*
	 * the file could not be opened, perhaps because the process has exited:
	 * try again through another process that maps it
	 */
	if (is_new || (binary.pid != file->tried && file->attempts < MP_UNWIND_ATTEMPTS &&
		       !mp_map_find(&unwind->refused, number, 0))) {
		file->tried = binary.pid;
		file->attempts++;
		open_elf(unwind, file, number, &binary);
	}
	return file;
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
		file = file_of(space->unwind, space->merge, space->process,
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
	if (reserve_files(unwind))
		unwind->spaces[i] = open_space(unwind, merge, process, false);
	if (unwind->spaces[i])
		return;
	close_all(unwind);
	if (reserve_files(unwind))
		unwind->spaces[i] = open_space(unwind, merge, process, true);
}

/* Returns NULL without memory, or without time to read what the process has mapped. */
static struct mp_unwind_space *space_of(struct mp_unwind *unwind,
					struct mp_merge *merge,
					uint32_t process)
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

#if defined(__x86_64__)
/* Returns true if the frame's address is computed from the frame pointer. */
static bool is_by_frame_pointer(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return true;
	return ops[0].atom == DW_OP_breg6 ||
	       ((ops[0].atom == DW_OP_bregx || ops[0].atom == DW_OP_regx) &&
		ops[0].number == 6);
}
#else
/*
 * Returns true if the frame has a record of the frame pointer, x29. Its address is
 * computed from the stack pointer all the same.
 */
static bool is_by_frame_pointer(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	size_t nr;

	return dwarf_frame_register(frame, 29, memory, &ops, &nr) || nr;
}
#endif

/* Returns NULL without memory, or without time to read the file. */
static struct mp_unwind_file *file_in_time(struct mp_unwind *unwind,
					   const struct mp_merge *merge,
					   uint32_t process, uint32_t number)
{
	const uint32_t *known = mp_map_find(&unwind->by_file, number, 0);
	const uint64_t began_ns = mp_clock_ns();
	struct mp_unwind_file *file;

	if (!(known && unwind->files[*known].elf) && !mp_unwind_may_read(unwind))
		return NULL;
	if (!reserve_files(unwind))
		return NULL;
	file = file_of(unwind, merge, process, number);
	if (!file) {
		close_all(unwind);
		if (reserve_files(unwind))
			file = file_of(unwind, merge, process, number);
	}
	mp_unwind_spend(unwind, began_ns);
	return file;
}

/* Returns NULL if the file has no call frame information, or cannot be read in time. */
static Dwarf_CFI *cfi_at(struct mp_unwind *unwind, const struct mp_merge *merge,
			 uint32_t process, uint32_t number, uint64_t offset,
			 Dwarf_Addr *address)
{
	struct mp_unwind_file *file = file_in_time(unwind, merge, process, number);

	if (!file || !file->elf)
		return NULL;
	if (!file->cfi)
		file->cfi = dwarf_getcfi_elf(file->elf);
	*address = offset - file->image.code_offset + file->image.code_address;
	return file->cfi;
}

bool mp_unwind_keeps_frame(struct mp_unwind *unwind,
			   const struct mp_merge *merge, uint32_t process,
			   uint32_t number, uint64_t offset)
{
	Dwarf_Addr address;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi = cfi_at(unwind, merge, process, number, offset - 1, &address);
	bool keeps = true;

	if (cfi && !dwarf_cfi_addrframe(cfi, address, &frame)) {
		keeps = is_by_frame_pointer(frame);
		free(frame);
	}
	return keeps;
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct walk *walk = arg;
	bool activation;
	Dwarf_Addr pc;

	/* leave room for the end mark */
	if (!dwfl_frame_pc(frame, &pc, &activation) || !pc ||
	    walk->nr == MP_STACKS_DEPTH - 1)
		return DWARF_CB_ABORT;
	walk->frames[walk->nr++] = pc + activation;
	return DWARF_CB_OK;
}

/* A file without call frame information is not kept: perhaps it can be read later. */
static struct mp_frame_rule rule_at(struct mp_unwind *unwind, const struct mp_merge *merge,
				    uint32_t process, uint64_t pc)
{
	const struct mp_range *range = mp_spaces_find(&merge->spaces, process, pc);
	struct mp_frame_rule rule = { .kind = MP_FRAME_OTHER };
	const struct mp_frame_rule *known;
	Dwarf_Addr address;
	Dwarf_CFI *cfi;
	uint64_t offset;

	if (!range || range->file >= merge->nr_files)
		return rule;
	offset = pc - range->start + range->offset;
	known = mp_frame_rules_find(&unwind->rules, range->file, offset);
	if (known)
		return *known;
	cfi = cfi_at(unwind, merge, process, range->file, offset, &address);
	if (cfi) {
		rule = mp_frame_rule_make(cfi, address);
		mp_frame_rules_add(&unwind->rules, range->file, offset, &rule);
	}
	return rule;
}

/* Registers of the frame that is left next. */
struct frame {
	uint64_t pc, sp, fp;
	bool is_first;
};

/* Returns false if the copy of the stack does not reach the caller. */
static bool leave_frame(struct walk *walk, const struct mp_frame_rule *rule,
			struct frame *frame)
{
	const uint64_t cfa = (rule->by_fp ? frame->fp : frame->sp) + (int64_t)rule->cfa;

	if (rule->has_return && !read_stack(walk, cfa + (int64_t)rule->ret, &frame->pc))
		return false;
	if (!rule->has_return)
		frame->pc = register_value(walk->dump, PERF_LR);
	if (rule->has_fp && !read_stack(walk, cfa + (int64_t)rule->fp, &frame->fp))
		return false;
	frame->sp = cfa;
	frame->is_first = false;
	return true;
}

/* How a walk ended. */
enum walk_end { WALK_OTHER, WALK_WHOLE, WALK_CUT };

/* Returns WALK_OTHER if libdwfl has to do it. */
static enum walk_end walk_by_rules(struct mp_unwind *unwind, const struct mp_merge *merge,
				   uint32_t process, struct walk *walk)
{
	struct frame frame = {
		.pc = register_value(walk->dump, PERF_PC), .sp = walk->sp,
		.fp = register_value(walk->dump, PERF_FP), .is_first = true,
	};
	struct mp_frame_rule rule;

	for (;;) {
		walk->frames[walk->nr++] = frame.pc + frame.is_first;
		rule = rule_at(unwind, merge, process, frame.pc - !frame.is_first);
		if (rule.kind == MP_FRAME_LAST)
			return WALK_WHOLE;
		/* only the innermost function may still have it in the register */
		if (rule.kind == MP_FRAME_OTHER || (!rule.has_return && !frame.is_first))
			return WALK_OTHER;
		if (!leave_frame(walk, &rule, &frame))
			return WALK_CUT;
		if (!frame.pc)
			return WALK_WHOLE;
		/* leave room for the end mark */
		if (walk->nr == MP_STACKS_DEPTH - 1)
			return WALK_CUT;
	}
}

/*
 * Returns whether the stack is whole. To libdwfl, a return address that cannot be read
 * is that of a thread's first function. It is the last word that is read of a frame.
 */
static bool walk_by_libdwfl(struct mp_unwind *unwind, struct mp_unwind_space *space,
			    struct walk *walk)
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

uint32_t mp_unwind_dump(struct mp_unwind *unwind, struct mp_merge *merge,
			uint32_t process, const struct mp_dump *dump,
			uint64_t *frames)
{
	struct walk walk = {
		.dump = dump, .sp = register_value(dump, PERF_SP), .frames = frames,
	};
	enum walk_end end = walk_by_rules(unwind, merge, process, &walk);
	struct mp_unwind_space *space;

	if (end == WALK_OTHER) {
		space = space_of(unwind, merge, process);
		if (!space) {
			frames[0] = register_value(dump, PERF_PC) + 1;
			frames[1] = MP_STACKS_CUT;
			return 2;
		}
		end = walk_by_libdwfl(unwind, space, &walk) ? WALK_WHOLE : WALK_CUT;
	}
	unwind->nr_unwound++;
	unwind->nr_cut += end == WALK_CUT;
	frames[walk.nr] = end == WALK_WHOLE ? MP_STACKS_BEGIN : MP_STACKS_CUT;
	return walk.nr + 1;
}
