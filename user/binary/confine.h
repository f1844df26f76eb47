/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * confine: takes from a child all that reading files does not need
 */
#ifndef MP_CONFINE_H
#define MP_CONFINE_H

#include "isolate.h"

/**
 * mp_confine_prepare - make what children need; called in the process that forks them
 * @to: descriptor to which the child will write
 */
void mp_confine_prepare(int to);

/**
 * mp_confine - set the limits and drop the rights; called in the child
 * @isolate: the limits, and the file that stays open
 * @to: descriptor to which the child writes
 */
void mp_confine(const struct mp_isolate *isolate, int to);

/** mp_confine_files - close all files except the standard ones, @fd and @to; -1 is none */
void mp_confine_files(int fd, int to);

#endif
