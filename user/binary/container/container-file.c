// SPDX-License-Identifier: GPL-2.0-only
/*
 * container-file: a reader for each runtime, in a table
 *
 * A container takes one file, 0.1 ms; podman has one file for all containers, which is
 * kept. What is no file, or says nothing, is no error: then there are no names.
 */
#include "container-file.h"
#include "regular-file.h"

#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES	(4 << 20)
#define MAX_DEPTH	32

/* Limits of a folder with containerd's namespaces, and of a list of containers. */
#define MAX_NAMESPACES	64
#define MAX_LISTED	65536

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

struct asking {
	struct mp_container_files *files;
	const struct mp_container_wanted *wanted;
	struct mp_container_said *said;
};

static void say(struct asking *asking, enum mp_container_text what, const char *text)
{
	char *to = asking->said->text[what];

	if (text && *text && !*to)
		snprintf(to, MP_CONTAINER_TEXT_SIZE, "%s", text);
}

/* Reads all of a file. Returns a text to free, or NULL. */
static char *read_all(int fd, size_t *size)
{
	char *text = malloc(MAX_BYTES + 1);
	ssize_t got = 1;

	*size = 0;
	while (text && got > 0 && *size <= MAX_BYTES) {
		got = read(fd, text + *size, MAX_BYTES + 1 - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	if (text && !got && *size <= MAX_BYTES) {
		text[*size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/*
 * Opens a file of the system, or of the user whose container it is. A user's files are
 * opened only if they are that user's: otherwise a link would show those of others.
 */
static char *read_file(struct asking *asking, const char *path, size_t *size)
{
	const struct mp_container_wanted *wanted = asking->wanted;
	int fd = wanted->home[0] ? mp_regular_open_of(path, wanted->path.user, false) :
				   mp_regular_open(path, NULL);
	char *text;

	/* who may not read a runtime's files, such as an ordinary user, has no names */
	if (fd == -ENOENT || fd == -EACCES || fd == -ENOTDIR)
		return NULL;
	text = fd < 0 ? NULL : read_all(fd, size);
	if (fd >= 0)
		close(fd);
	if (!text)
		asking->files->nr_refused++;
	return text;
}

/* Returns the object or list in a file, or NULL. */
static struct json_object *read_json(struct asking *asking, const char *path)
{
	struct json_tokener *tokener;
	struct json_object *object = NULL;
	size_t size;
	char *text = read_file(asking, path, &size);

	if (!text)
		return NULL;
	tokener = json_tokener_new_ex(MAX_DEPTH);
	if (tokener) {
		object = json_tokener_parse_ex(tokener, text, (int)size + 1);
		json_tokener_free(tokener);
	}
	if (!object)
		asking->files->nr_refused++;
	free(text);
	return object;
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *found = NULL;

	if (object && json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, key, &found);
	return found;
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *found = member(object, key);

	return found && json_object_is_type(found, json_type_string) ?
	       json_object_get_string(found) : NULL;
}

/* Keys of the texts in annotations or labels; the first one that is there counts. */
static const struct {
	const char *key;
	enum mp_container_text what;
} keys[] = {
	{ "io.kubernetes.cri.container-name", MP_CONTAINER_NAME },
	{ "io.kubernetes.cri.sandbox-name", MP_CONTAINER_POD },
	{ "io.kubernetes.cri.sandbox-namespace", MP_CONTAINER_NAMESPACE },
	{ "io.kubernetes.cri.image-name", MP_CONTAINER_IMAGE },
	{ "io.kubernetes.container.name", MP_CONTAINER_NAME },
	{ "io.kubernetes.pod.name", MP_CONTAINER_POD },
	{ "io.kubernetes.pod.namespace", MP_CONTAINER_NAMESPACE },
	{ "io.kubernetes.cri-o.KubeName", MP_CONTAINER_POD },
	{ "io.kubernetes.cri-o.Namespace", MP_CONTAINER_NAMESPACE },
	{ "io.kubernetes.cri-o.ImageName", MP_CONTAINER_IMAGE },
	{ "nerdctl/name", MP_CONTAINER_NAME },
	{ "nerdctl/image-name", MP_CONTAINER_IMAGE },
};

/* The container that holds a pod's namespaces has no name of its own. */
static const char * const types[] = {
	"io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType",
	"io.kubernetes.docker.type",
};

static void say_annotations(struct asking *asking, struct json_object *annotations)
{
	const char *text;
	size_t i;

	for (i = 0; i < NR(types); i++) {
		text = text_of(annotations, types[i]);
		if (text && (!strcmp(text, "sandbox") || !strcmp(text, "podsandbox")))
			say(asking, MP_CONTAINER_NAME, "sandbox");
	}
	for (i = 0; i < NR(keys); i++)
		say(asking, keys[i].what, text_of(annotations, keys[i].key));
}

/* CRI-O keeps the labels of Kubernetes as a text of JSON in an annotation. */
static void say_labels(struct asking *asking, const char *labels)
{
	struct json_object *object = labels ? json_tokener_parse(labels) : NULL;

	say_annotations(asking, object);
	json_object_put(object);
}

/* Writes a path below the root of the files. Returns false if it is too long. */
__attribute__((format(printf, 3, 4)))
static bool path_in(const struct asking *asking, char *path, const char *format, ...);

static bool path_in(const struct asking *asking, char *path, const char *format, ...)
{
	int len = snprintf(path, PATH_MAX, "%s%s", asking->files->root, asking->wanted->home), more;
	va_list list;

	va_start(list, format);
	more = len < PATH_MAX ? vsnprintf(path + len, (size_t)(PATH_MAX - len), format, list) : len;
	va_end(list);
	return len + more < PATH_MAX;
}

/* Reads an OCI bundle's config.json. */
static bool read_bundle(struct asking *asking, const char *path, enum mp_runtime runtime)
{
	struct json_object *object = read_json(asking, path), *annotations;

	if (!object)
		return false;
	annotations = member(object, "annotations");
	say(asking, MP_CONTAINER_RUNTIME, mp_runtime_name(runtime));
	/* the labels first: they have the name in the pod, others a longer one */
	say_labels(asking, text_of(annotations, "io.kubernetes.cri-o.Labels"));
	say_annotations(asking, annotations);
	json_object_put(object);
	return true;
}

static bool ask_docker(struct asking *asking)
{
	const char *folder = asking->wanted->home[0] ? "/.local/share/docker" : "/var/lib/docker";
	struct json_object *object, *config;
	char path[PATH_MAX];
	const char *name;

	if (!path_in(asking, path, "%s/containers/%s/config.v2.json", folder,
		     asking->wanted->path.id))
		return false;
	object = read_json(asking, path);
	if (!object)
		return false;
	config = member(object, "Config");
	say(asking, MP_CONTAINER_RUNTIME, mp_runtime_name(MP_RUNTIME_DOCKER));
	say_annotations(asking, member(config, "Labels"));
	name = text_of(object, "Name");
	say(asking, MP_CONTAINER_NAME, name && name[0] == '/' ? name + 1 : name);
	say(asking, MP_CONTAINER_IMAGE, text_of(config, "Image"));
	json_object_put(object);
	return true;
}

/* containerd keeps a bundle for each task that runs, in a folder of its namespace. */
static bool ask_tasks(struct asking *asking, const char *tasks)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	int nr = 0;
	DIR *dir;

	if (!path_in(asking, folder, "%s/io.containerd.runtime.v2.task", tasks))
		return false;
	dir = opendir(folder);
	while (dir && !found && nr++ < MAX_NAMESPACES && (entry = readdir(dir)))
		/* the bundles of docker's containers have no names in them */
		found = entry->d_name[0] != '.' && strcmp(entry->d_name, "moby") &&
			path_in(asking, path, "%s/io.containerd.runtime.v2.task/%s/%s/config.json",
				tasks, entry->d_name, asking->wanted->path.id) &&
			read_bundle(asking, path, MP_RUNTIME_CONTAINERD);
	if (dir)
		closedir(dir);
	return found;
}

static bool ask_containerd(struct asking *asking)
{
	static const char * const folders[] = {
		"/run/containerd", "/run/k3s/containerd",
		"/var/snap/microk8s/common/run/containerd",
	};
	size_t i;

	for (i = 0; i < NR(folders) && !asking->wanted->home[0]; i++)
		if (ask_tasks(asking, folders[i]))
			return true;
	return false;
}

static const char * const drivers[] = { "overlay", "vfs", "btrfs", "zfs" };

static bool ask_crio(struct asking *asking)
{
	static const char * const folders[] = {
		"/run/containers/storage", "/var/lib/containers/storage",
	};
	char path[PATH_MAX];
	size_t i, k;

	for (i = 0; i < NR(folders); i++)
		for (k = 0; k < NR(drivers); k++)
			if (path_in(asking, path, "%s/%s-containers/%s/userdata/config.json",
				    folders[i], drivers[k], asking->wanted->path.id) &&
			    read_bundle(asking, path, MP_RUNTIME_CRIO))
				return true;
	return false;
}

/* The image's name is in a text of JSON; "image" is a digest. */
static void say_listed(struct asking *asking, struct json_object *container)
{
	struct json_object *names = member(container, "names"), *metadata;
	const char *text = text_of(container, "metadata");

	metadata = text ? json_tokener_parse(text) : NULL;
	say(asking, MP_CONTAINER_RUNTIME, mp_runtime_name(MP_RUNTIME_PODMAN));
	if (names && json_object_is_type(names, json_type_array) &&
	    json_object_array_length(names))
		say(asking, MP_CONTAINER_NAME,
		    json_object_get_string(json_object_array_get_idx(names, 0)));
	say(asking, MP_CONTAINER_NAME, text_of(metadata, "name"));
	say(asking, MP_CONTAINER_IMAGE, text_of(metadata, "image-name"));
	json_object_put(metadata);
}

/* Returns a list that was read before, or NULL; what is not there is not read again, too. */
static struct json_object *list_of(struct asking *asking, const char *path)
{
	struct mp_container_files *files = asking->files;
	struct mp_container_list *list;

	for (list = files->lists; list < files->lists + files->nr_lists; list++)
		if (!strcmp(list->path, path))
			return list->object;
	if (files->nr_lists == MP_CONTAINER_LISTS)
		return NULL;
	snprintf(list->path, sizeof(list->path), "%s", path);
	list->object = read_json(asking, path);
	files->nr_lists++;
	return list->object;
}

static bool ask_list(struct asking *asking, const char *path)
{
	struct json_object *list = list_of(asking, path), *one;
	bool found = false;
	size_t i, nr = list && json_object_is_type(list, json_type_array) ?
		       json_object_array_length(list) : 0;
	const char *id;

	for (i = 0; i < nr && i < MAX_LISTED && !found; i++) {
		one = json_object_array_get_idx(list, i);
		id = text_of(one, "id");
		found = id && !strcmp(id, asking->wanted->path.id);
		if (found)
			say_listed(asking, one);
	}
	return found;
}

/* Containers that are removed at their end are in a list of their own. */
static bool ask_podman(struct asking *asking)
{
	static const char * const system[] = {
		"/var/lib/containers/storage", "/run/containers/storage",
	};
	static const char * const user[] = { "/.local/share/containers/storage" };
	static const char * const lists[] = { "containers.json", "volatile-containers.json" };
	const bool of_user = asking->wanted->home[0];
	const char * const *folders = of_user ? user : system;
	char path[PATH_MAX];
	size_t i, k, m;

	for (i = 0; i < (of_user ? NR(user) : NR(system)); i++)
		for (k = 0; k < NR(drivers); k++)
			for (m = 0; m < NR(lists); m++)
				if (path_in(asking, path, "%s/%s-containers/%s", folders[i],
					    drivers[k], lists[m]) && ask_list(asking, path))
					return true;
	return false;
}

/* The path has the machine's name; the file tells nspawn from a virtual machine. */
static bool ask_machine(struct asking *asking)
{
	const char *machine = asking->wanted->path.machine;
	char path[PATH_MAX], *text, *line, *rest = NULL;
	size_t size;

	if (strchr(machine, '/') || machine[0] == '.' ||
	    !path_in(asking, path, "/run/systemd/machines/%s", machine))
		return false;
	text = read_file(asking, path, &size);
	if (!text)
		return false;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, "SERVICE=", 8))
			say(asking, MP_CONTAINER_RUNTIME, !strcmp(line + 8, "systemd-nspawn") ?
			    mp_runtime_name(MP_RUNTIME_NSPAWN) : line + 8);
	free(text);
	return true;
}

static bool ask_none(struct asking *asking)
{
	return asking->wanted->path.id[0] &&
	       (ask_containerd(asking) || ask_crio(asking) || ask_docker(asking));
}

bool mp_container_file_read(struct mp_container_files *files,
			    const struct mp_container_wanted *wanted,
			    struct mp_container_said *said)
{
	static bool (*const readers[MP_NR_RUNTIMES])(struct asking *asking) = {
		[MP_RUNTIME_NONE] = ask_none,
		[MP_RUNTIME_DOCKER] = ask_docker,
		[MP_RUNTIME_CONTAINERD] = ask_containerd,
		[MP_RUNTIME_CRIO] = ask_crio,
		[MP_RUNTIME_PODMAN] = ask_podman,
		[MP_RUNTIME_NSPAWN] = ask_machine,
		[MP_RUNTIME_VM] = ask_machine,
	};
	struct asking asking = { .files = files, .wanted = wanted, .said = said };

	*said = (struct mp_container_said){ 0 };
	return readers[wanted->path.runtime] && readers[wanted->path.runtime](&asking);
}

void mp_container_files_close(struct mp_container_files *files)
{
	size_t i;

	for (i = 0; i < files->nr_lists; i++)
		json_object_put(files->lists[i].object);
	files->nr_lists = 0;
}
