/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look: what happened in the running session since its user looked last
 */
#ifndef MP_LOOK_H
#define MP_LOOK_H

#include "diag.h"
#include "profile.h"

/**
 * mp_look_again - turn a profile into what happened since the last look
 * @profile: the whole profile of the running session, with all its rows. Out: flows are
 *	those since the last look, see mp_profile_subtract(), and so is the session's
 *	time; callsites and ended processes that have neither flows nor memory are left out.
 *	It stays as it is if there was no earlier look at this session, or its numbers were
 *	reset since then
 * @since_ns: out: CLOCK_MONOTONIC of the last look; 0: there was none
 *
 * This is the last look from now on. It is kept in the folder of the collector's socket,
 * in a file of at most 64 MiB, which ends with the session.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_look_again(struct mp_profile *profile, uint64_t *since_ns, struct mp_diag *diag);

#endif
