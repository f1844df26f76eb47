/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counter: what the names of the session's drop and skip counters mean
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

/**
 * enum mp_counter_class - what a counter above zero tells
 * @MP_COUNTER_LOSS: something is missing from the numbers
 * @MP_COUNTER_MISTAKE: what was asked for could not be done
 * @MP_COUNTER_INEXACT: something is in the numbers, less exactly than usual
 * @MP_COUNTER_NORMAL: events that were not asked for
 * @MP_COUNTER_UNKNOWN: this program does not know the name
 */
enum mp_counter_class {
	MP_COUNTER_LOSS,
	MP_COUNTER_MISTAKE,
	MP_COUNTER_INEXACT,
	MP_COUNTER_UNKNOWN,
	MP_COUNTER_NORMAL,
	MP_NR_COUNTER_CLASSES,
};

struct mp_counter_info {
	const char *name;
	enum mp_counter_class class;
	const char *meaning;
};

/**
 * mp_counter_info - look a counter up
 * @name: as the kernel module reports it
 *
 * Return: its entry; one of class MP_COUNTER_UNKNOWN and without a meaning for
 * names that a newer module may have.
 */
const struct mp_counter_info *mp_counter_info(const char *name);

/**
 * mp_counter_class_title - heading over the counters of a class
 */
const char *mp_counter_class_title(enum mp_counter_class class);

#endif
