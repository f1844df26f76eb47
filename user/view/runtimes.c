// SPDX-License-Identifier: GPL-2.0-only
/*
 * runtimes: knows interpreters and virtual machines by the names of their files
 *
 * If a stack has functions of the program that a runtime runs, one of them is the
 * callsite. So a callsite in the runtime's own file means that there are none. The
 * cost is a pass over the rows of callsites.
 */
#include "runtimes.h"
#include "interpreted.h"
#include "sampler-library.h"
#include "sites.h"

#include <string.h>

/* Less was touched by nobody whose name is of interest. */
#define LEAST_TOUCHED	(1 << 20)

/* Below this share, the other callsites are the answer. */
#define MIN_PERCENT	33.0
#define MIN_NAMELESS	20

/* If the metric has less than this part of what was touched, it is not the heap. */
#define SMALL_PART	4

static const struct runtime {
	const char *name;
	/* its processes; NULL: any name */
	const char *command;
	/* begins of the names of its files */
	const char *files[3];
	/* begin of the names of its functions, if it is linked into each program */
	const char *functions;
	const char *remedy;
	/* of a heap that is not malloc's: what shows its objects, for a person; PID is its id */
	const char *heap;
	/* the same of a process that is started for it */
	const char *heap_of_new;
	/* begin of the names of its functions that allocate data outside of its heap */
	const char *data_functions;
	/* what that data is, and what shows whose it is, for a person */
	const char *data;
} runtimes[] = {
	{
		.name = "node", .command = "node", .files = { "node", "libnode." },
		.remedy = "start it again with node --perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining",
		.heap = "memprofctl help node | sh -s PID shows who allocates what it keeps, and so does chrome://inspect after kill -USR1 PID",
		.heap_of_new = "started with node --heap-prof, it writes who allocates its objects to a file for Chrome, if it ends by itself and not by a signal",
		.data_functions = "node::NodeArrayBufferAllocator::",
		.data = "Buffers: memprofctl help node | sh -s PID shows which functions make those that stay",
	},
	{
		.name = "Python", .files = { "python3", "libpython3" },
		.remedy = "--inject (or record -- COMMAND without --alloc exact) names them, of 3.11 and 3.13; others need python3 -X perf (3.12 and later)",
	},
	{
		.name = "Java", .command = "java", .files = { "libjvm.", "libjli." },
		.remedy = "jcmd PID Compiler.perfmap writes its names, while it runs and before the report; it has to be started with java -XX:+PreserveFramePointer",
		.heap = "memprofctl help java | sh -s PID shows which lines made what stays",
		.heap_of_new = "started with java -XX:StartFlightRecording:settings=profile,path-to-gc-roots=true,dumponexit=true,filename=/tmp/heap.jfr, it writes who allocated objects that stay, for jfr print --events OldObjectSample /tmp/heap.jfr",
	},
	{
		.name = ".NET", .command = "dotnet",
		.files = { "libcoreclr.", "libclrjit.", "libclrgc." },
		.remedy = "start it with DOTNET_PerfMapEnabled=1",
		.heap = "dotnet-gcdump shows its objects",
	},
	{
		.name = "PHP", .files = { "php", "libphp" },
		.remedy = "start it with -d opcache.enable_cli=1 -d opcache.jit=1205 -d opcache.jit_buffer_size=64M -d opcache.jit_debug=16",
	},
	{
		.name = "Ruby", .command = "ruby", .files = { "ruby", "libruby" },
		.remedy = "start it with ruby --yjit --yjit-perf, which names compiled code",
		.heap = "ObjectSpace.trace_object_allocations shows its objects",
	},
	{
		.name = "Go", .functions = "runtime.",
		.heap = "go tool pprof -top -lines 'http://ADDRESS/debug/pprof/heap?seconds=30' names who allocates what stays (of a full cache, some lines are below 0), of a program that imports net/http/pprof and listens at ADDRESS",
	},
};

#define NR_RUNTIMES	(sizeof(runtimes) / sizeof(*runtimes))

static bool begins_with(const char *text, const char *begin)
{
	return begin && !strncmp(text, begin, strlen(begin));
}

static bool is_runtime(const struct runtime *runtime, const char *file,
		       const char *function)
{
	size_t i;

	for (i = 0; i < 3; i++)
		if (begins_with(file, runtime->files[i]))
			return true;
	return function && begins_with(function, runtime->functions);
}

static const char *file_name(const struct mp_binary *binary)
{
	const char *slash = strrchr(binary->path, '/');

	return slash ? slash + 1 : binary->path;
}

static double value_of(const struct mp_row *row, enum mp_metric metric)
{
	const double value = (double)(int64_t)row->value[metric];

	return value > 0 ? value : 0;
}

/* The runtime that a callsite is a part of; NULL: none */
static const struct runtime *runtime_of(const struct mp_profile *profile,
					const struct mp_row *row)
{
	const struct mp_line *line = mp_profile_line(profile, &row->location);
	const char *function = line ? mp_symbols_text(&profile->symbols, line->function) : NULL;
	const struct mp_binary *binary;
	size_t i;

	if (!row->location.binary || (function && mp_interpreted_names(function)))
		return NULL;
	binary = &profile->binaries[row->location.binary - 1];
	for (i = 0; i < NR_RUNTIMES; i++)
		if (is_runtime(&runtimes[i], file_name(binary), function))
			return &runtimes[i];
	return NULL;
}

bool mp_runtimes_has_file(const struct mp_binary *binary)
{
	size_t i;

	for (i = 0; i < NR_RUNTIMES; i++)
		if (is_runtime(&runtimes[i], file_name(binary), NULL))
			return true;
	return false;
}

bool mp_runtimes_is_own(const struct mp_profile *profile, const struct mp_row *row)
{
	return runtime_of(profile, row);
}

/* Sums of what may hide functions: runtimes, then binaries without symbols */
struct sums {
	double all, touched;
	double runtimes[NR_RUNTIMES], data[NR_RUNTIMES];
	uint32_t linked[NR_RUNTIMES];	/* the program that a runtime is linked into */
	const struct mp_binary *binary;
	double nameless;
	double compiled;	/* code in no file */
	double probed;		/* the kernel's return trampoline */
	bool named;		/* the runtime has written the names of functions */
};

static void add_row(const struct mp_profile *profile, const struct mp_row *row,
		    enum mp_metric metric, struct sums *sums)
{
	const struct mp_line *line = mp_profile_line(profile, &row->location);
	const double value = value_of(row, metric);
	const struct runtime *runtime;
	const struct mp_binary *binary;
	const char *function;

	sums->all += value;
	sums->touched += value_of(row, MP_TOUCHED);
	function = line ? mp_symbols_text(&profile->symbols, line->function) : NULL;
	sums->named |= function && mp_interpreted_names(function);
	if (!row->location.binary && mp_address_is_trampoline(row->location.address)) {
		sums->probed += value;
		return;
	}
	if (!row->location.binary) {
		sums->compiled += function ? 0 : value;
		return;
	}
	binary = &profile->binaries[row->location.binary - 1];
	if (function && mp_interpreted_names(function))
		return;
	runtime = runtime_of(profile, row);
	if (runtime) {
		sums->runtimes[runtime - runtimes] += value;
		if (function && begins_with(function, runtime->data_functions))
			sums->data[runtime - runtimes] += value;
		if (runtime->functions)
			sums->linked[runtime - runtimes] = row->location.binary;
		return;
	}
	/* nobody asks for functions of the library that samples */
	if (function || mp_sampler_library_is(binary->path))
		return;
	/* of several such binaries, the first one is as good as another */
	if (!sums->binary)
		sums->binary = binary;
	if (sums->binary == binary)
		sums->nameless += value;
}

/* The program's own functions have their objects in the heap of the runtime, too. */
static void add_programs(const struct mp_profile *profile, enum mp_metric metric,
			 struct sums *sums)
{
	const struct mp_row *row;
	const struct mp_line *line;
	const char *function;
	size_t i;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		line = row->kind == MP_ROW_SITE ? mp_profile_line(profile, &row->location) : NULL;
		function = line ? mp_symbols_text(&profile->symbols, line->function) : NULL;
		for (i = 0; i < NR_RUNTIMES; i++)
			if (function && sums->linked[i] &&
			    sums->linked[i] == row->location.binary &&
			    !begins_with(function, runtimes[i].functions))
				sums->runtimes[i] += value_of(row, metric);
	}
}

/* Whether samples have functions of Python. */
static bool names_python(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_binaries; i++)
		if (mp_interpreted_is(profile->binaries[i].path))
			return true;
	return false;
}

bool mp_runtimes_obscure(const struct mp_profile *profile, enum mp_metric metric,
			 struct mp_obscurity *found)
{
	struct sums sums = { 0 };
	const struct mp_row *row;
	double most = 0;
	size_t i;

	*found = (struct mp_obscurity){ 0 };
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_SITE)
			add_row(profile, row, metric, &sums);
	add_programs(profile, metric, &sums);
	for (i = 0; i < NR_RUNTIMES; i++) {
		if (sums.runtimes[i] <= most)
			continue;
		most = sums.runtimes[i];
		found->runtime = runtimes[i].name;
		found->remedy = runtimes[i].remedy;
		found->heap = runtimes[i].heap;
		found->data = sums.data[i] > most / 2 ? runtimes[i].data : NULL;
		found->is_linked = runtimes[i].functions;
	}
	/* its options were given: what is left is no function of the program's */
	if (found->runtime && sums.named && found->heap)
		found->remedy = NULL;
	/* a runtime compiles code, and may write the names */
	if (found->runtime) {
		most += sums.compiled;
	} else if (sums.compiled > most) {
		most = sums.compiled;
		found->runtime = "code that is in no file";
		found->remedy = "the runtime that compiled it has to write its names, see Documentation/languages.rst";
	}
	if (sums.nameless > most) {
		most = sums.nameless;
		*found = (struct mp_obscurity){ .binary = sums.binary };
	}
	if (sums.probed > most) {
		most = sums.probed;
		*found = (struct mp_obscurity){ .probed = true };
	}
	/* samples have its functions already: what is left was asked for by none */
	if (found->runtime && !strcmp(found->runtime, "Python") &&
	    profile->meta.alloc.rate > 1 && names_python(profile))
		return false;
	found->percent = sums.all > 0 ? 100 * most / sums.all : 0;
	found->is_small = sums.all < sums.touched / SMALL_PART;
	if (metric == MP_TOUCHED && sums.all < LEAST_TOUCHED)
		return false;
	return found->percent >= (found->binary ? MIN_NAMELESS : MIN_PERCENT);
}

bool mp_runtimes_next(size_t number, struct mp_obscurity *found)
{
	if (number >= NR_RUNTIMES)
		return false;
	*found = (struct mp_obscurity){
		.runtime = runtimes[number].name, .remedy = runtimes[number].remedy,
		.heap = runtimes[number].heap,
	};
	return true;
}

const char *mp_runtimes_heap(const char *command, bool ended)
{
	size_t i;

	for (i = 0; i < NR_RUNTIMES; i++)
		if (runtimes[i].command && !strcmp(runtimes[i].command, command))
			return ended ? runtimes[i].heap_of_new : runtimes[i].heap;
	return NULL;
}
