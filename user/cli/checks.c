// SPDX-License-Identifier: GPL-2.0-only
/*
 * checks: tests what the kernel, the module and the privileges allow
 *
 * A check reads a few files below /proc and /sys, or opens the device. The only
 * change it makes is that it removes uprobes of sessions that were killed. If a
 * check cannot be made, its result is a warning.
 */
#include "checks.h"
#include "cgroup.h"
#include "damon.h"
#include "dynamic-events.h"
#include "kmod.h"
#include "page-idle.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The oldest kernel that the module supports. */
#define MIN_MAJOR	6
#define MIN_MINOR	1

/* Bit numbers in CapEff: CAP_SYS_ADMIN and CAP_PERFMON of linux/capability.h. */
#define CAP_SYS_ADMIN_BIT	21
#define CAP_PERFMON_BIT		38

__attribute__((format(printf, 4, 5)))
static void set_finding(struct mp_finding *finding, enum mp_level level,
			const char *fix, const char *format, ...)
{
	va_list args;

	finding->level = level;
	finding->fix = fix;
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

/* Reads the first line of a file as printable text without its newline. */
static int read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	char raw[256] = "";
	int err = 0;

	if (!file)
		return -errno;
	if (!fgets(raw, sizeof(raw), file))
		err = ferror(file) ? -errno : 0;
	fclose(file);
	raw[strcspn(raw, "\n")] = '\0';
	mp_text_escape(line, size, raw, sizeof(raw));
	return err;
}

static bool has_device(void)
{
	return access(MEMPROF_DEVICE, F_OK) == 0;
}

static void check_kernel(struct mp_finding *finding)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	if (major > MIN_MAJOR || (major == MIN_MAJOR && minor >= MIN_MINOR))
		set_finding(finding, MP_LEVEL_OK, NULL, "Linux %s", name.release);
	else
		set_finding(finding, has_device() ? MP_LEVEL_WARNING : MP_LEVEL_MISSING,
			    "boot Linux 6.1 or later", "Linux %s is too old",
			    name.release);
}

static void check_modules(struct mp_finding *finding)
{
	if (access("/proc/modules", F_OK) == 0)
		set_finding(finding, MP_LEVEL_OK, NULL, "the kernel loads modules");
	else
		set_finding(finding, has_device() ? MP_LEVEL_WARNING : MP_LEVEL_MISSING,
		    "boot a kernel with CONFIG_MODULES, on this machine or in a virtual one",
			    "the kernel was built without modules");
}

static void check_signature(struct mp_finding *finding)
{
	char line[256];

	if (read_line("/sys/module/module/parameters/sig_enforce", line,
		      sizeof(line)) || line[0] != 'Y')
		set_finding(finding, MP_LEVEL_OK, NULL,
			    "unsigned modules are not refused");
	else
		set_finding(finding, has_device() ? MP_LEVEL_OK : MP_LEVEL_WARNING,
			    "sign memprof.ko, as memprof-dkms does: Documentation/install.rst",
			    "only signed modules are loaded");
}

static void check_lockdown(struct mp_finding *finding)
{
	char line[256];

	if (read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		set_finding(finding, MP_LEVEL_OK, NULL, "not in this kernel, or not shown");
	else if (strstr(line, "[none]"))
		set_finding(finding, MP_LEVEL_OK, NULL, "none");
	else
		set_finding(finding, MP_LEVEL_WARNING,
			    "sign memprof.ko, as memprof-dkms does: Documentation/install.rst",
			    "%s: modules that are not signed are refused, and with "
			    "\"confidentiality\" kprobes as well", line);
}

bool mp_check_has_modules(void)
{
	return !access("/proc/modules", F_OK);
}

const char *mp_check_module_hint(void)
{
	return mp_check_has_modules() ?
	       "modprobe memprof, or insmod memprof.ko" :
	       "this kernel cannot load it; the other sources work without it";
}

static void check_device(struct mp_finding *finding)
{
	if (has_device())
		set_finding(finding, MP_LEVEL_OK, NULL, "%s is there", MEMPROF_DEVICE);
	else
		set_finding(finding, MP_LEVEL_MISSING, mp_check_module_hint(),
			    "%s is not there: the module is not loaded",
			    MEMPROF_DEVICE);
}

static void check_permission(struct mp_finding *finding)
{
	int fd = mp_dev_open();

	if (fd >= 0) {
		close(fd);
		set_finding(finding, MP_LEVEL_OK, NULL, "%s opens", MEMPROF_DEVICE);
	} else {
		set_finding(finding, MP_LEVEL_MISSING,
			    fd == -ENOENT ? "it comes with the module" :
			    "run as root, or change the owner of the device",
		    "cannot open %s: %s", MEMPROF_DEVICE, strerror(-fd));
	}
}

static int read_capabilities(unsigned long long *effective)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int found = 0;

	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "CapEff: %llx", effective) == 1;
	fclose(file);
	return found ? 0 : -ENOENT;
}

/*
 * Returns true in a user namespace other than the initial one, where
 * capabilities do not allow a session.
 */
static bool in_user_namespace(void)
{
	unsigned long long inside, outside, nr;
	char line[256];

	return !read_line("/proc/self/uid_map", line, sizeof(line)) &&
	       sscanf(line, "%llu %llu %llu", &inside, &outside, &nr) == 3 &&
	       nr != 0xffffffffULL;
}

static void check_capability(struct mp_finding *finding)
{
	unsigned long long effective = 0;

	if (read_capabilities(&effective))
		set_finding(finding, MP_LEVEL_WARNING, "mount /proc",
			    "cannot read /proc/self/status");
	else if (!(effective >> CAP_PERFMON_BIT & 1) &&
		 !(effective >> CAP_SYS_ADMIN_BIT & 1))
		set_finding(finding, MP_LEVEL_MISSING,
			    "run as root, or grant CAP_PERFMON",
			    "neither CAP_PERFMON nor CAP_SYS_ADMIN");
	else if (in_user_namespace())
		set_finding(finding, MP_LEVEL_MISSING,
			    "run outside of the user namespace",
			    "capabilities of a user namespace do not count");
	else
		set_finding(finding, MP_LEVEL_OK, NULL, "%s",
			    effective >> CAP_PERFMON_BIT & 1 ? "CAP_PERFMON" :
			    "CAP_SYS_ADMIN");
}

static void check_streams(struct mp_finding *finding)
{
	int fd = mp_dev_open();
	struct memprof_info info;
	bool faults, growth;
	int err = fd < 0 ? fd : mp_dev_info(fd, &info);

	if (fd >= 0)
		close(fd);
	if (err) {
		set_finding(finding, MP_LEVEL_MISSING, mp_check_module_hint(),
			    "cannot ask the module: %s", strerror(-err));
		return;
	}
	faults = info.features & MEMPROF_FEATURE_FAULTS;
	growth = info.features & MEMPROF_FEATURE_GROWTH;
	set_finding(finding, faults && growth ? MP_LEVEL_OK : MP_LEVEL_MISSING,
		    faults && growth ? NULL :
		    "start --faults off or --growth off does without",
		    "version %u, faults: %s, growth: %s, %u of %u sessions run",
		    info.version, faults ? "yes" : "no", growth ? "yes" : "no",
		    info.nr_sessions, info.max_sessions);
}

/* Returns -1 if the list of symbols cannot be read. */
static int has_symbol(const char *symbol)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	int found = 0, nr = 0;

	if (!file)
		return -1;
	for (; !found && fgets(line, sizeof(line), file); nr++)
		found = sscanf(line, "%*s %*s %255s", name) == 1 &&
			!strcmp(name, symbol);
	fclose(file);
	return nr ? found : -1;
}

static void check_kprobes(struct mp_finding *finding)
{
	int built_in = has_symbol("register_kretprobe");
	char line[256];

	if (!built_in)
		set_finding(finding, MP_LEVEL_WARNING,
		    "perf's events have growth; or boot a kernel with CONFIG_KPROBES",
		    "the kernel was built without kretprobes: the module could not see growth");
	else if (!read_line("/sys/kernel/debug/kprobes/enabled", line,
			    sizeof(line)))
		set_finding(finding, line[0] == '1' ? MP_LEVEL_OK : MP_LEVEL_WARNING,
			    line[0] == '1' ? NULL :
			    "echo 1 > /sys/kernel/debug/kprobes/enabled",
			    line[0] == '1' ? "available and enabled" :
			    "disabled: the module cannot see growth");
	else if (built_in > 0)
		set_finding(finding, MP_LEVEL_OK, NULL,
		    "available (only root can see in debugfs if they are enabled)");
	else
		set_finding(finding, MP_LEVEL_WARNING, "mount debugfs, run as root",
			    "cannot be determined");
}

/*
 * From this value of perf_event_paranoid on, each perf event needs CAP_PERFMON.
 * The kernels of Debian and Ubuntu have the values 3 and 4.
 */
#define PARANOID_NOTHING	3

static void check_perf(struct mp_finding *finding)
{
	unsigned long long effective = 0;
	char line[256];

	if (read_line("/proc/sys/kernel/perf_event_paranoid", line,
		      sizeof(line)))
		set_finding(finding, MP_LEVEL_WARNING,
		    "boot a kernel with CONFIG_PERF_EVENTS, or start --faults off",
		    "the kernel was built without perf events: no faults");
	else if (atoi(line) >= PARANOID_NOTHING && !read_capabilities(&effective) &&
		 !(effective >> CAP_PERFMON_BIT & 1) &&
		 !(effective >> CAP_SYS_ADMIN_BIT & 1))
		set_finding(finding, MP_LEVEL_WARNING,
			    "run as root, grant CAP_PERFMON, or record --preload",
			    "not for this user (perf_event_paranoid is %s)", line);
	else
		set_finding(finding, MP_LEVEL_OK, NULL,
			    "available (perf_event_paranoid is %s)", line);
}

/* Finds the mount point of tracefs, or NULL. */
static const char *find_tracefs(void)
{
	static const char * const locations[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events", locations[i]);
		if (access(path, F_OK) == 0)
			return locations[i];
	}
	return NULL;
}

static void check_tracefs(struct mp_finding *finding)
{
	const char *location = find_tracefs();

	if (location)
		set_finding(finding, MP_LEVEL_OK, NULL, "mounted at %s", location);
	else
		set_finding(finding, MP_LEVEL_WARNING,
			    "mount -t tracefs nodev /sys/kernel/tracing",
		    "not mounted, or only for root: no events for perf and ftrace");
}

static void check_events(struct mp_finding *finding)
{
	const char *location = find_tracefs();
	char path[64];

	snprintf(path, sizeof(path), "%s/events/memprof", location ? location : "");
	if (location && access(path, F_OK) == 0)
		set_finding(finding, MP_LEVEL_OK, NULL, "%s", path);
	else
		set_finding(finding, MP_LEVEL_WARNING,
			    location ? mp_check_module_hint() : "mount tracefs",
			    "tracepoints memprof:* are not visible");
}

static void check_probes(struct mp_finding *finding)
{
	size_t nr = mp_dynamic_events_sweep();

	if (nr)
		set_finding(finding, MP_LEVEL_OK, NULL,
			    "removed %zu that killed sessions had left behind", nr);
	else
		set_finding(finding, MP_LEVEL_OK, NULL,
			    "none is left behind by a killed session");
}

static void check_cgroup(struct mp_finding *finding)
{
	char mount[PATH_MAX], path[PATH_MAX + 32], controllers[160], location[64];
	int err = mp_cgroup_mount(mount);

	if (err) {
		set_finding(finding, MP_LEVEL_WARNING,
			    "mount -t cgroup2 none /sys/fs/cgroup",
		    "cgroup v2 is not mounted: no -G, no paths of cgroups");
		return;
	}
	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount);
	if (read_line(path, controllers, sizeof(controllers)))
		controllers[0] = '\0';
	mp_text_escape(location, sizeof(location), mount, strlen(mount));
	if (!strstr(controllers, "memory"))
		set_finding(finding, MP_LEVEL_WARNING,
			    "boot with systemd.unified_cgroup_hierarchy=1, or cgroup_no_v1=memory",
			    "v2 at %s, without the memory controller, which cgroup v1 may have: no CURRENT and MEM-PEAK, and processes may all be in /",
			    location);
	else
		set_finding(finding, MP_LEVEL_OK, NULL, "v2 at %s, controllers: %s", location,
			    controllers);
}

/* What report --cold needs. */
static void check_cold(struct mp_finding *finding)
{
	const bool idle = mp_page_idle_exists();

	if (!idle && !mp_damon_exists())
		set_finding(finding, MP_LEVEL_WARNING,
			    "Debian's kernels have DAMON from 6.12 on",
			    "neither page_idle nor DAMON in this kernel: no report --cold");
	else if (mp_damon_others())
		set_finding(finding, MP_LEVEL_WARNING,
			    "it is left alone; /sys/kernel/mm/damon/admin/kdamonds/0 has what it does",
			    "DAMON is in use by somebody else: no report --cold until it ends");
	else
		set_finding(finding, MP_LEVEL_OK, NULL, "report --cold has %s",
			    idle ? "page_idle" : "DAMON");
}

const struct mp_check mp_checks[] = {
	{ "kernel", check_kernel, false },
	{ "modules", check_modules, false },
	{ "signatures", check_signature, true },
	{ "lockdown", check_lockdown, false },
	{ "module", check_device, true },
	{ "permission", check_permission, true },
	{ "capability", check_capability, false },
	{ "streams", check_streams, true },
	{ "kprobes", check_kprobes, false },
	{ "perf events", check_perf, false },
	{ "tracefs", check_tracefs, false },
	{ "tracepoints", check_events, true },
	{ "probes", check_probes, false },
	{ "cgroup", check_cgroup, false },
	{ "cold memory", check_cold, false },
	{ 0 },
};
