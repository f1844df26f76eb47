// SPDX-License-Identifier: GPL-2.0-only
/*
 * sources: tries what each source needs
 *
 * Nothing is started. Each check opens a file or two, or one event that is closed
 * again.
 */
#include "sources.h"
#include "kmod.h"
#include "library.h"
#include "machine.h"
#include "syscall-events.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MODULE, PERF, LIBRARY };

__attribute__((format(printf, 3, 4)))
static void set(struct mp_finding *finding, const char *fix, const char *format, ...)
{
	va_list args;

	finding->level = fix ? MP_LEVEL_MISSING : MP_LEVEL_OK;
	finding->fix = fix;
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

static void try_module(struct mp_finding *finding)
{
	struct memprof_info info;
	int fd = mp_dev_open();
	int err = fd < 0 ? fd : mp_dev_info(fd, &info);

	if (fd >= 0)
		close(fd);
	if (!err)
		set(finding, NULL, "allocations, faults, growth: exact sums, or samples with stacks");
	else if (err == -ENOENT)
		set(finding, mp_check_module_hint(), "the module is not loaded");
	else
		set(finding, err == -EACCES || err == -EPERM ? "run as root" :
		    "see the kernel's log", "the module cannot be asked: %s",
		    strerror(-err));
}

/* Opens one of the events that a session has, for all processes, and closes it. */
static int try_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_type = PERF_SAMPLE_RAW, .disabled = 1,
	};
	struct mp_trace_event event;
	int err = mp_tracepoint_find("syscalls", "sys_enter_brk", &event), fd;

	if (err)
		return err;
	attr.config = event.format.id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void try_perf(struct mp_finding *finding)
{
	int err = try_event();

	if (!err)
		set(finding, NULL, "faults, growth%s, each call of an allocator; a call costs a trap",
		    mp_syscall_events_alone() ? "" : " (each system call costs 0.1 us more)");
	else
		set(finding, err == -ENOENT ? "mount -t tracefs nodev /sys/kernel/tracing" :
		    "run as root, or grant CAP_PERFMON and access to tracefs",
		    "the kernel's events cannot be opened: %s", strerror(-err));
}

static void try_library(struct mp_finding *finding)
{
	struct mp_diag diag = { 0 };
	char path[PATH_MAX];

	if (mp_library_find(path, &diag))
		set(finding, "make install, or install libmemprof0",
		    "libmemprof.so was not found");
	else
		set(finding, NULL, "allocations, sampled without traps: record -- COMMAND%s",
		    mp_machine() ? ", and --inject for what runs" : "");
}

static void try_sizes(struct mp_finding *finding)
{
	set(finding, NULL, "RSS and its parts at one moment, without callsites");
}

const struct mp_check mp_sources[] = {
	[MODULE] = { "module", try_module },
	[PERF] = { "perf", try_perf },
	[LIBRARY] = { "library", try_library },
	{ "smaps", try_sizes },
	{ NULL, NULL },
};

const char *mp_sources_verdict(const bool *works, bool *can_start)
{
	*can_start = works[MODULE] || works[PERF];
	if (works[MODULE])
		return "memprofctl start and record work here, with the module";
	if (works[PERF] && works[LIBRARY])
		return "memprofctl start and record work here, with perf's events and the library (record --inject -p PID): the module is not needed";
	if (works[PERF])
		return "memprofctl start and record work here, with perf's events";
	return works[LIBRARY] ?
	       "memprofctl record -- COMMAND works for this user, with the library; start does not" :
	       NULL;
}
