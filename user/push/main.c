// SPDX-License-Identifier: GPL-2.0-only
/*
 * memprof-push: sends the agent's profiles to a far end, one after the other
 *
 * The agent starts it, without privileges. It reads strangers' answers and has libraries of
 * TLS, which is why it is a program of its own. It has no files but those that the agent
 * hands over, so it can be killed at any time: the agent has the profile until the answer
 * that it was sent. It ends when the agent closes the socket.
 */
#include "push-request.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_DELAY_S		300
/* Longer than that a far end cannot send away. */
#define MAX_RETRY_AFTER_S	3600

static char *read_settings(void)
{
	char *text = malloc(MP_PUSH_MAX_SETTINGS + 1);
	ssize_t got;

	if (!text)
		return NULL;
	got = pread(MP_PUSH_SETTINGS, text, MP_PUSH_MAX_SETTINGS, 0);
	close(MP_PUSH_SETTINGS);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

/* Returns the job's file. */
static int receive_job(struct mp_push_job *job)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { .iov_base = job, .iov_len = sizeof(*job) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *header;
	ssize_t got;
	int file;

	do
		got = recvmsg(MP_PUSH_SOCKET, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	/* the agent has ended */
	if (got != sizeof(*job))
		exit(0);
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_len != CMSG_LEN(sizeof(int)))
		exit(1);
	memcpy(&file, CMSG_DATA(header), sizeof(file));
	return file;
}

static void answer(const struct mp_push_job *job, const struct mp_push_outcome *outcome)
{
	struct mp_push_answer answer = { .number = job->number, .result = outcome->result };

	snprintf(answer.text, sizeof(answer.text), "%s", outcome->text);
	if (send(MP_PUSH_SOCKET, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
		exit(0);
}

/*
 * The delay doubles with each attempt. It is between half of that and all: many machines that
 * lost the same far end do not come back together.
 */
static int delay_ms(unsigned int nr_attempts, uint64_t retry_after_s)
{
	uint64_t ms = (nr_attempts < 9 ? 1ULL << nr_attempts : MAX_DELAY_S) * 1000;
	uint32_t random = 0;

	if (ms > MAX_DELAY_S * 1000)
		ms = MAX_DELAY_S * 1000;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = 0;
	ms = ms / 2 + ms / 2 * random / UINT32_MAX;
	if (retry_after_s > MAX_RETRY_AFTER_S)
		retry_after_s = MAX_RETRY_AFTER_S;
	return (int)(retry_after_s * 1000 > ms ? retry_after_s * 1000 : ms);
}

/* While a job is not answered, the agent says nothing: what comes is its end. */
static void wait_for(int ms)
{
	struct pollfd end = { .fd = MP_PUSH_SOCKET, .events = POLLIN };

	if (poll(&end, 1, ms) > 0)
		exit(0);
}

static void do_job(const struct mp_push_job *job, int file)
{
	struct mp_push_outcome outcome;
	unsigned int nr_attempts = 0;

	for (;;) {
		mp_push_request_send(job, file, &outcome);
		answer(job, &outcome);
		if (outcome.result != MP_PUSH_DELAYED)
			return;
		wait_for(delay_ms(nr_attempts++, outcome.retry_after_s));
	}
}

int main(void)
{
	struct mp_push_job job;
	char *settings;
	int file;

	/* others of the same user may not read the settings, which have passwords */
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	settings = read_settings();
	if (!settings || !mp_push_request_init(settings)) {
		fputs("memprof-push: memprofctl agent starts it\n", stderr);
		return 2;
	}
	for (;;) {
		file = receive_job(&job);
		do_job(&job, file);
		close(file);
	}
}
