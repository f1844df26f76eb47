// SPDX-License-Identifier: GPL-2.0-only
/*
 * containers: a table of texts for each kind of text
 *
 * A container costs about 400 bytes. If memory is short, functions return -ENOMEM.
 */
#include "containers.h"

#include <errno.h>
#include <string.h>

int mp_containers_add(struct mp_containers *containers, uint64_t cgroup,
		      enum mp_container_text what, const char *text)
{
	char cut[MP_CONTAINER_TEXT_SIZE];
	size_t len = strnlen(text, sizeof(cut) - 1);

	memcpy(cut, text, len);
	cut[len] = '\0';
	return mp_id_names_add(&containers->texts[what], cgroup, cut);
}

const char *mp_containers_find(const struct mp_containers *containers, uint64_t cgroup,
			       enum mp_container_text what)
{
	return mp_id_names_find(&containers->texts[what], cgroup);
}

bool mp_containers_knows(const struct mp_containers *containers, uint64_t cgroup)
{
	int what;

	for (what = MP_CONTAINER_NAME; what < MP_NR_CONTAINER_TEXTS; what++)
		if (mp_containers_find(containers, cgroup, what))
			return true;
	return false;
}

const char *mp_container_key(enum mp_container_text what)
{
	static const char * const keys[MP_NR_CONTAINER_TEXTS] = {
		[MP_CONTAINER_RUNTIME] = "runtime",
		[MP_CONTAINER_NAME] = "container",
		[MP_CONTAINER_POD] = "pod",
		[MP_CONTAINER_NAMESPACE] = "namespace",
		[MP_CONTAINER_IMAGE] = "image",
	};

	return keys[what];
}

int mp_containers_copy(struct mp_containers *to, const struct mp_containers *from)
{
	const struct mp_id_names *names;
	int what, err = 0;
	size_t i;

	for (what = 0; what < MP_NR_CONTAINER_TEXTS; what++) {
		names = &from->texts[what];
		for (i = 0; !err && i < names->nr; i++)
			err = mp_id_names_add(&to->texts[what], names->ids[i],
					      names->texts[i]);
	}
	return err;
}

void mp_containers_free(struct mp_containers *containers)
{
	int what;

	for (what = 0; what < MP_NR_CONTAINER_TEXTS; what++)
		mp_id_names_free(&containers->texts[what]);
}
