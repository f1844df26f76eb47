/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of /dev/memprof for the tests: one ioctl each, -errno on failure.
 */
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

/* A period of 0 turns the stream off. growth is 0 or 1. */
int session_start(int fd, uint32_t minor, uint32_t major, int growth);
int session_stop(int fd);
/* Finds the file of a function, and its offset in bytes. NULL if there is none. */
const char *session_file_of(void *function, uint64_t *offset);
/* Sets a probe at the first instruction of a function of this program or of a library. */
int session_probe(int fd, void *function, uint32_t func);
/* Like session_probe(), with the other fields from @a; sets the file and the offset. */
int session_probe_like(int fd, void *function, struct memprof_probe *a);
int session_snapshot(int fd, uint32_t flags);
int session_status(int fd, struct memprof_status *out);

/* Find rows in the last snapshot: the first that matches, or -ENOENT. */
int session_process(int fd, pid_t pid, uint32_t flags,
		    struct memprof_process *out);
int session_cgroup(int fd, uint64_t id, struct memprof_cgroup *out);
int64_t session_counter(int fd, const char *name);
int session_nr_rows(int fd, uint32_t table);
/* Reads callsite number i of the last snapshot. Returns -ENOENT after the last one. */
int session_site(int fd, int i, struct memprof_site *site);
/* Finds the first callsite after the beginning of a function of this program. */
int session_site_in(int fd, void *function, struct memprof_site *site);
/* Returns the bytes by which calls from a function made its process grow. */
int64_t session_growth_of(int fd, void *function);

/* Takes a snapshot and finds the row of a living process. */
int session_look(int fd, pid_t pid, struct memprof_process *out);

/* Moves a process to a cgroup, given by its path. Returns 0 or -errno. */
int session_move(const char *cgroup, pid_t pid);

/* Waits until a process is in pause(), for at most a minute. Returns true if it is. */
bool session_pauses(pid_t pid);

#endif
