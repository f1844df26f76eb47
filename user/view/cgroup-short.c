// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-short: shortens cgroup paths component by component
 *
 * No memory is allocated. mp_cgroup_shown() also shortens the paths of all
 * other cgroups, to compare them; there are usually a few hundred. Nothing can
 * fail: a path that is too long is cut.
 */
#include "cgroup-short.h"
#include "cgroup-path.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ID_DIGITS	64
#define ID_SHOWN	12
#define UID_SHOWN	8
#define PART_SIZE	256

static size_t nr_hex(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

static bool ends(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Shortens the id in "docker-<64 digits>.scope" and "<64 digits>". */
static void cut_id(char *part)
{
	char *dash = strrchr(part, '-'), *id = dash ? dash + 1 : part;

	if (nr_hex(id) == ID_DIGITS &&
	    (!id[ID_DIGITS] || !strcmp(id + ID_DIGITS, ".scope")))
		id[ID_SHOWN] = '\0';
}

/* Shortens the uid in "kubepods-burstable-pod<uid>.slice" and "pod<uid>". */
static bool cut_pod(char *part)
{
	char *pod = part;

	if (begins(part, "kubepods-")) {
		pod = strstr(part, "-pod");
		pod = pod ? pod + 1 : part;
	}
	if (!begins(pod, "pod") || nr_hex(pod + 3) < UID_SHOWN)
		return false;
	pod[3 + UID_SHOWN] = '\0';
	memmove(part, pod, strlen(pod) + 1);
	return true;
}

static bool is_wrapper(const char *part)
{
	return ends(part, ".slice") || begins(part, "user@") ||
	       !strcmp(part, "kubepods") || !strcmp(part, "burstable") ||
	       !strcmp(part, "besteffort");
}

static void append(char *buf, size_t size, const char *part)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s%s",
		 len && buf[len - 1] != '/' ? "/" : "", part);
}

/* Copies a path's next component. Returns the rest of the path; NULL at the end. */
static const char *next_part(const char *path, char *part)
{
	size_t len;

	path += strspn(path, "/");
	len = strcspn(path, "/");
	if (!len)
		return NULL;
	snprintf(part, PART_SIZE, "%.*s", (int)len, path);
	return path + len;
}

static void keep_user(char *buf, size_t size, char *part)
{
	if (!begins(part, "user-") || !isdigit(part[5]))
		return;
	part[strlen(part) - strlen(".slice")] = '\0';
	append(buf, size, part);
}

void mp_cgroup_short(char *buf, size_t size, const char *path, bool whole)
{
	const char *at = path;
	char part[PART_SIZE];
	bool kept = false, dropped = false, pod;

	buf[0] = '\0';
	while ((at = next_part(at, part))) {
		pod = cut_pod(part);
		cut_id(part);
		mp_cgroup_unescape(part);
		/* drop a slice that contains the cgroup, but not the cgroup itself */
		if (!whole && !kept && !pod && is_wrapper(part) &&
		    at[strspn(at, "/")]) {
			dropped = true;
			if (ends(part, ".slice"))
				keep_user(buf, size, part);
			continue;
		}
		if (!dropped && !kept)
			append(buf, size, pod ? "" : "/");
		append(buf, size, part);
		kept = true;
	}
	if (!buf[0])
		snprintf(buf, size, "%s", path);
}

/* Finds what is shown of an image's name: no registry, no folders, no digest. */
static void append_image(char *buf, size_t size, const char *image)
{
	const char *slash = image ? strrchr(image, '/') : NULL, *name = slash ? slash + 1 : image;
	size_t len = strlen(buf);

	/* an image without a name has only a digest */
	if (name && *name && !begins(name, "sha256:") && nr_hex(name) < ID_DIGITS)
		snprintf(buf + len, size - len, " (%.*s)", (int)strcspn(name, "@"), name);
}

/* The part of a path below a container, without what its runtime adds. */
static const char *below(const struct mp_cgroup_path *path)
{
	return strcmp(path->rest, "/container") && strcmp(path->rest, "/payload") ?
	       path->rest : "";
}

bool mp_container_shown(char *buf, size_t size, const struct mp_profile *profile, uint64_t id,
			bool whole)
{
	const struct mp_containers *known = &profile->containers;
	const char *pod = mp_containers_find(known, id, MP_CONTAINER_POD);
	const char *space = mp_containers_find(known, id, MP_CONTAINER_NAMESPACE);
	const char *name = mp_containers_find(known, id, MP_CONTAINER_NAME);
	const char *runtime = mp_containers_find(known, id, MP_CONTAINER_RUNTIME);
	const char *text = mp_id_names_find(&profile->names, id);
	struct mp_cgroup_path path;

	mp_cgroup_path_parse(text ?: "", &path);
	if (!name && !path.id[0] && path.machine[0])
		name = path.machine;
	if (!name && !pod)
		return false;
	path.id[ID_SHOWN] = '\0';
	if (pod)
		snprintf(buf, size, "%s%s%s%s%s%s", path.id[0] ? "" : "pod:",
			 whole && space ? space : "", whole && space ? "/" : "", pod,
			 path.id[0] ? "/" : "", path.id[0] ? name ?: path.id : "");
	else
		snprintf(buf, size, "%s:%s", runtime ?: mp_runtime_name(path.runtime), name);
	if (text)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s",
			 whole ? path.rest : below(&path));
	append_image(buf, size, mp_containers_find(known, id, MP_CONTAINER_IMAGE));
	return true;
}

static void shorten(char *buf, size_t size, const struct mp_profile *profile, uint64_t id,
		    bool whole)
{
	char number[MP_CGROUP_ID_SIZE];

	if (!mp_container_shown(buf, size, profile, id, whole))
		mp_cgroup_short(buf, size, mp_profile_cgroup(profile, id, number), whole);
}

/* Whether another cgroup of the profile would be shown in the same way. */
static bool is_shared(const char *buf, const struct mp_profile *profile, uint64_t id, bool whole)
{
	const struct mp_id_names *names = &profile->names;
	char other[MP_CGROUP_SHORT_SIZE];
	const char *path = mp_id_names_find(names, id);
	size_t i;

	for (i = 0; path && i < names->nr; i++) {
		if (names->ids[i] == id || !strcmp(names->texts[i], path))
			continue;
		shorten(other, sizeof(other), profile, names->ids[i], whole);
		if (!strcmp(other, buf))
			return true;
	}
	return false;
}

void mp_cgroup_shown(char *buf, size_t size, const struct mp_profile *profile, uint64_t id)
{
	char number[MP_CGROUP_ID_SIZE];

	shorten(buf, size, profile, id, false);
	if (!is_shared(buf, profile, id, false))
		return;
	shorten(buf, size, profile, id, true);
	if (is_shared(buf, profile, id, true))
		mp_cgroup_short(buf, size, mp_profile_cgroup(profile, id, number), true);
}
