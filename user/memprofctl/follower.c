// SPDX-License-Identifier: GPL-2.0-only
/*
 * follower: from mappings to the prober
 *
 * Each executable mapping on the machine costs a hash lookup; one of a new file
 * costs the question whether its process is a target, and then the binary's
 * examination. A process whose parents have died since it was forked is no
 * longer known for a descendant of a target here, though the kernel knows it:
 * binaries that only such processes use are missed.
 */
#include "follower.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int open_timer(void)
{
	struct itimerspec second = {
		.it_interval.tv_sec = 1,
		.it_value.tv_sec = 1,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0)
		timerfd_settime(fd, 0, &second, NULL);
	return fd;
}

void mp_follower_open(struct mp_follower *follower, struct mp_prober *prober)
{
	*follower = (struct mp_follower){ .prober = prober };
	follower->err = mp_exec_maps_open(&follower->maps);
	follower->fd = follower->err ? open_timer() : follower->maps.poll_fd;
	mp_prober_rescan(prober);
}

static bool is_seen(const struct mp_follower *follower,
		    const struct mp_exec_map *map)
{
	return mp_file_set_has(&follower->seen, map->dev, map->inode);
}

static void take(void *context, const struct mp_exec_map *map)
{
	struct mp_follower *follower = context;

	/* not seen until a target maps it */
	if (!map->inode || is_seen(follower, map) ||
	    !mp_prober_wants(follower->prober, map->pid))
		return;
	mp_file_set_add(&follower->seen, map->dev, map->inode);
	mp_prober_process(follower->prober, map->pid);
}

void mp_follower_work(struct mp_follower *follower)
{
	uint64_t lost = follower->maps.nr_lost, ticks;

	if (follower->err) {
		if (read(follower->fd, &ticks, sizeof(ticks)) > 0)
			mp_prober_rescan(follower->prober);
		return;
	}
	mp_exec_maps_drain(&follower->maps, take, follower);
	if (follower->maps.nr_lost != lost)
		mp_prober_rescan(follower->prober);
}

void mp_follower_close(struct mp_follower *follower)
{
	if (follower->err && follower->fd >= 0)
		close(follower->fd);
	if (!follower->err)
		mp_exec_maps_close(&follower->maps);
	mp_file_set_free(&follower->seen);
	follower->fd = -1;
}
