// SPDX-License-Identifier: GPL-2.0-only
/*
 * alloc-fn: parses the option --alloc-fn
 *
 * A wrong value is reported. The copy of the name is never freed.
 */
#include "alloc-fn.h"
#include "message.h"

#include <errno.h>
#include <string.h>

int mp_alloc_fn_take(void *to, const struct mp_argument *argument)
{
	struct mp_user_functions *functions = to;
	const char *verb = argument->verb, *value = argument->value;
	const char *kind = strrchr(value, '=');
	uint32_t func = kind ? mp_func_find(kind + 1) : 0;
	char *name;

	if (!kind || kind == value || !func)
		return mp_misuse(verb, "--alloc-fn takes NAME=KIND, KIND being one of " MP_ALLOC_FN_VALUES ", not '%s'",
				 value);
	if (functions->nr == MP_MAX_USER_FUNCTIONS)
		return mp_misuse(verb, "--alloc-fn is given more than %d times",
				 MP_MAX_USER_FUNCTIONS);
	name = strndup(value, kind - value);
	if (!name)
		return mp_fail(ENOMEM, NULL, "cannot store --alloc-fn");
	functions->list[functions->nr].name = name;
	functions->list[functions->nr++].func = func;
	return 0;
}
