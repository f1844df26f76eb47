/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service: tells systemd how the agent is
 */
#ifndef MP_SERVICE_H
#define MP_SERVICE_H

#include <stdint.h>

/**
 * mp_service_say - send a line to the service manager, as sd_notify(3) does
 * @line: such as "READY=1"
 *
 * Does nothing if NOTIFY_SOCKET is not set. With RELOADING=1 the time is sent, too.
 */
void mp_service_say(const char *line);

/** mp_service_watchdog_ns - how often to say WATCHDOG=1, in ns; 0: never */
uint64_t mp_service_watchdog_ns(void);

#endif
