/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: the parts that observe something for a session.
 *
 * main.c lists the streams. session.c calls them through their ops and names no
 * stream, so a stream may use the session, but not the reverse. Only open,
 * ioctl and close call through the ops; a probe handler never does.
 */
#ifndef _MEMPROF_STREAM_H
#define _MEMPROF_STREAM_H

#include <linux/types.h>
#include <uapi/linux/memprof.h>
#include "counter.h"

#define MEMPROF_MAX_STREAMS 8

struct memprof_session;

/**
 * struct memprof_stream_ops - what a stream does at each step of a session
 * @flag: enum memprof_start_flag bit that asks for the stream; 0: the stream is
 *	a part of every session
 * @features: enum memprof_feature bits for INFO; 0: this kernel lacks what the
 *	stream needs, and START refuses @flag
 * @missed_count: counter that the values of @missed are added to
 * @init: the module is loaded
 * @exit: the module is unloaded; no file is open
 * @open: a file was opened; allocates what the file needs before START
 * @close: the file is closed; frees what @open and later ioctls allocated, also
 *	after a failed @open
 * @check: START, also without @flag: checks the stream's fields of the options
 *	and fills in their defaults
 * @prepare: START: allocates the stream's tables; probes cannot find the session
 * @hook: START: takes one use of the stream's machine-wide hooks
 * @start: START: probes can find the session; installs the probes of this
 *	session. After an error no probe of the stream is installed.
 * @stop: STOP: removes the probes that @start installed
 * @unhook: STOP: gives back one use of the hooks; probes cannot find the session
 * @quiesce: STOP: waits until no handler and no work of the stream runs. Also
 *	called after a failed @start, and without one.
 * @release: frees what @prepare allocated; also called without one
 * @missed: events that the hooks lost since the module was loaded
 * @status: fills in the stream's fields of STATUS
 *
 * Every callback may be NULL, and all run in process context. The lock of all
 * sessions is held for @hook and @unhook; the session's lock is held for the
 * callbacks from @check to @status, except for @release at close.
 */
struct memprof_stream_ops {
	u32 flag;
	u64 features;
	enum memprof_count missed_count;

	int (*init)(void);
	void (*exit)(void);
	int (*open)(struct memprof_session *s);
	void (*close)(struct memprof_session *s);
	int (*check)(struct memprof_start *options);
	int (*prepare)(struct memprof_session *s);
	int (*hook)(void);
	int (*start)(struct memprof_session *s);
	void (*stop)(struct memprof_session *s);
	void (*unhook)(void);
	void (*quiesce)(struct memprof_session *s);
	void (*release)(struct memprof_session *s);
	unsigned long (*missed)(void);
	void (*status)(const struct memprof_session *s,
		       struct memprof_status *out);
};

int memprof_streams_init(const struct memprof_stream_ops *const *list, u32 nr);
void memprof_streams_exit(void);
u64 memprof_streams_features(void);

int memprof_streams_open(struct memprof_session *s);
void memprof_streams_close(struct memprof_session *s);

/* @flags: enum memprof_start_flag bits of the session. */
int memprof_streams_check(struct memprof_start *options);
int memprof_streams_prepare(struct memprof_session *s, u32 flags);
int memprof_streams_hook(u32 flags);
int memprof_streams_start(struct memprof_session *s, u32 flags);
void memprof_streams_stop(struct memprof_session *s, u32 flags);
void memprof_streams_unhook(u32 flags);
void memprof_streams_quiesce(struct memprof_session *s, u32 flags);
void memprof_streams_release(struct memprof_session *s);

void memprof_streams_missed(unsigned long *missed);
void memprof_streams_add_missed(u32 flags, const unsigned long *missed,
				struct memprof_counter *counters);
void memprof_streams_status(const struct memprof_session *s,
			    struct memprof_status *out);

#endif
