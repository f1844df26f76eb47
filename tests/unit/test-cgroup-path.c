// SPDX-License-Identifier: GPL-2.0-only
/* Tests of cgroup-path: what paths of runtimes and managers say. */
#include "cgroup-path.h"

#include "kselftest_harness.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID	"1234abcd-0000-1111-2222-333344445555"
#define UID_	"1234abcd_0000_1111_2222_333344445555"

static const struct {
	const char *path;
	const char *runtime, *id, *pod_uid, *qos, *unit, *machine, *rest;
} cases[] = {
	/* docker: cgroupfs and systemd, as root and not, with systemd inside */
	{ "/docker/" ID, "docker", ID, .rest = "" },
	{ "/system.slice/docker-" ID ".scope", "docker", ID, .rest = "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
	  "docker", ID, .rest = "" },
	{ "/docker/" ID "/system.slice/nginx.service", "docker", ID, .unit = "nginx.service",
	  .rest = "/system.slice/nginx.service" },
	{ "/docker/" ID "/docker/" ID2, "docker", ID2, .rest = "" },
	/* Kubernetes: both drivers, and all runtimes and classes */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	  ".slice/cri-containerd-" ID ".scope", "containerd", ID, UID, "burstable", .rest = "" },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
	  ".slice/crio-" ID ".scope/container", "cri-o", ID, UID, "besteffort",
	  .rest = "/container" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" ID ".scope", "docker", ID, UID,
	  "guaranteed", .rest = "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice", "", "", UID, "guaranteed", .rest = "" },
	{ "/kubepods/burstable/pod" UID "/" ID, "", ID, UID, "burstable", .rest = "" },
	{ "/kubepods/besteffort/pod" UID "/crio-" ID, "cri-o", ID, UID, "besteffort", .rest = "" },
	{ "/kubepods/pod" UID, "", "", UID, "guaranteed", .rest = "" },
	{ "/kubepods/burstable/pod" "0123456789abcdef0123456789abcdef" "/" ID, "", ID,
	  "0123456789abcdef0123456789abcdef", "burstable", .rest = "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope", "", "", UID,
	  "guaranteed", "crio-conmon-" ID ".scope",
	  .rest = "/crio-conmon-" ID ".scope" },
	{ "/system.slice/docker-" ID2 ".scope/kubelet.slice/kubelet-kubepods.slice/"
	  "kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" UID_
	  ".slice/cri-containerd-" ID ".scope", "containerd", ID, UID, "burstable", .rest = "" },
	{ "/system.slice/containerd.service/kubepods-burstable-pod" UID_
	  ".slice:cri-containerd:" ID, "containerd", ID, UID, "burstable", .rest = "" },
	{ "/system.slice/containerd.service", .unit = "containerd.service" },
	/* podman: cgroupfs, systemd, pods, services of systemd */
	{ "/libpod_parent/libpod-" ID, "podman", ID, .rest = "" },
	{ "/machine.slice/libpod-" ID ".scope/container", "podman", ID, .rest = "/container" },
	{ "/machine.slice/machine-libpod_pod_" ID2 ".slice/libpod-" ID ".scope",
	  "podman", ID, .rest = "" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", .unit = "libpod-conmon-" ID ".scope" },
	{ "/system.slice/nginx.service/libpod-payload-" ID, "podman", ID,
	  .unit = "nginx.service" },
	{ "/system.slice/nginx.service/runtime", .unit = "nginx.service" },
	/* others */
	{ "/default/" ID, "", ID, .rest = "" },
	{ "/system.slice/nerdctl-" ID ".scope", "containerd", ID, .rest = "" },
	{ "/machine.slice/machine-web\\x2d1.scope", "nspawn", .machine = "web-1" },
	{ "/machine.slice/systemd-nspawn@web.service/payload", "nspawn", .machine = "web",
	  .rest = "/payload" },
	{ "/machine.slice/machine-qemu\\x2d3\\x2dvm.scope/libvirt", "vm", .machine = "3-vm",
	  .rest = "/libvirt" },
	{ "/lxc.payload.box/system.slice/a.service", "lxc", .machine = "box",
	  .unit = "a.service", .rest = "/system.slice/a.service" },
	{ "/lxc/box", "lxc", .machine = "box" },
	/* no containers */
	{ "/", .rest = "" }, { "", .rest = "" }, { "/init.scope", .unit = "init.scope" },
	{ "/system.slice/redis.service", .unit = "redis.service" },
	{ "/system.slice/a\\x2db.service/worker", .unit = "a-b.service" },
	{ "/user.slice/user-1000.slice/session-3.scope", .unit = "session-3.scope" },
	/* what only looks like it */
	{ "/docker/web", .rest = "" },
	{ "/docker-" ID "x", .rest = "" },
	{ "/kubepods/podman", .rest = "" },
	{ "/kubepods/pod" UID "-and-more-than-that", .rest = "" },
	{ "/podman-1.scope", .unit = "podman-1.scope" },
	{ "/machine-.scope", .unit = "machine-.scope" },
	{ "/.service", .rest = "" },
	{ "/.slice", .rest = "" },
	{ "/a:b", .rest = "" }, { "/a:b:" ID, .rest = "" }, { "/docker/" ID "0", .rest = "" },
	{ "/mykubepods-pod" UID, .rest = "" },
};

TEST(paths_say_whose_they_are)
{
	struct mp_cgroup_path parsed;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mp_cgroup_path_parse(cases[i].path, &parsed);
		EXPECT_STREQ(cases[i].runtime ?: "", mp_runtime_name(parsed.runtime));
		EXPECT_STREQ(cases[i].id ?: "", parsed.id);
		EXPECT_STREQ(cases[i].pod_uid ?: "", parsed.pod_uid);
		if (parsed.pod_uid[0])
			EXPECT_STREQ(cases[i].qos ?: "", parsed.qos ?: "");
		EXPECT_STREQ(cases[i].unit ?: "", parsed.unit);
		EXPECT_STREQ(cases[i].machine ?: "", parsed.machine) {
			TH_LOG("%s", cases[i].path);
		}
		if (parsed.id[0] || parsed.machine[0] || parsed.pod_uid[0])
			EXPECT_STREQ(cases[i].rest ?: "", parsed.rest);
	}
}

TEST(sessions_and_services_of_users_have_a_user)
{
	struct mp_cgroup_path parsed;

	mp_cgroup_path_parse("/user.slice/user-1000.slice/session-3.scope", &parsed);
	EXPECT_TRUE(parsed.has_user);
	EXPECT_EQ(1000, parsed.user);
	EXPECT_STREQ("user-1000.slice", parsed.slice);
	mp_cgroup_path_parse("/user.slice/user@7.service/app.slice/x.service", &parsed);
	EXPECT_TRUE(parsed.has_user);
	EXPECT_EQ(7, parsed.user);
	EXPECT_STREQ("app.slice", parsed.slice);
	mp_cgroup_path_parse("/user.slice/user-99999999999.slice/user-x.slice", &parsed);
	EXPECT_FALSE(parsed.has_user);
}

TEST(no_path_is_too_long)
{
	struct mp_cgroup_path parsed;
	char path[8192];

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	path[0] = path[5000] = '/';
	memcpy(path + 5000, "/docker-" ID "/x.service", 8 + 64 + 10);
	memcpy(path + sizeof(path) - 9, ".service", 8);
	mp_cgroup_path_parse(path, &parsed);
	EXPECT_STREQ(ID, parsed.id);
	EXPECT_GT(sizeof(parsed.unit), strlen(parsed.unit));
}

TEST_HARNESS_MAIN
