// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-role: tells tracepoints of the module, probes, system calls and page faults apart
 *
 * The fields of an event of perf probe show what it reports. perf takes the
 * field names from the user's command ("perf probe -x libc 'malloc size=%di'"),
 * so several names are accepted for each. A call without a size counts as 0
 * bytes.
 */
#include "perf-role.h"
#include "merge.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t func;
} functions[] = {
	{ "malloc", MEMPROF_FUNC_MALLOC },
	{ "calloc", MEMPROF_FUNC_CALLOC },
	{ "realloc", MEMPROF_FUNC_REALLOC },
	{ "reallocarray", MEMPROF_FUNC_REALLOCARRAY },
	{ "memalign", MEMPROF_FUNC_MEMALIGN },
	{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN },
	{ "valloc", MEMPROF_FUNC_MALLOC },
	{ "pvalloc", MEMPROF_FUNC_MALLOC },
	{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN },
	{ "free", MEMPROF_FUNC_FREE },
	{ "cfree", MEMPROF_FUNC_FREE },
	{ "rust_realloc", MEMPROF_FUNC_RUST_REALLOC },
	/* names in tracefs and in older recordings, then those in recordings */
	{ "usdt_alloc", MEMPROF_FUNC_USDT_ALLOC },
	{ "usdt_free", MEMPROF_FUNC_USDT_FREE },
	{ "sampled_alloc", MEMPROF_FUNC_USDT_ALLOC },
	{ "sampled_free", MEMPROF_FUNC_USDT_FREE },
};

static const struct {
	const char *name;
	uint32_t call;
} syscalls[] = {
	{ "brk", MP_SYSCALL_BRK },
	{ "mmap", MP_SYSCALL_MMAP },
	{ "munmap", MP_SYSCALL_MUNMAP },
	{ "mremap", MP_SYSCALL_MREMAP },
	{ "mprotect", MP_SYSCALL_MPROTECT },
	{ "pkey_mprotect", MP_SYSCALL_MPROTECT },
	{ "shmat", MP_SYSCALL_SHMAT },
	{ "shmdt", MP_SYSCALL_SHMDT },
	{ "madvise", MP_SYSCALL_MADVISE },
};

static const char * const size_names[] = {
	"size", "bytes", "nbytes", "sz", "n", "arg1", NULL,
};
static const char * const old_names[] = { "old", "oldmem", "ptr", "mem", NULL };
static const char * const ptr_names[] = {
	"ptr", "ret", "retval", "result", "mem", "p", "addr", "arg1", NULL,
};
static const char * const ra_names[] = { "ra", "callsite", NULL };
static const char * const sp_names[] = { "sp", NULL };

static void set_field(struct mp_perf_event *event, int which, const char *name)
{
	const struct mp_field *field = mp_format_field(&event->format, name);

	if (field && !event->fields[which].size)
		event->fields[which] = *field;
}

/* Sets the field to the first of several names that the format has. */
static void set_fields(struct mp_perf_event *event, int which,
		       const char * const *names)
{
	for (; *names; names++)
		set_field(event, which, *names);
}

static void set_module(struct mp_perf_event *event, const char *name)
{
	set_field(event, MP_FIELD_CALLSITE, "callsite");
	set_field(event, MP_FIELD_CGROUP, "cgroup");
	set_field(event, MP_FIELD_SIZE, "size");
	set_field(event, MP_FIELD_WEIGHT, "weight");
	if (!strcmp(name, "alloc") || !strcmp(name, "free")) {
		event->role = *name == 'a' ? MP_ROLE_ALLOC : MP_ROLE_FREE;
		set_field(event, MP_FIELD_ADDR, "ptr");
	} else if (!strcmp(name, "fault")) {
		event->role = MP_ROLE_FAULT;
		set_field(event, MP_FIELD_ADDR, "addr");
		set_field(event, MP_FIELD_IP, "ip");
	} else if (!strcmp(name, "growth")) {
		event->role = MP_ROLE_GROWTH;
		set_field(event, MP_FIELD_BEFORE, "before");
		set_field(event, MP_FIELD_AFTER, "after");
		set_field(event, MP_FIELD_RELEASED, "released");
	} else if (!strcmp(name, "section")) {
		event->role = MP_ROLE_SECTION;
	} else if (!strcmp(name, "python")) {
		event->role = MP_ROLE_PYTHON;
	} else if (!strcmp(name, "function")) {
		event->role = MP_ROLE_FUNCTION;
	} else if (!strcmp(name, "process") || !strcmp(name, "site")) {
		event->role = MP_ROLE_SUM;
	}
}

/* Parses "malloc", "malloc__return", "malloc_3" or "malloc_3__return". */
static bool set_function(struct mp_perf_event *event, const char *name)
{
	const char *end = strstr(name, "__return");
	size_t i, len = end ? (size_t)(end - name) : strlen(name);
	bool leave = end;

	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	while (len && name[len - 1] == '_')
		len--;
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == len &&
		    !strncmp(functions[i].name, name, len))
			break;
	if (i == sizeof(functions) / sizeof(functions[0]))
		return false;
	event->func = functions[i].func;
	if (event->func == MEMPROF_FUNC_USDT_ALLOC) {
		set_module(event, "alloc");
		set_field(event, MP_FIELD_FRAMES, "frames");
		set_field(event, MP_FIELD_NR_FRAMES, "nr_frames");
		return true;
	}
	event->role = leave ? MP_ROLE_LEAVE :
		      event->func == MEMPROF_FUNC_FREE ||
		      event->func == MEMPROF_FUNC_USDT_FREE ? MP_ROLE_DEALLOC :
							      MP_ROLE_ENTER;
	set_fields(event, MP_ARG_SIZE, size_names);
	set_fields(event, MP_ARG_OLD, old_names);
	set_fields(event, MP_ARG_PTR, ptr_names);
	set_fields(event, MP_ARG_RA, ra_names);
	set_fields(event, MP_ARG_SP, sp_names);
	set_field(event, MP_ARG_ENTRY_SP, "entry_sp");
	return true;
}

static bool set_syscall(struct mp_perf_event *event, const char *name)
{
	bool leave = !strncmp(name, "sys_exit_", 9);
	size_t i;

	if (!leave && strncmp(name, "sys_enter_", 10))
		return false;
	for (i = 0; i < sizeof(syscalls) / sizeof(syscalls[0]); i++) {
		if (strcmp(name + (leave ? 9 : 10), syscalls[i].name))
			continue;
		event->role = leave ? MP_ROLE_SYSRET : MP_ROLE_SYSCALL;
		event->func = syscalls[i].call;
		set_field(event, MP_ARG_PTR, "ret");
		return true;
	}
	return false;
}

static void set_tracepoint(struct mp_perf_event *event)
{
	const char *name = strchr(event->name, ':');

	if (!name || !event->format.nr_fields)
		return;
	name++;
	if (!strncmp(event->name, "memprof:", 8))
		set_module(event, name);
	else if (!strncmp(event->name, "syscalls:", 9) || !strncmp(name, "sys_", 4))
		set_syscall(event, name);
	else if (!strncmp(event->name, "memprof_", 8) && !strncmp(name, "function_", 9))
		event->role = MP_ROLE_FUNCTION;
	else if (!strncmp(event->name, "memprof_", 8) && !strncmp(name, "counter_", 8))
		event->role = MP_ROLE_COUNTER;
	else
		set_function(event, name);
}

static void set_software(struct mp_perf_event *event)
{
	switch (event->attr.config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		event->role = MP_ROLE_PAGE_FAULT;
		event->func = event->attr.config ==
			      PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	}
}

void mp_perf_role_set(struct mp_perf_event *event)
{
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		set_tracepoint(event);
	else if (event->attr.type == PERF_TYPE_SOFTWARE)
		set_software(event);
}
