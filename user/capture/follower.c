// SPDX-License-Identifier: GPL-2.0-only
/*
 * follower: passes new executable mappings to the prober
 *
 * Each executable mapping on the machine costs a hash lookup. The first mapping
 * of a file also costs a check whether its process is a target, and the
 * examination of the file. If the process has unmapped the file before that,
 * another target may still map it, so all targets are examined a second later, or some
 * seconds later if that takes long: a build has such files all the time.
 * If no target maps the file, it is examined when it is mapped again.
 *
 * The kernel follows a process whose parent exited after the fork, but this
 * file cannot recognise it as a descendant of a target. Files that only such
 * processes map are missed.
 */
#include "follower.h"
#include "clock.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/*
 * Some files are not found when they are searched: the process has exited, or
 * the file system reports another inode (overlayfs). Each search reads one
 * process. After this many failed searches, new files are only found by the next scan of
 * all targets.
 */
#define MAX_MISSED	16

/* Time between looks at new mappings, if they are not seen at once */
#define LOOK_MS		100

/* The pause between scans is that many times as long as a scan, within these limits. */
#define SCAN_SHARE	50
#define MIN_PAUSE_MS	1000
#define MAX_PAUSE_MS	10000

/* The timer expires once. */
static void set_timer(const struct mp_follower *follower)
{
	int64_t pause_ms = follower->scan_ms * SCAN_SHARE;
	struct itimerspec once = { 0 };

	if (pause_ms < MIN_PAUSE_MS)
		pause_ms = MIN_PAUSE_MS;
	if (pause_ms > MAX_PAUSE_MS)
		pause_ms = MAX_PAUSE_MS;
	once.it_value.tv_sec = pause_ms / 1000;
	once.it_value.tv_nsec = pause_ms % 1000 * 1000000L;
	timerfd_settime(follower->timer, 0, &once, NULL);
}

/* Returns a timer that expires again and again. */
static int make_look_timer(void)
{
	const struct itimerspec again = {
		.it_value.tv_nsec = LOOK_MS * 1000000L, .it_interval.tv_nsec = LOOK_MS * 1000000L,
	};
	const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (timer >= 0)
		timerfd_settime(timer, 0, &again, NULL);
	return timer;
}

void mp_follower_open(struct mp_follower *follower, struct mp_prober *prober, bool early)
{
	struct epoll_event event = { .events = EPOLLIN };

	*follower = (struct mp_follower){ .prober = prober };
	follower->timer = timerfd_create(CLOCK_MONOTONIC,
					 TFD_CLOEXEC | TFD_NONBLOCK);
	follower->err = mp_exec_maps_open(&follower->maps, early);
	follower->fd = follower->err ? follower->timer :
				       follower->maps.poll_fd;
	if (!follower->err)
		epoll_ctl(follower->fd, EPOLL_CTL_ADD, follower->timer, &event);
	follower->look_timer = early || follower->err ? -1 : make_look_timer();
	if (follower->look_timer >= 0)
		epoll_ctl(follower->fd, EPOLL_CTL_ADD, follower->look_timer, &event);
	mp_prober_rescan(prober);
	/* without rings, nothing else tells of new mappings */
	if (follower->err)
		set_timer(follower);
}

static bool is_seen(const struct mp_follower *follower,
		    const struct mp_exec_map *map)
{
	return mp_file_set_has(&follower->seen, map->dev, map->inode);
}

/* The result is kept, so that all mappings of one exec need one check only. */
static bool is_wanted(struct mp_follower *follower, pid_t pid)
{
	if (follower->asked != pid) {
		follower->asked = pid;
		follower->wanted = mp_prober_wants(follower->prober, pid);
	}
	return follower->wanted;
}

/*
 * A ring can overflow many times, and a scan of all targets takes time: scan
 * only once.
 */
static void catch_up_soon(struct mp_follower *follower)
{
	if (!follower->behind)
		set_timer(follower);
	follower->behind = true;
}

static void examine_file(struct mp_follower *follower, const struct mp_exec_map *map)
{
	/* late looks meet short programs that have ended */
	if (follower->look_timer >= 0 && kill(map->pid, 0) && errno == ESRCH)
		return;
	if (follower->nr_missed < MAX_MISSED &&
	    mp_prober_await(follower->prober, map->pid, map->inode)) {
		mp_file_set_add(&follower->seen, map->dev, map->inode);
		return;
	}
	follower->nr_missed++;
	catch_up_soon(follower);
}

static void handle_mapping(void *context, const struct mp_exec_map *map)
{
	struct mp_follower *follower = context;

	/* an exec or a new name may have made the process a target */
	if (!map->inode)
		follower->asked = 0;
	else if (follower->mapped)
		follower->mapped(follower->context, map->pid);
	/*
	 * do not mark files as seen that only other processes map: a target may
	 * map them later
	 */
	if (!map->inode)
		return;
	if (!is_seen(follower, map)) {
		if (is_wanted(follower, map->pid))
			examine_file(follower, map);
	} else if (mp_python_processes_has(&follower->prober->python, map->inode) &&
		   is_wanted(follower, map->pid)) {
		mp_prober_mapped(follower->prober, map->pid);
	}
}

static void drain_mappings(struct mp_follower *follower)
{
	uint64_t lost = follower->maps.nr_lost;

	follower->asked = 0;
	mp_exec_maps_drain(&follower->maps, handle_mapping, follower);
	if (follower->maps.nr_lost != lost || follower->prober->python.is_behind)
		catch_up_soon(follower);
	follower->prober->python.is_behind = false;
}

void mp_follower_work(struct mp_follower *follower)
{
	uint64_t ticks;
	int64_t begin_ms;

	if (!follower->err)
		drain_mappings(follower);
	/* not readable any more; what it says does not matter */
	if (follower->look_timer >= 0 &&
	    read(follower->look_timer, &ticks, sizeof(ticks)) < 0)
		ticks = 0;
	if (read(follower->timer, &ticks, sizeof(ticks)) < 0)
		return;
	follower->behind = false;
	follower->nr_missed = 0;
	begin_ms = mp_clock_ms();
	mp_prober_rescan(follower->prober);
	follower->scan_ms = mp_clock_ms() - begin_ms;
	if (follower->err)
		set_timer(follower);
}

void mp_follower_close(struct mp_follower *follower)
{
	if (follower->timer >= 0)
		close(follower->timer);
	if (follower->look_timer >= 0)
		close(follower->look_timer);
	if (!follower->err)
		mp_exec_maps_close(&follower->maps);
	mp_file_set_free(&follower->seen);
	follower->fd = -1;
}
