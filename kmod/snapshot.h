/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: copies all tables of a session, so that READ can read the copy. */
#ifndef _MEMPROF_SNAPSHOT_H
#define _MEMPROF_SNAPSHOT_H

struct memprof_session;
struct memprof_snapshot;

int memprof_snapshot_take(struct memprof_session *s,
			  struct memprof_snapshot *arg);

#endif
