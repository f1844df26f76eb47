/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile-copy: makes an independent copy of a profile
 */
#ifndef MP_PROFILE_COPY_H
#define MP_PROFILE_COPY_H

#include "profile.h"

/**
 * mp_profile_copy - copy a profile
 * @to: out; free it also after an error
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_copy(struct mp_profile *to, const struct mp_profile *from);

#endif
