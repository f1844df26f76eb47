/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-config: reads the file that says what the agent does
 */
#ifndef MP_AGENT_CONFIG_H
#define MP_AGENT_CONFIG_H

#include "captures.h"
#include "history.h"
#include "push.h"
#include "record-options.h"
#include "triggers.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#define MP_AGENT_CONFIG_FILE	"/etc/memprof/agent.conf"

/* Limit of the texts of all targets together, in bytes. */
#define MP_AGENT_TARGETS_SIZE	8192

/**
 * struct mp_agent_config - the keys of the file, or their defaults
 * @options: what is followed; targets point into @texts
 * @folder: of the history
 * @interval_ms: time between two snapshots
 * @max_cpu: limit of the agent's CPU time, in thousandths of a CPU; 0: that of its cgroup
 * @max_memory: limit of its memory, in bytes; 0: that of its cgroup
 * @limits: of the history
 * @listen: address at which Prometheus gets the numbers; empty: none
 * @listen_group: group that may use it if it is a Unix socket; (gid_t)-1: none
 * @textfile: file that has them, too; empty: none
 * @top: limit of commands and callsites for each cgroup in these numbers
 * @captures: limits of the captures; none if the number is 0
 * @pressure_ms: wait for memory in a second from which on there is a capture; 0: never
 * @triggers: what else is worth a capture
 * @push: where profiles are sent
 * @texts, @used: targets, with NUL bytes behind them
 */
struct mp_agent_config {
	struct mp_record_options options;
	char folder[PATH_MAX];
	uint64_t interval_ms;
	uint64_t max_cpu, max_memory;
	struct mp_history_limits limits;
	char listen[128];
	gid_t listen_group;
	char textfile[PATH_MAX];
	uint64_t top;
	struct mp_captures_limits captures;
	uint64_t pressure_ms;
	struct mp_trigger_settings triggers;
	struct mp_push_settings push;
	char texts[MP_AGENT_TARGETS_SIZE];
	size_t used;
};

/**
 * mp_agent_config_read - read a configuration
 * @file: lines of "key = value"; empty lines, and lines that begin with '#', are ignored
 * @name: of the file, for messages
 *
 * Return: 0, or an exit status after a message that names the line.
 */
int mp_agent_config_read(struct mp_agent_config *config, FILE *file, const char *name);

/**
 * mp_agent_config_load - read the configuration of a path
 * @path: NULL: MP_AGENT_CONFIG_FILE; without that file all keys have their defaults
 *
 * Return: 0, or an exit status after a message.
 */
int mp_agent_config_load(struct mp_agent_config *config, const char *path);

/** mp_agent_config_move - replace a configuration by another one */
void mp_agent_config_move(struct mp_agent_config *to, const struct mp_agent_config *from);

#endif
