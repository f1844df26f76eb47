// SPDX-License-Identifier: GPL-2.0-only
/*
 * injected: puts libmemprof into the target processes that run, for one session
 *
 * A process costs some milliseconds, for which one of its threads waits.
 */
#include "injected.h"
#include "inject.h"
#include "library.h"
#include "process.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Processes that are named in warnings; all are counted. */
#define MAX_NAMED	4

struct walk {
	struct mp_injected *injected;
	const struct mp_prober *filter;
	const struct mp_inject_options *options;
	struct mp_diag *diag, first;
	size_t nr_refused;
	int err;
};

static int keep_pid(struct mp_injected *injected, pid_t pid)
{
	const size_t max = injected->max ? 2 * injected->max : 64;
	pid_t *pids;

	if (injected->nr == injected->max) {
		pids = realloc(injected->pids, max * sizeof(*pids));
		if (!pids)
			return -ENOMEM;
		injected->pids = pids;
		injected->max = max;
	}
	injected->pids[injected->nr++] = pid;
	return 0;
}

static void note_refused(struct walk *walk, const struct mp_diag *why, int err)
{
	if (!walk->nr_refused++) {
		walk->first = *why;
		walk->err = err;
	}
	if (walk->nr_refused <= MAX_NAMED)
		mp_diag_warn(walk->diag, why->hint[0] ? why->hint : NULL, "%s",
			     why->text);
}

static void inject_one(void *context, pid_t pid)
{
	struct mp_injection injection;
	struct mp_diag why = { 0 };
	struct walk *walk = context;
	int err;

	if (pid == getpid() || !mp_prober_wants(walk->filter, pid))
		return;
	err = mp_inject(pid, walk->options, &injection, &why);
	if (err == -EALREADY)
		walk->injected->nr_had++;
	else if (err)
		note_refused(walk, &why, err);
	else if (keep_pid(walk->injected, pid))
		mp_eject(pid, &injection, &why);
}

int mp_injected_begin(struct mp_injected *injected, const struct mp_prober *filter,
		      uint64_t rate, struct mp_diag *diag)
{
	char library[PATH_MAX];
	const struct mp_inject_options options = {
		.library = library, .rate = rate, .flags = MEMPROF_ATTACH_PRIVATE,
	};
	struct walk walk = {
		.injected = injected, .filter = filter, .options = &options,
		.diag = diag,
	};
	int err = mp_library_find(library, diag);

	if (err)
		return err;
	mp_process_each(inject_one, &walk);
	if (injected->nr || injected->nr_had) {
		if (walk.nr_refused > MAX_NAMED)
			mp_diag_warn(diag, NULL, "%zu more processes could not be given the library",
				     walk.nr_refused - MAX_NAMED);
		return 0;
	}
	if (!walk.nr_refused)
		return mp_diag_fail(diag, 0, NULL, "no target runs that could be given the library");
	*diag = walk.first;
	return walk.err;
}

void mp_injected_end(struct mp_injected *injected)
{
	struct mp_injection injection;
	struct mp_diag unused = { 0 };
	size_t i;

	for (i = 0; i < injected->nr; i++)
		mp_eject(injected->pids[i], &injection, &unused);
	free(injected->pids);
	*injected = (struct mp_injected){ 0 };
}
