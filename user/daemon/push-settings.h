/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push-settings: what the process that sends profiles is told
 */
#ifndef MP_PUSH_SETTINGS_TEXT_H
#define MP_PUSH_SETTINGS_TEXT_H

#include "push.h"

/**
 * mp_push_settings_text - write settings as JSON, with the contents of the files
 * @agent: name and version of this program
 * @text: out; the caller frees it
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_push_settings_text(const struct mp_push_settings *settings, const char *agent,
			  char **text, struct mp_diag *diag);

#endif
