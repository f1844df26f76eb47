// SPDX-License-Identifier: GPL-2.0-only
/*
 * refusal: reads /proc/PID before anything is stopped
 *
 * Each reason names a way out. A process can change after the check: what matters for
 * its life, such as its system call filter, is not changed by others.
 */
#include "refusal.h"
#include "maps.h"
#include "process.h"
#include "process-file.h"
#include "text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACE_FROM_OUTSIDE	"record --alloc exact follows it from outside"

/* Finds "NAME:\tVALUE" in the text of /proc/PID/status. @name: with its colon */
static bool find_value(const char *status, const char *name, char *value, size_t size)
{
	const size_t length = strlen(name);
	const char *line = status;

	value[0] = '\0';
	while (line && strncmp(line, name, length)) {
		line = strchr(line, '\n');
		line += !!line;
	}
	if (!line)
		return false;
	line += length + strspn(line + length, " \t");
	snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

/* @what says enough: the errno's text is not shown. */
static int refuse_gone(pid_t pid, const char *what, struct mp_diag *diag)
{
	mp_diag_fail(diag, 0, NULL, "process %d %s", (int)pid, what);
	return -ESRCH;
}

static int refuse_state(pid_t pid, const char *status, struct mp_diag *diag)
{
	char state[64];

	if (!find_value(status, "State:", state, sizeof(state)))
		return refuse_gone(pid, "does not exist", diag);
	if (state[0] == 'Z' || state[0] == 'X')
		return refuse_gone(pid, "has ended", diag);
	if (state[0] == 'T')
		return mp_diag_fail(diag, 0, "kill -CONT continues it",
				    "process %d is stopped", (int)pid);
	return 0;
}

static int refuse_traced(pid_t pid, const char *status, struct mp_diag *diag)
{
	char value[64], comm[MP_PROCESS_COMM_SIZE] = "";
	char name[4 * MP_PROCESS_COMM_SIZE];
	int tracer;

	find_value(status, "TracerPid:", value, sizeof(value));
	tracer = atoi(value);
	if (!tracer)
		return 0;
	mp_process_comm((pid_t)tracer, comm);
	mp_text_escape(name, sizeof(name), comm, strlen(comm));
	return mp_diag_fail(diag, EBUSY, "end that one first",
			    "process %d is traced by process %d (%s)", (int)pid, tracer,
			    name);
}

/* Kernel threads have no memory: the size is missing. */
static int refuse_kernel_thread(pid_t pid, const char *status, struct mp_diag *diag)
{
	char value[64];

	return find_value(status, "VmSize:", value, sizeof(value)) ? 0 :
	       refuse_gone(pid, "is a thread of the kernel, or ends just now", diag);
}

static int refuse_confined(pid_t pid, const char *status, struct mp_diag *diag)
{
	char value[256];

	find_value(status, "Seccomp:", value, sizeof(value));
	if (atoi(value))
		return mp_diag_fail(diag, 0, "LD_PRELOAD or record --alloc exact work",
				    "process %d has a system call filter (seccomp), which may end it",
				    (int)pid);
	find_value(status, "x86_Thread_features:", value, sizeof(value));
	return !strstr(value, "shstk") ? 0 :
	       mp_diag_fail(diag, 0, "LD_PRELOAD works; or run it without: GLIBC_TUNABLES",
			    "process %d has shadow stacks", (int)pid);
}

/* Programs that keep debuggers away have files in /proc that belong to root. */
static int refuse_not_dumpable(pid_t pid, const char *status, struct mp_diag *diag)
{
	char path[64], value[256];
	unsigned int user = 0, effective = 0;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	if (!find_value(status, "Uid:", value, sizeof(value)) ||
	    sscanf(value, "%u %u", &user, &effective) != 2 || stat(path, &st) ||
	    st.st_uid == effective)
		return 0;
	return mp_diag_fail(diag, 0, "LD_PRELOAD works",
			    "process %d keeps debuggers away (PR_SET_DUMPABLE)", (int)pid);
}

/* Returns the whole text, which a list of groups can make long; NULL: there is none. */
static char *read_status(pid_t pid)
{
	char path[64], *text = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int mp_refuse_status(pid_t pid, const char *status, struct mp_diag *diag)
{
	return refuse_state(pid, status, diag) ?: refuse_kernel_thread(pid, status, diag) ?:
	       refuse_traced(pid, status, diag) ?: refuse_confined(pid, status, diag);
}

int mp_refuse_head(pid_t pid, const unsigned char *head, struct mp_diag *diag)
{
	return head[EI_CLASS] != ELFCLASS32 ? 0 :
	       mp_diag_fail(diag, 0, TRACE_FROM_OUTSIDE,
			    "process %d is a %s program: the library is for 64 bits",
			    (int)pid, head[18] == EM_X86_64 ? "x32" : "32-bit");
}

/* The first bytes of the program; a program that cannot be read is judged later. */
static int refuse_program(pid_t pid, struct mp_diag *diag)
{
	unsigned char head[MP_REFUSE_HEAD];
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);
	if (fd >= 0)
		close(fd);
	return got < (ssize_t)sizeof(head) ? 0 : mp_refuse_head(pid, head, diag);
}

int mp_refuse_process(pid_t pid, struct mp_diag *diag)
{
	char *status;
	int err;

	if (pid == getpid())
		return mp_diag_fail(diag, EINVAL, NULL,
				    "process %d is memprofctl itself", (int)pid);
	status = read_status(pid);
	err = mp_refuse_status(pid, status ?: "", diag) ?: refuse_program(pid, diag);
	if (!err)
		err = refuse_not_dumpable(pid, status, diag);
	free(status);
	return err;
}

static int is_loader(void *context, pid_t pid, const struct mp_map_line *line)
{
	const char *name = strrchr(line->name, '/');

	(void)context;
	(void)pid;
	return mp_map_is_executable(line) && name && !strncmp(name, "/ld-", 4);
}

int mp_refuse_static(pid_t pid, struct mp_diag *diag)
{
	return mp_maps_each(pid, is_loader, NULL) ? 0 :
	       mp_diag_fail(diag, 0, TRACE_FROM_OUTSIDE,
			    "process %d has no dynamic loader: a static program",
			    (int)pid);
}

static char first_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char first = '0';

	if (fd < 0)
		return first;
	if (read(fd, &first, 1) != 1)
		first = '0';
	close(fd);
	return first;
}

const char *mp_refuse_hint(const struct mp_refuse_machine *machine)
{
	if (machine->yama > '0')
		return "the kernel's Yama allows it to root only: kernel.yama.ptrace_scope";
	if (!machine->is_root)
		return "only root, or the user of the process, may do that";
	if (machine->selinux > '0')
		return "SELinux may forbid ptrace; LD_PRELOAD works";
	if (machine->has_apparmor)
		return "AppArmor, or a container without CAP_SYS_PTRACE, may forbid it";
	return "this container may lack CAP_SYS_PTRACE; LD_PRELOAD works";
}

int mp_refuse_access(pid_t pid, int err, struct mp_diag *diag)
{
	const struct mp_refuse_machine machine = {
		.yama = first_of("/proc/sys/kernel/yama/ptrace_scope"),
		.selinux = first_of("/sys/fs/selinux/enforce"),
		.has_apparmor = !access("/sys/kernel/security/apparmor", F_OK),
		.is_root = !geteuid(),
	};

	return mp_diag_fail(diag, err, mp_refuse_hint(&machine), "process %d may not be traced",
			    (int)pid);
}
