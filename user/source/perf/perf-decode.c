// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-decode: turns records into events, by the roles of perf's events
 */
#include "perf-decode.h"
#include "frames.h"
#include "interpreted.h"
#include "lost-records.h"
#include "perf-role.h"
#include "perf-stack.h"
#include "sampler-library.h"

#include <errno.h>
#include <perf/event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

size_t mp_perf_decode_begin(struct mp_perf_decode *decode,
			    struct mp_perf_events *events,
			    struct mp_merge *merge)
{
	*decode = (struct mp_perf_decode){
		.events = events, .merge = merge, .minor_period = 1,
	};
	return mp_perf_decode_more(decode, events);
}

size_t mp_perf_decode_more(struct mp_perf_decode *decode,
			   struct mp_perf_events *events)
{
	size_t nr = 0;

	for (; decode->nr_known < events->nr; decode->nr_known++) {
		struct mp_perf_event *event = &events->list[decode->nr_known];

		mp_perf_role_set(event);
		nr += event->role != MP_ROLE_NONE && event->role < MP_ROLE_SECTION;
		decode->tells_caller |= event->role == MP_ROLE_ENTER &&
					event->fields[MP_ARG_RA].size;
		decode->has_alloc |= event->role == MP_ROLE_ENTER ||
				     event->role == MP_ROLE_ALLOC;
		decode->has_faults |= event->role == MP_ROLE_FAULT ||
				      event->role == MP_ROLE_PAGE_FAULT;
		decode->has_growth |= event->role == MP_ROLE_GROWTH ||
				      event->role == MP_ROLE_SYSRET;
		/* without these, a reservation cannot be told from what is used */
		decode->merge->syscalls.has_areas |= event->role == MP_ROLE_SYSRET &&
				event->func == MP_SYSCALL_MPROTECT;
	}
	return nr;
}

static uint64_t read_field(const struct mp_perf_event *event,
			   const struct mp_perf_sample *sample, int which)
{
	return mp_field_read(&event->fields[which], sample->raw,
			     sample->raw_size);
}

static uint64_t weigh(uint64_t space, uint64_t size)
{
	double objects = (double)space / (double)(size ? size : 1) *
			 (double)MP_HEAP_ONE;

	if (!size)
		return MP_HEAP_ONE;
	/* limit the value: a file may contain any number */
	return objects < 0x1p63 ? (uint64_t)objects : 1ULL << 63;
}

/* Keeps the sample from which the rate can be found best: the smallest block. */
static void note_rate(struct mp_perf_decode *decode, uint64_t size, uint64_t space)
{
	if (space <= size || !size ||
	    (decode->sampled_size && size >= decode->sampled_size))
		return;
	decode->sampled_size = size;
	decode->sampled_space = space;
}

/*
 * A block of n bytes counts for w = n / (1 - exp(-n / rate)) bytes, which is about
 * rate + n / 2 + n^2 / (12 rate). Weights are whole bytes, so the result may be wrong
 * by some bytes: it is rounded.
 */
uint64_t mp_perf_decode_rate(const struct mp_perf_decode *decode)
{
	const double size = (double)decode->sampled_size;
	const double space = (double)decode->sampled_space;
	uint64_t rate, step = 1;
	double exact;

	if (!decode->sampled_size)
		return 1;
	exact = space - size / 2 - size * size / (12 * space);
	/* a file may contain any numbers */
	rate = exact > 1 && exact < 0x1p62 ? (uint64_t)exact : 1;
	while (step < rate >> 14)
		step *= 2;
	return (rate + step / 2) / step * step;
}

static int add_block(struct mp_perf_decode *decode, struct mp_event *out,
		     const struct mp_perf_event *event,
		     const struct mp_perf_sample *sample)
{
	out->kind = MP_EVENT_ALLOC;
	out->func = MEMPROF_FUNC_MALLOC;
	out->alloc.ptr = read_field(event, sample, MP_FIELD_ADDR);
	out->alloc.size = read_field(event, sample, MP_FIELD_SIZE);
	out->alloc.space = read_field(event, sample, MP_FIELD_WEIGHT);
	out->alloc.objects = weigh(out->alloc.space, out->alloc.size);
	note_rate(decode, out->alloc.size, out->alloc.space);
	if (event->fields[MP_FIELD_FRAMES].size && event->fields[MP_FIELD_NR_FRAMES].size)
		out->stack = mp_perf_stack_told(decode, sample, &event->fields[MP_FIELD_FRAMES],
						read_field(event, sample, MP_FIELD_NR_FRAMES));
	else
		out->stack = mp_perf_stack_of(decode, sample,
				read_field(event, sample, MP_FIELD_CALLSITE), true);
	return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
}

/* Sets the stack of the code that touched or requested memory. Return: 1, or -ENOMEM. */
static int take_stack(struct mp_perf_decode *decode, struct mp_event *out,
		      const struct mp_perf_sample *sample, bool at_fault)
{
	out->stack = MP_EVENT_NO_STACK;
	if (!mp_perf_has_stack(sample))
		return 1;
	out->stack = mp_perf_own_stack(decode, sample, at_fault);
	return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
}

static int take_own(struct mp_perf_decode *decode, struct mp_event *out,
		    const struct mp_perf_sample *sample, bool at_fault)
{
	if (out->kind == MP_EVENT_FAULT)
		out->fault.own = true;
	else if (out->kind == MP_EVENT_GROW)
		out->grow.own = true;
	return take_stack(decode, out, sample, at_fault);
}

/* The same for a fault of which only the instruction is known. */
static int take_address(struct mp_perf_decode *decode, struct mp_event *out, uint64_t ip)
{
	out->fault.own = true;
	out->stack = mp_perf_stack_at(decode, ip);
	return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
}

/* Whether the module has charged a fault or growth to a callsite in its tables. */
static bool is_charged(const struct mp_perf_event *event,
		       const struct mp_perf_sample *sample)
{
	uint64_t callsite = read_field(event, sample, MP_FIELD_CALLSITE);

	/* other growth has the instruction that made the system call */
	return event->role == MP_ROLE_GROWTH ? callsite != mp_dump_ip(&sample->dump) : callsite;
}

/* If the module attributed the event to a callsite, the event also has a request size. */
static int join(struct mp_perf_decode *decode, struct mp_event *out,
		const struct mp_perf_event *event,
		const struct mp_perf_sample *sample)
{
	uint64_t callsite = read_field(event, sample, MP_FIELD_CALLSITE);

	if (!callsite || !read_field(event, sample, MP_FIELD_SIZE)) {
		/* an exec has no user stack yet when the kernel writes the arguments */
		if (out->kind == MP_EVENT_FAULT && !mp_perf_has_stack(sample) &&
		    event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return take_address(decode, out,
					    read_field(event, sample, MP_FIELD_IP));
		return take_own(decode, out, sample, out->kind == MP_EVENT_FAULT);
	}
	out->stack = mp_perf_stack_of(decode, sample, callsite, false);
	return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
}

static struct mp_perf_decode_thread *thread_of(struct mp_perf_decode *decode, uint32_t tid)
{
	return &decode->threads[tid % MP_DECODE_THREADS];
}

/* Gives the sample the functions of Python that its thread has told for it. */
static void add_python(struct mp_perf_decode *decode, const struct mp_perf_event *event,
		       struct mp_perf_sample *sample)
{
	struct mp_perf_decode_thread *thread = thread_of(decode, sample->tid);

	if (!thread->tid || thread->tid != sample->tid || event->role == MP_ROLE_FREE)
		return;
	if (thread->python.key == read_field(event, sample, MP_FIELD_ADDR))
		sample->python = &thread->python.stack;
	thread->tid = 0;
}

static int decode_module(struct mp_perf_decode *decode, struct mp_event *out,
			 const struct mp_perf_event *event,
			 struct mp_perf_sample *sample)
{
	const struct mp_field *kind;

	add_python(decode, event, sample);

	if (decode->others_only && is_charged(event, sample))
		return 0;
	out->cgroup = read_field(event, sample, MP_FIELD_CGROUP);
	switch (event->role) {
	case MP_ROLE_ALLOC:
		return add_block(decode, out, event, sample);
	case MP_ROLE_FREE:
		out->kind = MP_EVENT_DEALLOC;
		out->dealloc.ptr = read_field(event, sample, MP_FIELD_ADDR);
		return 1;
	case MP_ROLE_FAULT:
		kind = mp_format_field(&event->format, "kind");
		out->kind = MP_EVENT_FAULT;
		out->fault.addr = read_field(event, sample, MP_FIELD_ADDR);
		out->fault.weight = read_field(event, sample, MP_FIELD_WEIGHT);
		out->fault.major = mp_field_read(kind, sample->raw,
						 sample->raw_size);
		if (!out->fault.major && out->fault.weight)
			decode->minor_period = (uint32_t)out->fault.weight;
		return join(decode, out, event, sample);
	}
	kind = mp_format_field(&event->format, "op");
	out->kind = MP_EVENT_GROW;
	out->grow.delta = (int64_t)(read_field(event, sample, MP_FIELD_AFTER) -
				    read_field(event, sample, MP_FIELD_BEFORE));
	out->grow.brk = !mp_field_read(kind, sample->raw, sample->raw_size);
	/* older modules have no such field, and do not follow madvise() */
	out->grow.advised = read_field(event, sample, MP_FIELD_RELEASED);
	return join(decode, out, event, sample);
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

static int decode_enter(struct mp_perf_decode *decode, struct mp_event *out,
			const struct mp_perf_event *event,
			const struct mp_perf_sample *sample)
{
	const struct mp_field *count = mp_format_field(&event->format,
						       "count");
	uint64_t ra = read_field(event, sample, MP_ARG_RA);

	out->kind = MP_EVENT_ENTER;
	out->func = (uint16_t)event->func;
	out->enter.size = read_field(event, sample, MP_ARG_SIZE);
	if (count)
		out->enter.size = product(out->enter.size,
					  mp_field_read(count, sample->raw,
							sample->raw_size));
	out->enter.old = read_field(event, sample, MP_ARG_OLD);
	out->enter.sp = read_field(event, sample, MP_ARG_SP);
	out->enter.jumped = mp_address_is_trampoline(ra);
	/*
	 * another probed function jumped to this one: the caller is only in the
	 * record of that function's entry
	 */
	if (out->enter.jumped)
		ra = 0;
	out->stack = ra && mp_perf_has_stack(sample) ?
		     mp_perf_stack_of(decode, sample, ra, true) :
		     mp_merge_stack(decode->merge, &ra, ra != 0);
	return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
}

/* Reads an argument, which follow the system call's number, eight bytes each. */
static uint64_t read_argument(const struct mp_perf_sample *sample, size_t i)
{
	size_t offset = 16 + i * 8;
	uint64_t value;

	if (offset + sizeof(value) > sample->raw_size)
		return 0;
	memcpy(&value, (const char *)sample->raw + offset, sizeof(value));
	return value;
}

static void decode_syscall(struct mp_event *out,
			   const struct mp_perf_sample *sample)
{
	size_t i;

	out->kind = MP_EVENT_SYSCALL;
	for (i = 0; i < 3; i++)
		out->syscall.args[i] = read_argument(sample, i);
	out->syscall.flags = (uint32_t)read_argument(sample, i);
}

/* Return: 1 if there is an event, 0 if there is none, or -ENOMEM. */
static int decode_sample(struct mp_perf_decode *decode, struct mp_event *out,
			 const struct mp_perf_event *event,
			 struct mp_perf_sample *sample)
{
	switch (event->role) {
	case MP_ROLE_ENTER:
		return decode_enter(decode, out, event, sample);
	case MP_ROLE_LEAVE:
		out->kind = MP_EVENT_LEAVE;
		out->func = (uint16_t)event->func;
		out->leave.result = read_field(event, sample, MP_ARG_PTR);
		/* the sp at the entry: on x86-64 it pointed to the return address */
		out->leave.sp = read_field(event, sample, MP_ARG_SP);
		if (out->leave.sp)
			out->leave.sp -= sizeof(uint64_t);
		else
			out->leave.sp = read_field(event, sample, MP_ARG_ENTRY_SP);
		/* without a stack at the return, the stack of the entry is used */
		out->stack = MP_EVENT_NO_STACK;
		if (mp_perf_has_stack(sample) || !decode->tells_caller)
			out->stack = mp_perf_stack_of(decode, sample, 0, false);
		else
			return 1;
		return out->stack == MP_STACKS_NONE ? -ENOMEM : 1;
	case MP_ROLE_DEALLOC:
		out->kind = MP_EVENT_DEALLOC;
		out->dealloc.ptr = read_field(event, sample, MP_ARG_PTR);
		out->dealloc.sp = read_field(event, sample, MP_ARG_SP);
		out->dealloc.ra = read_field(event, sample, MP_ARG_RA);
		return event->fields[MP_ARG_PTR].size != 0;
	case MP_ROLE_PAGE_FAULT:
		out->kind = MP_EVENT_FAULT;
		out->fault.addr = sample->addr;
		out->fault.weight = sample->period ? sample->period :
					event->attr.sample_period;
		out->fault.major = event->func;
		if (!event->func)
			decode->minor_period = (uint32_t)out->fault.weight;
		return take_own(decode, out, sample, true);
	case MP_ROLE_SYSCALL:
		decode_syscall(out, sample);
		out->syscall.call = (uint16_t)event->func;
		return take_stack(decode, out, sample, false);
	case MP_ROLE_SYSRET:
		out->kind = MP_EVENT_SYSRET;
		out->sysret.call = (uint16_t)event->func;
		out->sysret.result = read_field(event, sample, MP_ARG_PTR);
		return 1;
	}
	return decode_module(decode, out, event, sample);
}

/*
 * The function becomes a file that is mapped at the frame which stands for its line; the
 * offset in it is the line, see interpreted.h.
 */
static int map_function(struct mp_perf_decode *decode, const struct mp_perf_sample *sample,
			struct memprof_region_function *function)
{
	static const struct mp_merge_file unknown;
	struct mp_event out = {
		.kind = MP_EVENT_MAP, .time_ns = sample->time_ns,
		.pid = sample->pid, .tid = sample->tid,
	};
	int err;

	function->text[sizeof(function->text) - 1] = '\0';
	if (!mp_interpreted_is(function->text) || function->address < 1)
		return 0;
	out.map.start = function->address - 1;
	out.map.size = 1;
	out.map.offset = function->line;
	err = mp_merge_file(decode->merge, function->text, &unknown, &out.map.file);
	/* a function that found no room is none of the process's files */
	return err || out.map.file == MP_NAMES_NONE ? err : mp_merge_add(decode->merge, &out);
}

/*
 * Takes the name of an interpreted function, from a copy of the sampler's struct
 * memprof_region_function.
 */
static int take_function(struct mp_perf_decode *decode, const struct mp_perf_event *event,
			 const struct mp_perf_sample *sample)
{
	const struct mp_field *field = mp_format_field(&event->format, "record");
	struct memprof_region_function function;

	if (!field || !sample->raw || field->size != sizeof(function) ||
	    field->offset > sample->raw_size ||
	    sample->raw_size - field->offset < field->size) {
		decode->nr_bad++;
		return 0;
	}
	memcpy(&function, (const char *)sample->raw + field->offset, sizeof(function));
	return map_function(decode, sample, &function);
}

/*
 * Keeps the functions of Python until the event of the same thread comes to which they
 * belong.
 */
static int take_python(struct mp_perf_decode *decode, const struct mp_perf_event *event,
		       const struct mp_perf_sample *sample)
{
	struct mp_perf_decode_thread *thread = thread_of(decode, sample->tid);
	struct memprof_region_function function;
	uint32_t i;
	int err = 0;

	thread->tid = 0;
	if (!sample->raw || !mp_python_event_parse(event, sample, &thread->python)) {
		decode->nr_bad++;
		return 0;
	}
	thread->tid = sample->tid;
	for (i = 0; !err && decode->name_of && i < thread->python.stack.nr; i++)
		if (decode->name_of(decode->names, sample->pid, sample->time_ns,
				    &thread->python.places[i], &function))
			err = map_function(decode, sample, &function);
	return err;
}

/* Takes a copy of the sampler's struct memprof_region_counter. */
static void take_counter(struct mp_perf_decode *decode, const struct mp_perf_event *event,
			 const struct mp_perf_sample *sample)
{
	const struct mp_field *field = mp_format_field(&event->format, "record");
	struct memprof_region_counter counter;

	if (!field || !sample->raw || field->size != sizeof(counter) ||
	    field->offset > sample->raw_size ||
	    sample->raw_size - field->offset < field->size) {
		decode->nr_bad++;
		return;
	}
	memcpy(&counter, (const char *)sample->raw + field->offset, sizeof(counter));
	mp_sampler_counts_add(&decode->counts, &counter);
}

static bool is_later(const struct mp_perf_decode *decode, const struct mp_perf_sample *sample)
{
	return decode->until_ns && sample->time_ns > decode->until_ns;
}

static int take_sample(struct mp_perf_decode *decode,
		       const struct perf_event_header *record)
{
	const struct mp_perf_event *event;
	struct mp_perf_sample sample;
	struct mp_event out = { 0 };
	int got;

	if (!mp_perf_sample_parse(decode->events, record, &sample)) {
		decode->nr_bad++;
		return 0;
	}
	event = &decode->events->list[sample.event];
	/* tallies leave out later sets as a whole */
	if (event->role == MP_ROLE_SUM)
		return decode->tallies ?
		       mp_tallies_sample(decode->tallies, event, &sample) : 0;
	if (is_later(decode, &sample))
		return 0;
	if (event->role == MP_ROLE_COUNTER) {
		take_counter(decode, event, &sample);
		return 0;
	}
	if (event->role == MP_ROLE_FUNCTION)
		return take_function(decode, event, &sample);
	if (event->role == MP_ROLE_PYTHON)
		return take_python(decode, event, &sample);
	/* only `memprofctl sections` uses section events */
	if (event->role == MP_ROLE_SECTION)
		return 0;
	if (event->role == MP_ROLE_NONE ||
	    (!sample.raw && event->attr.type == PERF_TYPE_TRACEPOINT)) {
		decode->nr_ignored++;
		return 0;
	}
	decode->nr_samples++;
	decode->nr_borrowed += sample.is_borrowed;
	if (!decode->first_ns || sample.time_ns < decode->first_ns)
		decode->first_ns = sample.time_ns;
	if (sample.time_ns > decode->last_ns)
		decode->last_ns = sample.time_ns;
	out.time_ns = sample.time_ns;
	out.pid = sample.pid;
	out.tid = sample.tid;
	out.cgroup = sample.cgroup;
	got = decode_sample(decode, &out, event, &sample);
	return got > 0 ? mp_merge_add(decode->merge, &out) : got;
}

/*
 * Returns the text at @offset of a record, or NULL if it has no NUL. @size:
 * bytes of the record before the fields with which all records end.
 */
static const char *text_of(const struct perf_event_header *record, size_t size,
			   size_t offset)
{
	const char *text = (const char *)record + offset;

	return offset < size && memchr(text, 0, size - offset) ? text : NULL;
}

/*
 * Whether a mapping is memory without a file: perf writes "//anon" or "[anon:name]", PHP
 * compiles into shared memory, and .NET into a memfd that it maps twice. Where they write the
 * names of this code, those are in /tmp/perf-PID.map.
 */
static bool is_without_file(const char *name)
{
	static const char * const begins[] = {
		"//", "[anon", "/dev/zero", "/memfd:doublemapper",
	};
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static int add_map(struct mp_perf_decode *decode, struct mp_event *out,
		   const struct perf_record_mmap *map, const char *name,
		   const struct mp_merge_file *file)
{
	const bool other = is_without_file(name);

	if ((name[0] != '/' && !other) || map->pid == UINT32_MAX ||
	    map->len > UINT64_MAX - map->start)
		return 0;
	out->kind = MP_EVENT_MAP;
	out->pid = map->pid;
	out->tid = map->tid;
	out->map.start = map->start;
	out->map.size = map->len;
	out->map.offset = map->pgoff;
	out->map.file = MP_NAMES_NONE;
	out->map.other = other;
	return other ? 1 :
	       mp_merge_file(decode->merge, name, file, &out->map.file) ?: 1;
}

/* Sets the address range of the recorded kernel's code. */
static void take_kernel(struct mp_perf_decode *decode,
			const struct perf_record_mmap *map, const char *name)
{
	if (map->pid != UINT32_MAX || strncmp(name, "[kernel.kallsyms]", 17))
		return;
	decode->kernel_start = map->start;
	decode->kernel_end = map->start + map->len;
}

/* Reports that a process maps addresses. Return: 0, or -ENOMEM. */
static int add_area(struct mp_perf_decode *decode, uint64_t time_ns,
		    const struct perf_record_mmap2 *map, const char *name)
{
	struct mp_event out = {
		.kind = MP_EVENT_AREA, .time_ns = time_ns,
		.pid = map->pid, .tid = map->tid,
		.area = { .start = map->start, .size = map->len },
	};

	if (!decode->merge->syscalls.has_areas || map->pid == UINT32_MAX ||
	    map->len > UINT64_MAX - map->start)
		return 0;
	out.area.access = map->prot & 7;	/* not PROT_NONE */
	out.area.segment = !strncmp(name, "/SYSV", 5);
	out.area.stack = !strcmp(name, "[stack]");
	out.area.sampler = mp_sampler_library_is(name);
	/* the records of perf-synth.c have no such flag, and code there has no time */
	out.area.by_kernel = map->header.misc & PERF_RECORD_MISC_MMAP_DATA ||
			     (map->prot & 4 && time_ns);
	return mp_merge_add(decode->merge, &out);
}

static int take_mmap2(struct mp_perf_decode *decode, struct mp_event *out,
		      const struct perf_event_header *record, const char *name)
{
	const struct perf_record_mmap2 *map = (const void *)record;
	struct mp_merge_file file = { 0 };
	bool by_kernel = record->misc & PERF_RECORD_MISC_MMAP_DATA;
	int err = add_area(decode, out->time_ns, map, name);

	if (err)
		return err;
	/* the program break before the recording, see perf-synth.c */
	if (!strcmp(name, "[heap]") && !by_kernel &&
	    map->len <= UINT64_MAX - map->start) {
		out->kind = MP_EVENT_BREAK;
		out->pid = map->pid;
		out->tid = map->tid;
		out->program_break.end = map->start + map->len;
		return 1;
	}
	if (!(map->prot & 4))		/* PROT_EXEC */
		return 0;
	if (!(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		file.inode = map->ino;
		file.dev = makedev(map->maj, map->min);
	} else if (map->build_id_size <= MP_BUILD_ID_SIZE) {
		file.build_id_size = map->build_id_size;
		memcpy(file.build_id, map->build_id, map->build_id_size);
	}
	return add_map(decode, out, (const void *)record, name, &file);
}

static int take_named(struct mp_perf_decode *decode, struct mp_event *out,
		      const struct perf_event_header *record, size_t size)
{
	static const struct mp_merge_file unknown;
	const struct perf_record_comm *comm = (const void *)record;
	const struct perf_record_cgroup *cgroup = (const void *)record;
	char text[MP_EVENT_COMM_SIZE] = "";
	const char *name;

	name = text_of(record, size, record->type == PERF_RECORD_MMAP2 ?
		       offsetof(struct perf_record_mmap2, filename) :
		       record->type == PERF_RECORD_MMAP ?
		       offsetof(struct perf_record_mmap, filename) :
		       offsetof(struct perf_record_comm, comm));
	if (!name) {
		decode->nr_bad++;
		return 0;
	}
	snprintf(text, sizeof(text), "%s", name);
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return take_mmap2(decode, out, record, name);
	case PERF_RECORD_MMAP:
		take_kernel(decode, (const void *)record, name);
		return add_map(decode, out, (const void *)record, name,
			       &unknown);
	case PERF_RECORD_COMM:
		out->kind = MP_EVENT_COMM;
		out->pid = comm->pid;
		out->tid = comm->tid;
		out->comm.exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
		memcpy(out->comm.name, text, sizeof(text));
		return 1;
	}
	return mp_merge_cgroup(decode->merge, cgroup->id, name);
}

static int take_task(struct mp_event *out,
		     const struct perf_event_header *record)
{
	const struct perf_record_fork *task = (const void *)record;

	out->kind = record->type == PERF_RECORD_FORK ? MP_EVENT_FORK :
						       MP_EVENT_EXIT;
	out->pid = task->pid;
	out->tid = task->tid;
	if (out->kind == MP_EVENT_FORK)
		out->fork.parent = task->ppid;
	return 1;
}

static int take_other(struct mp_perf_decode *decode,
		      const struct perf_event_header *record)
{
	struct mp_perf_sample sample;
	struct mp_event out = { 0 };
	int got = 0;
	size_t size;

	if (!mp_perf_trailer_parse(decode->events, record, &sample, &size)) {
		decode->nr_bad++;
		return 0;
	}
	if (is_later(decode, &sample))
		return 0;
	out.time_ns = sample.time_ns;
	decode->nr_lost += mp_lost_records(record);
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_CGROUP:
		got = take_named(decode, &out, record, size);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (size >= offsetof(struct perf_record_fork, time))
			got = take_task(&out, record);
		break;
	}
	return got > 0 ? mp_merge_add(decode->merge, &out) : got;
}

int mp_perf_decode_record(struct mp_perf_decode *decode,
			  const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		return take_sample(decode, record);
	if (record->type == MP_PERF_RECORD_FINISHED_ROUND)
		return mp_merge_round(decode->merge);
	if (record->type >= PERF_RECORD_MAX)
		return 0;
	return take_other(decode, record);
}
