/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests' hands on /dev/memprof: one call each, -errno on failure. */
#ifndef _TEST_SESSION_H
#define _TEST_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/memprof.h>

int session_open(void);
int session_ioctl(int fd, unsigned long cmd, void *arg);

int session_target_all(int fd);
int session_target_pid(int fd, pid_t pid, uint32_t flags);
int session_target_cgroup(int fd, uint64_t id);
int session_target_comm(int fd, const char *comm);

/* Periods of 0: the stream is off. growth: 0 or 1. */
int session_start(int fd, uint32_t minor, uint32_t major, int growth);
int session_stop(int fd);
/* Probes a function of this program or of a library at its first instruction. */
int session_probe(int fd, void *function, uint32_t func);
/* The same; all but the file and the offset is filled in. */
int session_probe_like(int fd, void *function, struct memprof_probe *a);
int session_snapshot(int fd, uint32_t flags);
int session_status(int fd, struct memprof_status *out);

/* Rows of the last snapshot; the first that fits, or -ENOENT. */
int session_process(int fd, pid_t pid, uint32_t flags,
		    struct memprof_process *out);
int session_cgroup(int fd, uint64_t id, struct memprof_cgroup *out);
int64_t session_counter(int fd, const char *name);
int session_nr_rows(int fd, uint32_t table);
/* The i-th callsite; -ENOENT behind the last. */
int session_site(int fd, int i, struct memprof_site *site);
/* The callsite inside a function of this program: the first behind its beginning. */
int session_site_in(int fd, void *function, struct memprof_site *site);
/* Bytes by which calls from a function made its process grow. */
int64_t session_growth_of(int fd, void *function);

/* A snapshot and the living row of a process, at once. */
int session_look(int fd, pid_t pid, struct memprof_process *out);

/* Moves a process to a cgroup, which is a path of cgroupfs. 0 or -errno. */
int session_move(const char *cgroup, pid_t pid);

/* Waits until a process is in pause(), for a minute at most: whether it is. */
bool session_pauses(pid_t pid);

#endif
