// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop: polls for events, probes new binaries, and calls the sink
 *
 * It wakes up when a ring has enough records to read, and at least five times a
 * second.
 */
#include "loop.h"
#include "ready.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Longest time between two reads of the rings, in milliseconds. */
#define PATIENCE	200

int mp_loop_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void mp_loop_signals_end(int signals)
{
	sigset_t none;

	close(signals);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Returns true if SIGINT or SIGTERM came. */
static bool is_interrupted(int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			return true;
	return false;
}

bool mp_loop_wait(int signals)
{
	struct pollfd wait = { .fd = signals, .events = POLLIN };

	poll(&wait, 1, PATIENCE);
	return is_interrupted(signals);
}

int mp_loop_run(const struct mp_loop *loop, int signals)
{
	struct mp_session *session = loop->session;
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = session->tracer.rings.poll_fd, .events = POLLIN },
		{ .fd = mp_session_follows(session) ? session->follower.fd : -1,
		  .events = POLLIN },
	};
	bool ends = false;
	int ret = 0;

	mp_ready_tell(loop->ready_fd);
	while (!ends && !ret) {
		poll(polls, 3, PATIENCE);
		/*
		 * check for the end before the turn, so that the last turn
		 * reads all events up to the end
		 */
		ends = is_interrupted(signals) ||
		       !mp_targets_exist(loop->targets);
		mp_session_work(session);
		ret = loop->turn(loop->sink);
	}
	return ret < 0 ? ret : 0;
}
