/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counter: describes the counters of dropped and skipped events to users
 */
#ifndef MP_COUNTER_H
#define MP_COUNTER_H

/**
 * enum mp_counter_class - what it means that a counter is above zero
 * @MP_COUNTER_LOSS: data is missing from the numbers
 * @MP_COUNTER_MISTAKE: a setting of the user could not be applied
 * @MP_COUNTER_INEXACT: the events are in the numbers, but less exactly than usual
 * @MP_COUNTER_NORMAL: the events are skipped on purpose
 * @MP_COUNTER_UNKNOWN: this program does not know the counter's name
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
 * Return: the counter's entry. A newer module may report an unknown name; the
 * entry then has class MP_COUNTER_UNKNOWN and no meaning.
 */
const struct mp_counter_info *mp_counter_info(const char *name);

/** mp_counter_class_title - heading for the counters of a class */
const char *mp_counter_class_title(enum mp_counter_class class);

#endif
