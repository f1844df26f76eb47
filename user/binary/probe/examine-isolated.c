// SPDX-License-Identifier: GPL-2.0-only
/*
 * examine-isolated: runs mp_examine() in a child, see isolate.h
 */
#include "isolate.h"
#include "examine.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MP_ISOLATE_WHY_SIZE <= MP_REMARK_SIZE, "a reason is a remark");

/* Without names in @user it has no pointers. */
struct question {
	struct mp_user_functions user;
	int fd;
	char path[PATH_MAX + 32];
};

/* The result that the child sends. */
struct answer {
	uint32_t examined;
	char why[MP_REMARK_SIZE];
	struct mp_scan scan;
};

static void examine_in_child(void *context, void *result)
{
	const struct question *question = context;
	struct answer *answer = result;
	const char *why = mp_examine(&question->user, question->fd,
				     question->path, &answer->scan);

	answer->examined = !why;
	snprintf(answer->why, sizeof(answer->why), "%s", why ? why : "");
}

/* Checks the child's result before use. */
static bool check_result(const struct answer *answer, struct mp_scan *scan, char *why)
{
	char text[MP_REMARK_SIZE];

	if (answer->examined && mp_scan_is_sound(&answer->scan)) {
		*scan = answer->scan;
		return true;
	}
	snprintf(text, sizeof(text), "%.*s", MP_REMARK_SIZE - 1,
		 answer->examined ? "its result is invalid: corrupt" :
		 answer->why);
	mp_text_escape(why, MP_REMARK_SIZE, text, sizeof(text));
	return false;
}

bool mp_examine_isolated(const struct mp_user_functions *user, int fd,
			 const char *path, struct mp_scan *scan, char *why)
{
	struct question question = { .fd = fd };
	struct answer *answer = calloc(1, sizeof(*answer));
	struct mp_isolate isolate = {
		.work = examine_in_child,
		.context = &question,
		.context_size = (user && user->nr) || *path != '/' ? 0 : sizeof(question),
		.result = answer,
		.size = sizeof(*answer),
		.fd = fd,
	};
	bool examined = false;

	if (user)
		question.user = *user;
	snprintf(question.path, sizeof(question.path), "%s", path);
	memset(scan, 0, sizeof(*scan));
	snprintf(why, MP_REMARK_SIZE, "out of memory");
	if (answer && mp_isolate_run(&isolate, why))
		examined = check_result(answer, scan, why);
	free(answer);
	return examined;
}
