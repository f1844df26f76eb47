// SPDX-License-Identifier: GPL-2.0-only
/*
 * container-names: a child that reads files, and an answer that is checked
 *
 * The files belong to runtimes, and some of them to ordinary users, who write what they
 * like. The child has limits of time and memory, and its answer is as untrusted as the
 * files. The cost is 2 ms, and 0.1 ms for each container. If the child fails, there are no
 * names.
 */
#include "container-names.h"
#include "container-file.h"
#include "isolate.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Containers of one look-up. */
#define MAX_WANTED	4096

#define SECONDS		2
#define PATIENCE_MS	3000
#define DATA		(256UL << 20)

/*
 * What the child sends for each text, before the text. After the last one comes one whose
 * @what is MP_NR_CONTAINER_TEXTS and whose @wanted is the number of refused files.
 */
struct piece {
	uint32_t wanted;
	uint16_t what;
	uint16_t len;
};

struct look_up {
	struct mp_container_wanted *wanted;
	size_t nr;
	size_t nr_unknown;
	size_t nr_skipped;
	const char *root;
};

/* The files of a user's containers are in the home; the others are the system's. */
static void find_home(struct mp_container_wanted *wanted)
{
	const struct passwd *user = wanted->path.has_user ? getpwuid(wanted->path.user) : NULL;

	wanted->home[0] = '\0';
	if (user && wanted->path.user && user->pw_dir && user->pw_dir[0] == '/' &&
	    strlen(user->pw_dir) < sizeof(wanted->home))
		strcpy(wanted->home, user->pw_dir);
}

static bool is_container(const struct mp_cgroup_path *path)
{
	return path->id[0] || (path->machine[0] && path->runtime != MP_RUNTIME_LXC);
}

static int collect(const struct mp_profile *profile, struct look_up *look_up)
{
	const struct mp_id_names *names = &profile->names;
	struct mp_container_wanted *wanted;
	struct mp_cgroup_path path;
	size_t i;

	for (i = 0; i < names->nr; i++) {
		mp_cgroup_path_parse(names->texts[i], &path);
		if (!is_container(&path))
			continue;
		if (look_up->nr == MAX_WANTED) {
			look_up->nr_skipped++;
			continue;
		}
		if (!(look_up->nr & (look_up->nr - 1))) {
			wanted = realloc(look_up->wanted, (2 * look_up->nr + 1) * sizeof(*wanted));
			if (!wanted)
				return -ENOMEM;
			look_up->wanted = wanted;
		}
		wanted = &look_up->wanted[look_up->nr++];
		wanted->cgroup = names->ids[i];
		wanted->path = path;
		wanted->known = mp_containers_knows(&profile->containers, names->ids[i]);
		look_up->nr_unknown += !wanted->known;
		find_home(wanted);
	}
	return 0;
}

static void send_texts(FILE *to, uint32_t number, const struct mp_container_said *said)
{
	struct piece piece = { .wanted = number };

	for (piece.what = 0; piece.what < MP_NR_CONTAINER_TEXTS; piece.what++) {
		piece.len = (uint16_t)strlen(said->text[piece.what]);
		if (!piece.len)
			continue;
		fwrite(&piece, sizeof(piece), 1, to);
		fwrite(said->text[piece.what], piece.len, 1, to);
	}
}

static bool send_all(void *context, FILE *to)
{
	const struct look_up *look_up = context;
	struct mp_container_files *files = calloc(1, sizeof(*files));
	struct piece end = { .what = MP_NR_CONTAINER_TEXTS };
	struct mp_container_said said;
	uint32_t i;

	if (!files)
		return false;
	files->root = look_up->root;
	for (i = 0; i < look_up->nr; i++)
		if (!look_up->wanted[i].known &&
		    mp_container_file_read(files, &look_up->wanted[i], &said))
			send_texts(to, i, &said);
	end.wanted = files->nr_refused;
	mp_container_files_close(files);
	free(files);
	return fwrite(&end, sizeof(end), 1, to);
}

/* Takes one text of the answer. Returns 0, -EIO if it cannot be one, or -ENOMEM. */
static int take_text(struct mp_profile *profile, const struct look_up *look_up,
		     const struct piece *piece, const char *bytes)
{
	char text[MP_CONTAINER_TEXT_SIZE];

	if (piece->wanted >= look_up->nr || piece->what >= MP_NR_CONTAINER_TEXTS ||
	    piece->len >= sizeof(text))
		return -EIO;
	memcpy(text, bytes, piece->len);
	text[piece->len] = '\0';
	return mp_containers_add(&profile->containers, look_up->wanted[piece->wanted].cgroup,
				 piece->what, text);
}

/* A hostile file can have taken over the child: what is not as it should be ends the answer. */
static int take_answer(struct mp_profile *profile, const struct look_up *look_up,
		       const struct mp_isolate_answer *answer)
{
	const char *at = answer->data, *end = at + answer->size;
	struct piece piece;
	int err = 0;

	while (!err && end - at >= (ssize_t)sizeof(piece)) {
		memcpy(&piece, at, sizeof(piece));
		at += sizeof(piece);
		if (piece.what == MP_NR_CONTAINER_TEXTS)
			return piece.wanted ? mp_profile_add_counter(profile, "container_refused",
								     piece.wanted) : 0;
		if (piece.len > end - at)
			break;
		err = take_text(profile, look_up, &piece, at);
		at += piece.len;
	}
	return err == -ENOMEM ? err : 0;
}

static int ask_child(struct mp_profile *profile, struct look_up *look_up)
{
	const struct mp_isolate_stream stream = {
		.isolate = {
			.context = look_up, .fd = -1, .seconds = SECONDS,
			.patience_ms = PATIENCE_MS, .data = DATA,
		},
		.send = send_all,
		.max = 64 + look_up->nr * MP_NR_CONTAINER_TEXTS *
		       (sizeof(struct piece) + MP_CONTAINER_TEXT_SIZE),
	};
	struct mp_isolate_answer answer;
	char why[MP_ISOLATE_WHY_SIZE];
	int err;

	if (!mp_isolate_stream(&stream, &answer, why))
		return mp_profile_add_counter(profile, "container_skipped", look_up->nr_unknown);
	err = take_answer(profile, look_up, &answer);
	free(answer.data);
	return err;
}

/* Gives the pod's cgroup the names that one of the pod's containers has. */
static int name_pod(struct mp_profile *profile, const struct look_up *look_up,
		    uint64_t cgroup, const char *uid)
{
	static const enum mp_container_text texts[] = { MP_CONTAINER_POD, MP_CONTAINER_NAMESPACE };
	const struct mp_container_wanted *wanted = look_up->wanted;
	const char *text;
	int err = 0;
	size_t i, k;

	for (i = 0; !err && i < look_up->nr; i++)
		for (k = 0; !err && k < 2 && !strcmp(wanted[i].path.pod_uid, uid); k++) {
			text = mp_containers_find(&profile->containers, wanted[i].cgroup, texts[k]);
			err = text ? mp_containers_add(&profile->containers, cgroup, texts[k],
						       text) : 0;
		}
	return err;
}

static int name_pods(struct mp_profile *profile, const struct look_up *look_up)
{
	const struct mp_id_names *names = &profile->names;
	struct mp_cgroup_path path;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < names->nr; i++) {
		mp_cgroup_path_parse(names->texts[i], &path);
		if (path.pod_uid[0] && !path.id[0])
			err = name_pod(profile, look_up, names->ids[i], path.pod_uid);
	}
	return err;
}

int mp_container_names_find(struct mp_profile *profile)
{
	struct look_up look_up = { .root = getenv(MP_CONTAINER_ROOT_ENV) ?: "" };
	int err = collect(profile, &look_up);

	if (!err && look_up.nr_skipped)
		err = mp_profile_add_counter(profile, "container_skipped", look_up.nr_skipped);
	if (!err && look_up.nr_unknown)
		err = ask_child(profile, &look_up);
	if (!err && look_up.nr)
		err = name_pods(profile, &look_up);
	free(look_up.wanted);
	return err;
}
