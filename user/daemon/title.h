/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * title: the name under which ps shows a process
 */
#ifndef MP_TITLE_H
#define MP_TITLE_H

/** mp_title_init - remember where the command line is; first thing in main() */
void mp_title_init(int argc, char **argv);

/**
 * mp_title_set - show @title instead of the command line
 *
 * Overwrites arguments and environment: nothing may use either afterwards. Cut
 * where they leave less room.
 */
void mp_title_set(const char *title);

#endif
