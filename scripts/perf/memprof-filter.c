// SPDX-License-Identifier: GPL-2.0-only
/*
 * memprof-filter: a filter of memprof's events for perf script --dlfilter
 *
 * perf passes an event's name and its raw record, but not the offsets of the
 * fields. So the structures below repeat the layouts of kmod/trace.h, and a
 * test compares them with the kernel's formats. Samples of other events are
 * dropped before perf looks up symbols for them. A record that is too short is
 * dropped and counted.
 */
#include <perf/perf_dlfilter.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set by perf before it calls start(). */
struct perf_dlfilter_fns perf_dlfilter_fns;

struct block {
	uint64_t common;
	uint64_t ptr, size, weight, callsite, cgroup;
	uint32_t session, pid;
};

struct fault {
	uint64_t common;
	uint64_t addr, ip, cgroup;
	uint32_t weight, kind, session, pid;
	uint64_t callsite, size;
};

struct growth {
	uint64_t common;
	uint64_t addr, before, after, callsite, cgroup;
	uint32_t op, session, pid;
	uint64_t size;
};

enum op { ALLOC, FREE, FAULT, GROWTH, NR_OPS };

static const struct {
	const char *name;
	size_t size;
	size_t pid_at;
} ops[NR_OPS] = {
	[ALLOC] = { "alloc", sizeof(struct block), offsetof(struct block, pid) },
	[FREE] = { "free", sizeof(struct block), offsetof(struct block, pid) },
	[FAULT] = { "fault", sizeof(struct fault), offsetof(struct fault, pid) },
	[GROWTH] = { "growth", sizeof(struct growth),
		     offsetof(struct growth, pid) },
};

/**
 * struct filter - conditions that events must match
 * @min_size: least size in bytes; 0: any
 * @pid: process id; 0: any
 * @ops: bit mask of operations; 0: any
 * @nr_short: number of records that were too short
 */
struct filter {
	uint64_t min_size;
	uint64_t pid;
	unsigned int ops;
	uint64_t nr_short;
};

static int op_of(const char *name)
{
	int op = 0;

	while (op < NR_OPS && strcmp(ops[op].name, name))
		op++;
	return op;
}

/* Parses decimal digits; a size may end with K, M or G. */
static bool read_number(const char *text, bool is_size, uint64_t *number)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	int shift = 0;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (is_size && *end) {
		unit = strchr(units, *end++);
		if (!unit)
			return false;
		shift = 10 * (int)(unit - units + 1);
	}
	if (errno || *end || *number > UINT64_MAX >> shift)
		return false;
	*number <<= shift;
	return true;
}

static bool read_arg(struct filter *filter, const char *arg)
{
	int op;

	if (!strncmp(arg, "size>=", 6))
		return read_number(arg + 6, true, &filter->min_size);
	if (!strncmp(arg, "pid=", 4))
		return read_number(arg + 4, false, &filter->pid) && filter->pid;
	if (strncmp(arg, "op=", 3))
		return false;
	op = op_of(arg + 3);
	filter->ops |= 1U << op;
	return op < NR_OPS;
}

int start(void **data, void *ctx)
{
	struct filter *filter = calloc(1, sizeof(*filter));
	char **args;
	int i, nr = 0;

	if (!filter)
		return -ENOMEM;
	args = perf_dlfilter_fns.args(ctx, &nr);
	for (i = 0; args && i < nr; i++) {
		if (read_arg(filter, args[i]))
			continue;
		fprintf(stderr, "memprof-filter: --dlarg takes size>=N, op=alloc|free|fault|growth or pid=N, not '%s'\n",
			args[i]);
		free(filter);
		return -EINVAL;
	}
	*data = filter;
	return 0;
}

int stop(void *data, void *ctx)
{
	struct filter *filter = data;

	(void)ctx;
	if (filter && filter->nr_short)
		fprintf(stderr, "memprof-filter: %llu records are of another version of memprof.ko\n",
			(unsigned long long)filter->nr_short);
	free(filter);
	return 0;
}

static uint64_t size_of(enum op op, const void *raw)
{
	const struct growth *growth = raw;
	const struct fault *fault = raw;
	const struct block *block = raw;

	if (op == FAULT)
		return fault->size;
	if (op != GROWTH)
		return block->size;
	return growth->after > growth->before ?
	       growth->after - growth->before : growth->before - growth->after;
}

static bool is_wanted(const struct filter *filter, enum op op, const void *raw)
{
	uint32_t pid;

	memcpy(&pid, (const char *)raw + ops[op].pid_at, sizeof(pid));
	return (!filter->pid || filter->pid == pid) &&
	       size_of(op, raw) >= filter->min_size;
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *sample,
		       void *ctx)
{
	/* copy the record, because perf's buffer may not be aligned for the structures */
	union {
		struct block block;
		struct fault fault;
		struct growth growth;
	} raw;
	struct filter *filter = data;
	int op;

	(void)ctx;
	if (!sample->event || strncmp(sample->event, "memprof:", 8))
		return 1;
	op = op_of(sample->event + 8);
	if (op == NR_OPS || (filter->ops && !(filter->ops & 1U << op)))
		return 1;
	if (sample->raw_size < ops[op].size) {
		filter->nr_short++;
		return 1;
	}
	memcpy(&raw, sample->raw_data, ops[op].size);
	return !is_wanted(filter, op, &raw);
}

const char *filter_description(const char **long_description)
{
	*long_description =
		"Arguments, each by --dlarg, all of which must hold:\n"
		"    size>=N   bytes asked for; of growth, by which it grew or shrank.\n"
		"              N may end in K, M or G\n"
		"    op=OP     alloc, free, fault or growth; several: any of them\n"
		"    pid=N     of this process";
	return "keep memprof's events only, by size, kind and process";
}
