/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follower: finds binaries that targets begin to use while a session runs
 */
#ifndef MP_FOLLOWER_H
#define MP_FOLLOWER_H

#include "exec-maps.h"
#include "file-set.h"
#include "prober.h"

/**
 * struct mp_follower - state of the search for new binaries
 * @fd: readable when there is work; -1: never
 * @err: negative errno if the kernel does not report new mappings; then all
 *	targets are scanned every one to ten seconds; else 0
 * @timer: timer for the scan of all targets
 * @look_timer: timer for a look at new mappings; -1: the kernel tells of each
 * @behind: mappings were lost or missed, and the timer is set for a scan
 * @scan_ms: how long the last scan took
 * @nr_missed: files that were not found since the last scan of all targets
 * @asked: the process that was checked last
 * @wanted: the process @asked is a target
 * @maps: mappings that the kernel reports
 * @seen: files that were handled, by device and inode
 * @prober: gets the new binaries; NULL: the follower is not open
 * @mapped: called for each process that maps the code of a file; NULL: not wanted
 * @context: for @mapped
 */
struct mp_follower {
	int fd;
	int err;
	int timer, look_timer;
	bool behind;
	int64_t scan_ms;
	unsigned int nr_missed;
	bool wanted;
	pid_t asked;
	struct mp_exec_maps maps;
	struct mp_file_set seen;
	struct mp_prober *prober;
	void (*mapped)(void *context, pid_t pid);
	void *context;
};

/**
 * mp_follower_open - start to follow, and handle what targets have mapped
 * @early: see each new mapping at once, before the program has allocated much. A build makes
 *	hundreds of them a second; if not, they are looked at ten times a second
 */
void mp_follower_open(struct mp_follower *follower, struct mp_prober *prober, bool early);

/** mp_follower_work - handle the events that made @fd readable */
void mp_follower_work(struct mp_follower *follower);

/** mp_follower_close - stop and free all */
void mp_follower_close(struct mp_follower *follower);

#endif
