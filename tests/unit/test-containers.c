// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the names of containers: files as docker 20.10, podman 4.3 and containerd 1.6 wrote
 * them, without members that do not matter; CRI-O's, nerdctl's and nspawn's by their sources;
 * and files that nobody would write.
 */
#include "cgroup-short.h"
#include "container-names.h"
#include "filter.h"
#include "json.h"

#include "kselftest_harness.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID(c)	c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c
#define DOCKER	ID("d0")
#define TASK	ID("ab")
#define TASK2	ID("ac")
#define CRIO	ID("c1")
#define PODMAN	ID("b0")
#define VOLATILE ID("b1")
#define UID	"3f2a1b2c-1111-2222-3333-444455556666"

FIXTURE(containers) {
	char root[40];
	struct mp_profile profile;
};

FIXTURE_SETUP(containers)
{
	strcpy(self->root, "/tmp/memprof-containers-XXXXXX");
	memset(&self->profile, 0, sizeof(self->profile));
	ASSERT_NE(NULL, mkdtemp(self->root));
	setenv(MP_CONTAINER_ROOT_ENV, self->root, 1);
}

FIXTURE_TEARDOWN(containers)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s", self->root);
	EXPECT_EQ(0, system(command));
	mp_profile_free(&self->profile);
}

static void path_of(const char *root, const char *name, char *path)
{
	char *slash;

	snprintf(path, 512, "%s%s", root, name);
	for (slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static void put(const char *root, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	path_of(root, name, path);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static const char docker_file[] =
	"{\"State\":{\"Running\":true,\"Pid\":12785},\"ID\":\"" DOCKER "\",\"Path\":\"/bin/app\","
	"\"Config\":{\"Hostname\":\"vm\",\"Env\":null,\"Cmd\":[\"/bin/app\"],\"Image\":\"shop/web:1.4\","
	"\"Labels\":{}},\"Image\":\"sha256:e1d27157d482e1cb\",\"Name\":\"/shop-web\",\"Driver\":\"vfs\"}";

static const char containerd_file[] =
	"{\"ociVersion\":\"1.0.2-dev\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"web\","
	"\"io.kubernetes.cri.image-name\":\"docker.io/shop/web:1.4\","
	"\"io.kubernetes.cri.sandbox-name\":\"shop-0\",\"io.kubernetes.cri.sandbox-namespace\":\"prod\","
	"\"io.kubernetes.cri.sandbox-uid\":\"" UID "\"},\"linux\":{}}";

static const char podman_file[] =
	"[{\"id\":\"" ID("00") "\",\"names\":[\"other\"]},{\"id\":\"" PODMAN "\",\"names\":[\"till\"],"
	"\"image\":\"687b64713f1d0d59\",\"metadata\":\"{\\\"image-name\\\":\\\"docker.io/local/web:1\\\","
	"\\\"image-id\\\":\\\"687b64713f1d\\\",\\\"name\\\":\\\"till\\\",\\\"created-at\\\":1795573843}\","
	"\"flags\":{\"MountLabel\":\"\",\"Volatile\":true}}]";

static const char crio_file[] =
	"{\"annotations\":{\"io.kubernetes.cri-o.ContainerName\":\"k8s_db_db-1_prod_" UID "_0\","
	"\"io.kubernetes.cri-o.ContainerType\":\"container\",\"io.kubernetes.cri-o.Name\":\"k8s_db\","
	"\"io.kubernetes.cri-o.ImageName\":\"quay.io/db/pg:16\",\"io.kubernetes.cri-o.Labels\":"
	"\"{\\\"io.kubernetes.container.name\\\":\\\"db\\\",\\\"io.kubernetes.pod.name\\\":\\\"db-1\\\","
	"\\\"io.kubernetes.pod.namespace\\\":\\\"prod\\\"}\"}}";

static void name(struct mp_profile *profile, uint64_t id, const char *path)
{
	mp_id_names_add(&profile->names, id, path);
}

static const char *shown(const struct mp_profile *profile, uint64_t id)
{
	static char buf[MP_CGROUP_SHORT_SIZE];

	mp_cgroup_shown(buf, sizeof(buf), profile, id);
	return buf;
}

TEST_F(containers, files_of_runtimes_have_names)
{
	struct mp_profile *profile = &self->profile;

	put(self->root, "/var/lib/docker/containers/" DOCKER "/config.v2.json", docker_file);
	put(self->root, "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" TASK "/config.json",
	    containerd_file);
	put(self->root, "/var/lib/containers/storage/vfs-containers/containers.json", podman_file);
	put(self->root, "/var/lib/containers/storage/overlay-containers/volatile-containers.json",
	    "[{\"id\":\"" VOLATILE "\",\"names\":[\"gone\"]}]");
	put(self->root, "/run/containers/storage/overlay-containers/" CRIO "/userdata/config.json",
	    crio_file);
	put(self->root, "/run/systemd/machines/guest", "NAME=guest\nCLASS=container\n"
	    "SERVICE=systemd-nspawn\n");
	name(profile, 1, "/system.slice/docker-" DOCKER ".scope");
	name(profile, 2, "/kubepods/burstable/pod" UID "/" TASK);
	name(profile, 3, "/kubepods/burstable/pod" UID);
	name(profile, 4, "/libpod_parent/libpod-" PODMAN);
	name(profile, 5, "/machine.slice/libpod-" VOLATILE ".scope/container");
	name(profile, 6, "/kubepods.slice/kubepods-pod4_.slice/crio-" CRIO ".scope");
	name(profile, 7, "/machine.slice/machine-guest.scope/payload");
	name(profile, 8, "/system.slice/redis.service");
	name(profile, 9, "/docker/" ID("ee"));
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_STREQ("docker:shop-web (web:1.4)", shown(profile, 1));
	EXPECT_STREQ("shop-0/web (web:1.4)", shown(profile, 2));
	EXPECT_STREQ("pod:shop-0", shown(profile, 3));
	EXPECT_STREQ("podman:till (web:1)", shown(profile, 4));
	EXPECT_STREQ("podman:gone", shown(profile, 5));
	EXPECT_STREQ("db-1/db (pg:16)", shown(profile, 6));
	EXPECT_STREQ("nspawn:guest", shown(profile, 7));
	EXPECT_STREQ("redis.service", shown(profile, 8));
	EXPECT_STREQ("/docker/eeeeeeeeeeee", shown(profile, 9));
	EXPECT_STREQ("prod", mp_containers_find(&profile->containers, 6, MP_CONTAINER_NAMESPACE));
	EXPECT_EQ(0, profile->nr_counters);
}

TEST_F(containers, sandboxes_and_equal_names_are_told_apart)
{
	struct mp_profile *profile = &self->profile;
	static const char tasks[] = "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/";
	char path[256];

	snprintf(path, sizeof(path), "%s" TASK "/config.json", tasks);
	put(self->root, path, containerd_file);
	snprintf(path, sizeof(path), "%s" TASK2 "/config.json", tasks);
	put(self->root, path, "{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
	    "\"io.kubernetes.cri.sandbox-name\":\"shop-0\"}}");
	name(profile, 1, "/kubepods/pod" UID "/" TASK);
	name(profile, 2, "/kubepods/pod" UID "/" TASK2);
	name(profile, 3, "/kubepods/pod" UID "/" TASK "/inner");
	name(profile, 4, "/kubepods/pod" UID "/" TASK "/container");
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_STREQ("shop-0/sandbox", shown(profile, 2));
	EXPECT_STREQ("shop-0/web/inner (web:1.4)", shown(profile, 3));
	/* what is left out elsewhere is shown here */
	EXPECT_STREQ("prod/shop-0/web (web:1.4)", shown(profile, 1));
	EXPECT_STREQ("prod/shop-0/web/container (web:1.4)", shown(profile, 4));
}

TEST_F(containers, hostile_files_name_nothing_and_are_counted)
{
	static const char folder[] = "/var/lib/docker/containers/";
	struct mp_profile *profile = &self->profile;
	char path[512], other[512], *deep = malloc(200001);
	int fd;

	memset(deep, '[', 200000);
	deep[200000] = '\0';
	put(self->root, "/var/lib/docker/containers/" ID("01") "/config.v2.json", deep);
	put(self->root, "/var/lib/docker/containers/" ID("02") "/config.v2.json", "{\"Name\":");
	put(self->root, "/var/lib/docker/containers/" ID("03") "/config.v2.json",
	    "{\"Name\":7,\"Config\":[1],\"x\":null}");
	put(self->root, "/var/lib/docker/containers/" ID("04") "/config.v2.json",
	    "{\"Name\":\"/a\\u001b[31m\\u202eb\",\"Config\":{\"Image\":[[]]}}");
	snprintf(other, sizeof(other), "%s" ID("05") "/config.v2.json", folder);
	path_of(self->root, other, path);
	ASSERT_EQ(0, mkfifo(path, 0600));
	snprintf(other, sizeof(other), "%s" ID("06") "/config.v2.json", folder);
	put(self->root, other, "{}");
	path_of(self->root, other, path);
	ASSERT_EQ(0, truncate(path, 1LL << 40));
	snprintf(other, sizeof(other), "%s" ID("07") "/config.v2.json", folder);
	path_of(self->root, other, path);
	ASSERT_EQ(0, symlink("/dev/zero", path));
	memset(deep, 'n', 200000);
	memcpy(deep, "{\"Name\":\"/", 10);
	strcpy(deep + 199990, "\"}");
	put(self->root, "/var/lib/docker/containers/" ID("08") "/config.v2.json", deep);
	for (fd = 1; fd <= 8; fd++) {
		snprintf(path, sizeof(path), "/docker/" ID("00"));
		for (size_t i = 9; path[i]; i += 2)
			path[i] = (char)('0' + fd);
		name(profile, (uint64_t)fd, path);
	}
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_EQ(5, mp_profile_counter(profile, "container_refused"));
	for (fd = 1; fd <= 7; fd++)
		EXPECT_EQ(fd == 4, mp_containers_knows(&profile->containers, (uint64_t)fd));
	EXPECT_EQ(NULL, strchr(shown(profile, 4), '\033'));
	EXPECT_EQ(NULL, strstr(shown(profile, 4), "\u202e"));
	EXPECT_EQ(MP_CONTAINER_TEXT_SIZE - 1,
		  strlen(mp_containers_find(&profile->containers, 8, MP_CONTAINER_NAME)));
	free(deep);
}

TEST_F(containers, a_user_shows_no_files_of_others)
{
	struct mp_profile *profile = &self->profile;
	char path[512], list[512];

	if (geteuid())
		SKIP(return, "only root can give files away");
	/* the home of user 1 is the same on all Debians: daemon, /usr/sbin */
	put(self->root, "/secret.json", "[{\"id\":\"" PODMAN "\",\"names\":[\"secret\"]}]");
	path_of(self->root, "/usr/sbin/.local/share/containers/storage/overlay-containers/"
		"containers.json", list);
	path_of(self->root, "/secret.json", path);
	ASSERT_EQ(0, symlink(path, list));
	name(profile, 1, "/user.slice/user-1.slice/user@1.service/user.slice/libpod-" PODMAN ".scope");
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_FALSE(mp_containers_knows(&profile->containers, 1));
	unlink(list);
	ASSERT_EQ(0, rename(path, list));
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_FALSE(mp_containers_knows(&profile->containers, 1));
	ASSERT_EQ(0, chown(list, 1, 1));
	ASSERT_EQ(0, mp_container_names_find(profile));
	EXPECT_STREQ("podman:secret", shown(profile, 1));
}

static size_t nr_left(struct mp_profile *profile, const char *condition)
{
	struct mp_filter filter = { 0 };
	char why[MP_FILTER_WHY_SIZE], text[80];
	size_t nr = 0, i;

	snprintf(text, sizeof(text), "%s", condition);
	if (!mp_filter_add(&filter, text, why))
		return 99;
	for (i = 0; i < profile->nr_rows; i++)
		nr += mp_filter_passes(&filter, profile, &profile->rows[i]);
	mp_filter_free(&filter);
	return nr;
}

TEST_F(containers, filters_choose_containers_and_pods)
{
	struct mp_profile *profile = &self->profile;
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 1, .cgroup = 1 };

	put(self->root, "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" TASK "/config.json",
	    containerd_file);
	name(profile, 1, "/kubepods/pod" UID "/" TASK);
	name(profile, 2, "/machine.slice/machine-guest.scope");
	ASSERT_EQ(0, mp_container_names_find(profile));
	ASSERT_EQ(0, mp_profile_add(profile, &row));
	row.cgroup = 2;
	ASSERT_EQ(0, mp_profile_add(profile, &row));
	row.kind = MP_ROW_CGROUP;
	ASSERT_EQ(0, mp_profile_add(profile, &row));
	EXPECT_EQ(1, nr_left(profile, "container=web"));
	EXPECT_EQ(1, nr_left(profile, "container=abababababab"));
	EXPECT_EQ(0, nr_left(profile, "container=abababababa"));
	EXPECT_EQ(2, nr_left(profile, "container=guest"));
	EXPECT_EQ(1, nr_left(profile, "pod=shop-0"));
	EXPECT_EQ(1, nr_left(profile, "pod=" UID));
	EXPECT_EQ(0, nr_left(profile, "pod=shop"));
	EXPECT_EQ(1, nr_left(profile, "cgroup=/kubepods"));
}

TEST_F(containers, json_brings_names_back)
{
	struct mp_profile *profile = &self->profile, copy = { 0 };
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 1, .cgroup = 1 };
	struct mp_json_line line;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	put(self->root, "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" TASK "/config.json",
	    containerd_file);
	name(profile, 1, "/kubepods/pod" UID "/" TASK);
	ASSERT_EQ(0, mp_container_names_find(profile));
	ASSERT_EQ(0, mp_profile_add(profile, &row));
	mp_json_row(file, profile, &profile->rows[0]);
	fclose(file);
	EXPECT_NE(NULL, strstr(text, "\"runtime\":\"containerd\",\"container\":\"web\",\"pod\":\"shop-0\","
			       "\"namespace\":\"prod\",\"image\":\"docker.io/shop/web:1.4\","
			       "\"container_id\":\"" TASK "\",\"pod_uid\":\"" UID "\","
			       "\"qos\":\"guaranteed\"")) {
		TH_LOG("%s", text);
	}
	ASSERT_EQ(0, mp_json_read(&copy, text, strcspn(text, "\n"), &line));
	EXPECT_STREQ("shop-0/web (web:1.4)", shown(&copy, 1));
	mp_profile_free(&copy);
	free(text);
}

TEST_HARNESS_MAIN
