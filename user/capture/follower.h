/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follower: probes binaries that targets begin to use while a session runs
 */
#ifndef MP_FOLLOWER_H
#define MP_FOLLOWER_H

#include "exec-maps.h"
#include "file-set.h"
#include "prober.h"

/**
 * struct mp_follower - how new binaries are noticed
 * @fd: can be read when there is work; -1: never
 * @err: why the kernel does not report new mappings, a negative errno: the targets are
 *	looked at once a second instead; 0 where it does
 * @timer: for looking at all targets
 * @behind: mappings were lost or missed, and the timer is set to catch up
 * @nr_missed: files that could not be found since the last look at all targets
 * @asked: the process that was checked last
 * @wanted: whether it is a target
 * @maps: the kernel's reports
 * @seen: files that were handled, by the kernel's numbers
 * @prober: gets the new binaries; NULL: the follower is not open
 */
struct mp_follower {
	int fd;
	int err;
	int timer;
	bool behind;
	unsigned int nr_missed;
	bool wanted;
	pid_t asked;
	struct mp_exec_maps maps;
	struct mp_file_set seen;
	struct mp_prober *prober;
};

/** mp_follower_open - begin, and handle what was mapped so far */
void mp_follower_open(struct mp_follower *follower, struct mp_prober *prober);

/** mp_follower_work - handle what @fd announced */
void mp_follower_work(struct mp_follower *follower);

/** mp_follower_close - end it */
void mp_follower_close(struct mp_follower *follower);

#endif
