/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follower: probes of binaries that targets begin to use while a session runs
 */
#ifndef MP_FOLLOWER_H
#define MP_FOLLOWER_H

#include "exec-maps.h"
#include "file-set.h"
#include "prober.h"

/**
 * struct mp_follower - how new binaries are noticed
 * @fd: can be read when there is work; -1 for never
 * @err: why the kernel does not tell of new mappings, a negative errno, and the
 *	targets are looked at once a second instead; 0 where it tells
 * @timer: of looking at all targets
 * @behind: mappings were lost or missed, and the timer is set to catch up
 * @nr_missed: files that were gone when looked for, since it caught up last
 * @asked: the process that was asked about last, in one go
 * @wanted: the answer
 * @maps: where it tells
 * @seen: files that were dealt with, by the numbers that the kernel gives
 * @prober: does the rest
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

/** mp_follower_open - begin, and catch up on what was missed so far */
void mp_follower_open(struct mp_follower *follower, struct mp_prober *prober);

/** mp_follower_work - do what fd announced */
void mp_follower_work(struct mp_follower *follower);

/** mp_follower_close - end it */
void mp_follower_close(struct mp_follower *follower);

#endif
