// SPDX-License-Identifier: GPL-2.0-only
/*
 * inject: locks the target, has a child do the work, and writes to the system's log
 *
 * The lock is on /proc/PID/mem. Only those can open it who may trace the process, so
 * nobody else can keep the lock; and it ends with the process that holds it.
 */
#include "inject.h"
#include "clock.h"
#include "exclusions.h"
#include "injector.h"
#include "maps.h"
#include "process-file.h"
#include "refusal.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <syslog.h>
#include <unistd.h>

/* How long another injection into the same process is waited for. */
#define LOCK_MS		5000
#define LOCK_POLL_US	20000

static int lock(int memory, pid_t pid, struct mp_diag *diag)
{
	int64_t end_ms = mp_clock_ms() + LOCK_MS;

	while (flock(memory, LOCK_EX | LOCK_NB)) {
		if (mp_clock_ms() > end_ms)
			return mp_diag_fail(diag, EBUSY, "try again later",
					    "another memprofctl is at process %d",
					    (int)pid);
		usleep(LOCK_POLL_US);
	}
	return 0;
}

static int open_memory(pid_t pid, struct mp_diag *diag)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err = errno;
	return mp_refuse_process(pid, diag) ?: mp_refuse_access(pid, err, diag);
}

/* The user who logged in, also behind sudo; -1 is none. */
static int login_user(void)
{
	FILE *file = fopen("/proc/self/loginuid", "re");
	unsigned int user = (unsigned int)-1;

	if (file && fscanf(file, "%u", &user) != 1)
		user = (unsigned int)-1;
	if (file)
		fclose(file);
	return (int)user;
}

static void write_log(pid_t pid, const char *what, int err)
{
	char comm[MP_PROCESS_COMM_SIZE] = "", name[MP_PROCESS_COMM_SIZE * 4];
	size_t len = 0;

	mp_process_comm(pid, comm);
	while (comm[len])
		len++;
	mp_text_escape(name, sizeof(name), comm, len);
	openlog("memprofctl", LOG_PID, LOG_AUTHPRIV);
	syslog(LOG_NOTICE, "%s process %d (%s) by user %u, login user %d: %s", what,
	       (int)pid, name, (unsigned int)getuid(), login_user(),
	       err ? "failed" : "done");
	closelog();
}

static int run(pid_t pid, const struct mp_inject_options *options,
	       struct mp_injection *result, struct mp_diag *diag)
{
	struct mp_inject_target target = { .pid = pid, .machine = mp_machine() };
	int err;

	if (!target.machine)
		return mp_diag_fail(diag, 0, "record --preload and --alloc exact work",
				    "injection cannot be done on this architecture");
	err = options ? mp_exclusions_refuse(pid, diag) : 0;
	if (err)
		return err;
	target.memory = open_memory(pid, diag);
	if (target.memory < 0)
		return target.memory;
	/* first the lock: another injector may be tracing the process */
	err = lock(target.memory, pid, diag) ?: mp_refuse_process(pid, diag) ?:
	      mp_injector_run(&target, options, result, diag);
	close(target.memory);
	write_log(pid, options ? "put libmemprof into" : "took libmemprof out of", err);
	return err;
}

int mp_inject(pid_t pid, const struct mp_inject_options *options,
	      struct mp_injection *result, struct mp_diag *diag)
{
	*result = (struct mp_injection){ 0 };
	return run(pid, options, result, diag);
}

static int is_library(void *context, pid_t pid, const struct mp_map_line *line)
{
	(void)context;
	(void)pid;
	return mp_map_is_executable(line) && strstr(line->name, "libmemprof.so");
}

bool mp_inject_is_there(pid_t pid)
{
	return mp_maps_each(pid, is_library, NULL) > 0;
}

int mp_inject_check(pid_t pid, struct mp_diag *diag)
{
	int memory, err = mp_refuse_process(pid, diag) ?:
			  mp_exclusions_refuse(pid, diag);

	if (err)
		return err;
	memory = open_memory(pid, diag);
	if (memory < 0)
		return memory;
	close(memory);
	return mp_refuse_static(pid, diag);
}

int mp_eject(pid_t pid, struct mp_injection *result, struct mp_diag *diag)
{
	*result = (struct mp_injection){ 0 };
	return run(pid, NULL, result, diag);
}
