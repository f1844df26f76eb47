// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscall-events: finds the tracepoint of a system call, or puts a kprobe into its function
 *
 * The function of a call gets the registers of the process. The event of a kprobe has the
 * arguments where that of the tracepoint has them: behind a word of eight bytes.
 */
#include "syscall-events.h"

#include <stdio.h>
#include <tracefs.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FUNCTION	"__x64_sys_"
/* distances in struct pt_regs of di, si, dx and r10 */
#define ARGS		" a0=+112(%di):u64 a1=+104(%di):u64 a2=+96(%di):u64 a3=+56(%di):u64"
#else
#define FUNCTION	"__arm64_sys_"
#define ARGS		" a0=+0(%x0):u64 a1=+8(%x0):u64 a2=+16(%x0):u64 a3=+24(%x0):u64"
#endif

/* As many threads can be in one call; of further ones the end is missed. */
#define RETURN		"r1024"

static int make_kprobe(const char *call, const char *name, bool at_return,
		       struct mp_trace_event *event)
{
	char function[MP_EVENT_NAME_SIZE];

	snprintf(function, sizeof(function), FUNCTION "%s", call);
	return mp_dynamic_event_make("kprobe_events", at_return ? RETURN : "p", name, function,
				     at_return ? " ret=$retval" : ARGS, event);
}

/* They can be switched off, and events that have them are empty then. */
bool mp_syscall_events_alone(void)
{
	char *events = tracefs_get_tracing_file("kprobe_events");
	FILE *file = fopen("/sys/kernel/debug/kprobes/enabled", "re");
	bool can = events && !access(events, W_OK) && !(file && getc(file) == '0');

	if (file)
		fclose(file);
	tracefs_put_tracing_file(events);
	return can;
}

int mp_syscall_event(const char *call, bool at_return, struct mp_trace_event *event)
{
	char name[MP_EVENT_NAME_SIZE];

	snprintf(name, sizeof(name), "sys_%s_%s", at_return ? "exit" : "enter", call);
	if (mp_syscall_events_alone() && !make_kprobe(call, name, at_return, event))
		return 0;
	return mp_tracepoint_find("syscalls", name, event);
}
