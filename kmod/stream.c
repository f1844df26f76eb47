// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls each step of a session for all streams that the session asked for: in
 * the order of main.c's list to set up, in reverse order to undo. A step that
 * fails undoes what it did for the streams before the one that failed.
 *
 * Cost: some indirect calls per open, ioctl and close.
 */
#include "stream.h"
#include <linux/bug.h>
#include <linux/errno.h>

/* Written by memprof_streams_init() only, before the device exists. */
static const struct memprof_stream_ops *const *streams;
static int nr_streams;

static bool is_asked_for(const struct memprof_stream_ops *ops, u32 flags)
{
	return !ops->flag || ops->flag & flags;
}

static void exit_streams(int nr)
{
	while (nr--)
		if (streams[nr]->exit)
			streams[nr]->exit();
}

/**
 * memprof_streams_init() - store the list of streams and initialise each stream
 * @list: ops, in the order of initialisation; stays valid
 * @nr: streams in @list, at most MEMPROF_MAX_STREAMS
 *
 * Return: 0 or the errno of the stream that failed.
 */
int memprof_streams_init(const struct memprof_stream_ops *const *list, u32 nr)
{
	int i, err;

	if (WARN_ON(nr > MEMPROF_MAX_STREAMS))
		return -EINVAL;
	streams = list;
	nr_streams = nr;
	for (i = 0; i < nr_streams; i++) {
		err = streams[i]->init ? streams[i]->init() : 0;
		if (err) {
			exit_streams(i);
			return err;
		}
	}
	return 0;
}

/**
 * memprof_streams_exit() - undo memprof_streams_init(); no file is open
 */
void memprof_streams_exit(void)
{
	exit_streams(nr_streams);
}

/**
 * memprof_streams_features() - enum memprof_feature bits of all streams
 */
u64 memprof_streams_features(void)
{
	u64 features = 0;
	int i;

	for (i = 0; i < nr_streams; i++)
		features |= streams[i]->features;
	return features;
}

/**
 * memprof_streams_open() - a file was opened
 * @s: its session
 *
 * Return: 0 or an errno; memprof_streams_close() follows in either case.
 */
int memprof_streams_open(struct memprof_session *s)
{
	int i, err;

	for (i = 0; i < nr_streams; i++) {
		err = streams[i]->open ? streams[i]->open(s) : 0;
		if (err)
			return err;
	}
	return 0;
}

/**
 * memprof_streams_close() - undo memprof_streams_open()
 * @s: session of a file that is closed
 */
void memprof_streams_close(struct memprof_session *s)
{
	int i;

	for (i = nr_streams - 1; i >= 0; i--)
		if (streams[i]->close)
			streams[i]->close(s);
}

/**
 * memprof_streams_check() - check the options of START and fill in defaults
 * @options: from user space, not checked yet
 *
 * Return: 0; -EINVAL for a flag of no stream or a value out of its range;
 * -EOPNOTSUPP for a flag that this kernel does not support.
 */
int memprof_streams_check(struct memprof_start *options)
{
	u32 known = 0, supported = 0;
	int i, err;

	for (i = 0; i < nr_streams; i++) {
		known |= streams[i]->flag;
		if (streams[i]->features)
			supported |= streams[i]->flag;
		err = streams[i]->check ? streams[i]->check(options) : 0;
		if (err)
			return err;
	}
	if (options->flags & ~known)
		return -EINVAL;
	return options->flags & ~supported ? -EOPNOTSUPP : 0;
}

/**
 * memprof_streams_prepare() - allocate the tables of the streams
 * @s: session that starts
 * @flags: its streams
 *
 * Return: 0 or an errno; memprof_streams_release() follows in either case.
 */
int memprof_streams_prepare(struct memprof_session *s, u32 flags)
{
	int i, err;

	for (i = 0; i < nr_streams; i++) {
		if (!streams[i]->prepare || !is_asked_for(streams[i], flags))
			continue;
		err = streams[i]->prepare(s);
		if (err)
			return err;
	}
	return 0;
}

/**
 * memprof_streams_release() - undo memprof_streams_prepare()
 * @s: session whose streams are quiet
 */
void memprof_streams_release(struct memprof_session *s)
{
	int i;

	for (i = nr_streams - 1; i >= 0; i--)
		if (streams[i]->release)
			streams[i]->release(s);
}

static void unhook_streams(int nr, u32 flags)
{
	while (nr--)
		if (streams[nr]->unhook && is_asked_for(streams[nr], flags))
			streams[nr]->unhook();
}

/**
 * memprof_streams_hook() - take one use of the streams' machine-wide hooks
 * @flags: streams of a session; the lock of all sessions is held
 *
 * Return: 0, or an errno with no use taken.
 */
int memprof_streams_hook(u32 flags)
{
	int i, err;

	for (i = 0; i < nr_streams; i++) {
		if (!streams[i]->hook || !is_asked_for(streams[i], flags))
			continue;
		err = streams[i]->hook();
		if (err) {
			unhook_streams(i, flags);
			return err;
		}
	}
	return 0;
}

/**
 * memprof_streams_unhook() - undo one memprof_streams_hook()
 * @flags: the same; the lock of all sessions is held
 */
void memprof_streams_unhook(u32 flags)
{
	unhook_streams(nr_streams, flags);
}

static void stop_streams(struct memprof_session *s, int nr, u32 flags)
{
	while (nr--)
		if (streams[nr]->stop && is_asked_for(streams[nr], flags))
			streams[nr]->stop(s);
}

/**
 * memprof_streams_start() - install the probes of a session
 * @s: session that starts; probes can find it
 * @flags: its streams
 *
 * Return: 0, or an errno; the caller then calls memprof_streams_quiesce().
 */
int memprof_streams_start(struct memprof_session *s, u32 flags)
{
	int i, err;

	for (i = 0; i < nr_streams; i++) {
		if (!streams[i]->start || !is_asked_for(streams[i], flags))
			continue;
		err = streams[i]->start(s);
		if (err) {
			stop_streams(s, i, flags);
			return err;
		}
	}
	return 0;
}

/**
 * memprof_streams_stop() - remove the probes of a session
 * @s: session that stops; probes can still find it
 * @flags: its streams
 */
void memprof_streams_stop(struct memprof_session *s, u32 flags)
{
	stop_streams(s, nr_streams, flags);
}

/**
 * memprof_streams_quiesce() - wait until nothing of the streams runs
 * @s: session that no probe can find, after a grace period
 * @flags: its streams
 */
void memprof_streams_quiesce(struct memprof_session *s, u32 flags)
{
	int i;

	for (i = nr_streams - 1; i >= 0; i--)
		if (streams[i]->quiesce && is_asked_for(streams[i], flags))
			streams[i]->quiesce(s);
}

/**
 * memprof_streams_missed() - events that the hooks lost since the module loaded
 * @missed: filled, one value per stream: MEMPROF_MAX_STREAMS of them
 */
void memprof_streams_missed(unsigned long *missed)
{
	int i;

	for (i = 0; i < MEMPROF_MAX_STREAMS; i++)
		missed[i] = i < nr_streams && streams[i]->missed ?
			    streams[i]->missed() : 0;
}

/**
 * memprof_streams_add_missed() - add lost events to the streams' counters
 * @flags: streams of a session
 * @missed: one value per stream
 * @counters: rows in the order of enum memprof_count
 */
void memprof_streams_add_missed(u32 flags, const unsigned long *missed,
				struct memprof_counter *counters)
{
	int i;

	for (i = 0; i < nr_streams; i++)
		if (streams[i]->missed && is_asked_for(streams[i], flags))
			counters[streams[i]->missed_count].value += missed[i];
}

/**
 * memprof_streams_status() - fill in the streams' fields of STATUS
 * @s: its lock is held
 * @out: to fill
 */
void memprof_streams_status(const struct memprof_session *s,
			    struct memprof_status *out)
{
	int i;

	for (i = 0; i < nr_streams; i++)
		if (streams[i]->status)
			streams[i]->status(s, out);
}
