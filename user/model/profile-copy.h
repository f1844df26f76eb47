/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile-copy: a copy of a profile that can be changed
 */
#ifndef MP_PROFILE_COPY_H
#define MP_PROFILE_COPY_H

#include "profile.h"

/**
 * mp_profile_copy - copy all of a profile
 * @to: out; to be freed in any case
 *
 * Return: 0, or -ENOMEM.
 */
int mp_profile_copy(struct mp_profile *to, const struct mp_profile *from);

#endif
