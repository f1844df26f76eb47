// SPDX-License-Identifier: GPL-2.0-only
/*
 * injector: the child that traces, and its parent that waits for it
 *
 * The child reads files and memory that the target chose, and libdwfl interprets them.
 * So it has limits of memory and time, and no capabilities but those to trace and to
 * read. It cannot have a system call filter as binary/isolate has: it needs ptrace().
 * A target that took over the child could trace other processes of this user.
 *
 * The answer comes through shared memory, and is checked like a stranger's.
 */
#include "injector.h"
#include "clock.h"
#include "injection.h"
#include "text.h"

#include <cap-ng.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(8UL << 30)
#define MAX_FILE	(256UL << 20)
#define MAX_SECONDS	20
#define PATIENCE_MS	30000

/**
 * struct mp_injector_answer - what the child says
 * @is_done: it finished
 * @status: 0 or a negative errno
 * @result: of the injection
 * @diag: the reason of a failure
 */
struct mp_injector_answer {
	bool is_done;
	int status;
	struct mp_injection result;
	struct mp_diag diag;
};

static void set_limit(int resource, rlim_t limit)
{
	struct rlimit both = { limit, limit };

	setrlimit(resource, &both);
}

/* Keeps what the parent has of the capabilities that tracing needs. */
static void drop_capabilities(void)
{
	static const unsigned int kept[] = {
		CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE,
		CAP_SYS_ADMIN,		/* to open /proc/PID/map_files */
		CAP_SYS_NICE,		/* to raise the priority of the borrowed thread */
		CAP_KILL,		/* libdwfl asks by kill(TID, 0) whether it is there */
	};
	bool has[sizeof(kept) / sizeof(kept[0])];
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		has[i] = capng_have_capability(CAPNG_EFFECTIVE, kept[i]);
	capng_clear(CAPNG_SELECT_CAPS);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (has[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED,
				     kept[i]);
	capng_apply(CAPNG_SELECT_CAPS);
}

/* Limits that a sandbox refuses are ignored. */
static void confine(pid_t parent)
{
	sigset_t none;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, MAX_FILE);
	set_limit(RLIMIT_AS, MAX_BYTES);
	set_limit(RLIMIT_CPU, MAX_SECONDS);
	drop_capabilities();
	/* no library may use the network while a thread of the target waits */
	unsetenv("DEBUGINFOD_URLS");
}

static bool wait_exit(pid_t child, int ms)
{
	struct pollfd exited = { .fd = pidfd_open(child, 0), .events = POLLIN };
	int64_t end_ms = mp_clock_ms() + ms, left_ms = ms;
	int ready = 0;

	while (left_ms > 0 && ready <= 0) {
		ready = exited.fd < 0 ? waitpid(child, NULL, WNOHANG) :
			poll(&exited, 1, (int)left_ms);
		left_ms = end_ms - mp_clock_ms();
		if (exited.fd < 0 && !ready)
			usleep(1000);
	}
	if (exited.fd >= 0)
		close(exited.fd);
	return ready > 0;
}

/* Returns whether the child ended by itself. */
static bool reap(pid_t child)
{
	bool ended = wait_exit(child, PATIENCE_MS);

	if (!ended)
		kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return ended;
}

static void end_texts(struct mp_injector_answer *answer)
{
	answer->diag.text[sizeof(answer->diag.text) - 1] = '\0';
	answer->diag.hint[sizeof(answer->diag.hint) - 1] = '\0';
	answer->result.loaded[sizeof(answer->result.loaded) - 1] = '\0';
	answer->result.attachment.region[MEMPROF_ATTACH_PATH - 1] = '\0';
	answer->result.attachment.out[MEMPROF_ATTACH_PATH - 1] = '\0';
}

static int take_answer(struct mp_injector_answer *answer, bool ended, pid_t pid,
		       struct mp_injection *result, struct mp_diag *diag)
{
	char text[sizeof(answer->diag.text)];

	end_texts(answer);
	/* it may have names that the target chose */
	mp_text_escape(text, sizeof(text), answer->diag.text, strlen(answer->diag.text));
	*result = answer->result;
	if (!ended)
		return mp_diag_fail(diag, ETIME, "try again",
				    "process %d: the injection took too long and was given up",
				    (int)pid);
	if (!answer->is_done)
		return mp_diag_fail(diag, 0, "try again",
				    "process %d: the injection failed; the process runs on",
				    (int)pid);
	if (answer->status >= 0)
		return 0;
	return mp_diag_fail(diag, answer->diag.err, answer->diag.hint[0] ?
			    answer->diag.hint : NULL, "%s", text);
}

static int fork_child(struct mp_inject_target *target,
		      const struct mp_inject_options *options,
		      struct mp_injector_answer *answer)
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	confine(parent);
	answer->status = mp_injection_do(target, options, &answer->result,
					 &answer->diag);
	answer->is_done = true;
	_exit(0);
}

int mp_injector_run(struct mp_inject_target *target,
		    const struct mp_inject_options *options,
		    struct mp_injection *result, struct mp_diag *diag)
{
	struct mp_injector_answer *answer;
	int status;
	pid_t child;

	answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (answer == MAP_FAILED)
		return mp_diag_fail(diag, errno, NULL, "cannot begin an injection");
	child = fork_child(target, options, answer);
	status = child < 0 ? mp_diag_fail(diag, errno, NULL, "cannot begin an injection") :
		 take_answer(answer, reap(child), target->pid, result, diag);
	munmap(answer, sizeof(*answer));
	return status;
}
