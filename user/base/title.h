/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * title: sets the command line that ps shows for a process
 */
#ifndef MP_TITLE_H
#define MP_TITLE_H

/** mp_title_init - remember the address of the command line; call it first in main() */
void mp_title_init(int argc, char **argv);

/**
 * mp_title_set - show @title instead of the command line
 *
 * It overwrites arguments and environment, which must not be used afterwards.
 * @title is cut to the room that they have.
 */
void mp_title_set(const char *title);

#endif
