/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-folder: makes the folder for the regions of a command's processes
 */
#ifndef MP_REGION_FOLDER_H
#define MP_REGION_FOLDER_H

#include "diag.h"

#include <limits.h>

/**
 * struct mp_region_folder - a temporary folder
 * @regions: the folder that the library writes to
 * @top: its parent folder, or the same folder
 */
struct mp_region_folder {
	char top[PATH_MAX];
	char regions[PATH_MAX + 8];
};

/**
 * mp_region_folder_make - make the folder, in TMPDIR or /tmp
 *
 * If we are root, all users can write to it, because the command may change its user.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_region_folder_make(struct mp_region_folder *folder, struct mp_diag *diag);

/** mp_region_folder_remove - remove the folder and the files in it */
void mp_region_folder_remove(const struct mp_region_folder *folder);

#endif
