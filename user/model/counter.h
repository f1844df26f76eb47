/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counter: the meaning of the counters of dropped and skipped events
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

/**
 * enum mp_counter_class - the meaning of a counter above zero
 * @MP_COUNTER_LOSS: data is missing from the numbers
 * @MP_COUNTER_MISTAKE: a setting of the user could not be applied
 * @MP_COUNTER_INEXACT: data is in the numbers, but less exactly than usual
 * @MP_COUNTER_NORMAL: events that are skipped on purpose
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
 * mp_counter_info - look up a counter
 * @name: name that the kernel module reports
 *
 * Return: its entry. For a name of a newer module, an entry of class
 * MP_COUNTER_UNKNOWN without a meaning.
 */
const struct mp_counter_info *mp_counter_info(const char *name);

/** mp_counter_class_title - heading for the counters of a class */
const char *mp_counter_class_title(enum mp_counter_class class);

#endif
