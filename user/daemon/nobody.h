/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nobody: gives up all privileges of a process
 */
#ifndef MP_NOBODY_H
#define MP_NOBODY_H

/**
 * mp_nobody_become - become the user nobody, without capabilities, for ever
 *
 * Where the service may not become another user, it still has no capability. If that
 * cannot be done, the process exits.
 */
void mp_nobody_become(void);

#endif
