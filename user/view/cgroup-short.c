// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-short: shortens cgroup paths component by component
 *
 * No memory is allocated. mp_cgroup_shown() also shortens the paths of all
 * other cgroups, to compare them; there are usually a few hundred. Nothing can
 * fail: a path that is too long is cut.
 */
#include "cgroup-short.h"

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

/* Decodes systemd's escapes, such as \x2d for a dash; but not an escaped slash. */
static void unescape(char *text)
{
	unsigned int code;
	char *to = text;

	while (*text) {
		if (begins(text, "\\x") && isxdigit(text[2]) &&
		    isxdigit(text[3]) && sscanf(text + 2, "%2x", &code) == 1 &&
		    code > ' ' && code < 0x7f && code != '/' && code != '\\') {
			*to++ = (char)code;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
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
		unescape(part);
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

void mp_cgroup_shown(char *buf, size_t size, const char *path,
		     const struct mp_id_names *names)
{
	char other[MP_CGROUP_SHORT_SIZE];
	size_t i;

	mp_cgroup_short(buf, size, path, false);
	for (i = 0; i < names->nr; i++) {
		if (!strcmp(names->texts[i], path))
			continue;
		mp_cgroup_short(other, sizeof(other), names->texts[i], false);
		if (strcmp(other, buf))
			continue;
		mp_cgroup_short(buf, size, path, true);
		return;
	}
}
