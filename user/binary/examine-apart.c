// SPDX-License-Identifier: GPL-2.0-only
/*
 * examine-apart: mp_examine() in a child, see apart.h
 */
#include "apart.h"
#include "examine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MP_APART_WHY_SIZE <= MP_REMARK_SIZE, "a reason is a remark");

struct question {
	const struct mp_user_functions *user;
	int fd;
	const char *path;
};

/* What goes through the pipe. */
struct answer {
	bool examined;
	char why[MP_REMARK_SIZE];
	struct mp_scan scan;
};

static void work(void *context, void *result)
{
	const struct question *question = context;
	struct answer *answer = result;
	const char *why = mp_examine(question->user, question->fd,
				     question->path, &answer->scan);

	answer->examined = !why;
	snprintf(answer->why, sizeof(answer->why), "%s", why ? why : "");
}

bool mp_examine_apart(const struct mp_user_functions *user, int fd,
		      const char *path, struct mp_scan *scan, char *why)
{
	struct question question = { user, fd, path };
	struct answer *answer = calloc(1, sizeof(*answer));
	bool examined = false;

	memset(scan, 0, sizeof(*scan));
	snprintf(why, MP_REMARK_SIZE, "out of memory");
	if (answer && mp_apart_run(work, &question, answer, sizeof(*answer),
				   why)) {
		snprintf(why, MP_REMARK_SIZE, "%s", answer->why);
		*scan = answer->scan;
		examined = answer->examined;
	}
	free(answer);
	return examined;
}
