/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-outlook: says what the agent will do with a configuration, on this machine
 */
#ifndef MP_AGENT_OUTLOOK_H
#define MP_AGENT_OUTLOOK_H

#include "agent-config.h"

/**
 * mp_agent_outlook - print what the agent will do
 *
 * What this machine lacks now, such as a cgroup, is a warning: it may be there when the
 * agent starts.
 */
void mp_agent_outlook(const struct mp_agent_config *config);

#endif
