// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/memprof: one table describes the ioctls, and one dispatcher serves all.
 *
 * The table has the size of each struct now, its size in the first release, and
 * whether the ioctl is privileged. A handler gets a copy of the caller's struct
 * in kernel memory, with zeros where the caller's struct is shorter. Privileged
 * ioctls are about the session and run with its lock held. An ioctl that is
 * refused changes nothing.
 */
#include "device.h"
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include "copy.h"
#include "probe.h"
#include "python.h"
#include "section-task.h"
#include "section.h"
#include "session.h"
#include "snapshot.h"
#include "stream.h"

union args {
	u32 size;
	struct memprof_info info;
	struct memprof_target target;
	struct memprof_start start;
	struct memprof_stop stop;
	struct memprof_status status;
	struct memprof_snapshot snapshot;
	struct memprof_reset reset;
	struct memprof_read read;
	struct memprof_probe probe;
	struct memprof_python python;
	struct memprof_section_mark section_mark;
	struct memprof_section_flush section_flush;
	struct memprof_section_call section_call;
};

static int ioctl_info(struct memprof_session *s, union args *a)
{
	struct memprof_info *info = &a->info;

	if (info->__reserved || info->__reserved2)
		return -EINVAL;
	info->version = MEMPROF_VERSION;
	info->features = memprof_streams_features() | MEMPROF_FEATURE_PYTHON;
	info->max_sessions = MEMPROF_MAX_SESSIONS;
	info->max_targets = MEMPROF_MAX_TARGETS;
	info->nr_sessions = memprof_sessions_running();
	info->page_size = PAGE_SIZE;
	info->section_tasks = atomic_read(&memprof_nr_section_tasks);
	return 0;
}

static int ioctl_target(struct memprof_session *s, union args *a)
{
	if (s->state != MEMPROF_STATE_IDLE)
		return -EBUSY;
	return memprof_target_add(&s->targets, &a->target);
}

static int ioctl_start(struct memprof_session *s, union args *a)
{
	if (s->state != MEMPROF_STATE_IDLE)
		return -EBUSY;
	return memprof_session_start(s, &a->start);
}

static int ioctl_stop(struct memprof_session *s, union args *a)
{
	if (a->stop.__reserved)
		return -EINVAL;
	if (s->state != MEMPROF_STATE_RUNNING)
		return -EBUSY;
	memprof_session_stop(s);
	return 0;
}

static int ioctl_status(struct memprof_session *s, union args *a)
{
	memprof_session_status(s, &a->status);
	return 0;
}

static int ioctl_snapshot(struct memprof_session *s, union args *a)
{
	if (s->state == MEMPROF_STATE_IDLE)
		return -EBUSY;
	return memprof_snapshot_take(s, &a->snapshot);
}

/* Takes a snapshot that resets the tallies; keeps the earlier one for READ. */
static int ioctl_reset(struct memprof_session *s, union args *a)
{
	struct memprof_snapshot arg = { .flags = MEMPROF_SNAPSHOT_RESET };
	struct memprof_copy last = s->copy;
	int err;

	if (a->reset.__reserved)
		return -EINVAL;
	if (s->state != MEMPROF_STATE_RUNNING)
		return -EBUSY;
	memset(&s->copy, 0, sizeof(s->copy));
	err = memprof_snapshot_take(s, &arg);
	memprof_copy_free(&s->copy);
	s->copy = last;
	return err;
}

static int ioctl_read(struct memprof_session *s, union args *a)
{
	return memprof_copy_read(&s->copy, &a->read);
}

static int ioctl_probe(struct memprof_session *s, union args *a)
{
	return memprof_probe_add(s, &a->probe);
}

static int ioctl_python(struct memprof_session *s, union args *a)
{
	if (s->state != MEMPROF_STATE_RUNNING)
		return -EBUSY;
	return memprof_python_add(s, &a->python);
}

static int ioctl_section_start(struct memprof_session *s, union args *a)
{
	return memprof_section_start(s, &a->section_mark);
}

static int ioctl_section_end(struct memprof_session *s, union args *a)
{
	return memprof_section_end(s, &a->section_mark);
}

static int ioctl_section_flush(struct memprof_session *s, union args *a)
{
	return memprof_section_flush(s, &a->section_flush);
}

static int ioctl_section_call(struct memprof_session *s, union args *a)
{
	return memprof_section_call(s, &a->section_call);
}

static const struct ioctl {
	unsigned int cmd;
	bool privileged;		/* needs the capability and the lock */
	bool has_output;		/* the struct is copied back */
	size_t size;			/* of the struct now */
	size_t released_size;		/* of the struct as first released */
	int (*handler)(struct memprof_session *s, union args *a);
} ioctls[] = {
#define IOCTL(_name, _type, _privileged, _has_output, _last, _handler)	\
	[_IOC_NR(MEMPROF_IOC_##_name)] = {				\
		.cmd = MEMPROF_IOC_##_name, .privileged = _privileged,	\
		.has_output = _has_output,				\
		.size = sizeof(struct _type),				\
		.released_size = offsetofend(struct _type, _last),	\
		.handler = _handler }
	IOCTL(INFO, memprof_info, false, true, __reserved, ioctl_info),
	IOCTL(TARGET, memprof_target, true, false, comm, ioctl_target),
	IOCTL(START, memprof_start, true, false, max_cgroups, ioctl_start),
	IOCTL(STOP, memprof_stop, true, false, __reserved, ioctl_stop),
	IOCTL(STATUS, memprof_status, true, true, nr_cgroups, ioctl_status),
	IOCTL(SNAPSHOT, memprof_snapshot, true, true, time_ns, ioctl_snapshot),
	IOCTL(RESET, memprof_reset, true, false, __reserved, ioctl_reset),
	IOCTL(READ, memprof_read, true, true, entries, ioctl_read),
	IOCTL(PROBE, memprof_probe, true, false, args[2], ioctl_probe),
	IOCTL(SECTION_START, memprof_section_mark, false, false, __reserved,
	      ioctl_section_start),
	IOCTL(SECTION_END, memprof_section_mark, false, false, __reserved,
	      ioctl_section_end),
	IOCTL(SECTION_FLUSH, memprof_section_flush, false, true, lost,
	      ioctl_section_flush),
	IOCTL(SECTION_CALL, memprof_section_call, false, false, __reserved,
	      ioctl_section_call),
	IOCTL(PYTHON, memprof_python, true, false, mark_value, ioctl_python),
};

static int call_ioctl_handler(struct memprof_session *s, const struct ioctl *op,
			      union args *a)
{
	int err;

	if (!op->privileged)
		return op->handler(s, a);
	if (mutex_lock_interruptible(&s->lock))
		return -EINTR;
	err = op->handler(s, a);
	mutex_unlock(&s->lock);
	return err;
}

static const struct ioctl *find_ioctl(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (nr >= ARRAY_SIZE(ioctls) || ioctls[nr].cmd != cmd)
		return NULL;
	return &ioctls[nr];
}

static long dispatch_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct ioctl *op = find_ioctl(cmd);
	void __user *user = (void __user *)arg;
	union args a;
	u32 size;
	int err;

	if (!op)
		return -ENOTTY;
	if (op->privileged && !perfmon_capable())
		return -EPERM;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < op->released_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&a, op->size, user, size);
	if (err)
		return err;
	err = call_ioctl_handler(file->private_data, op, &a);
	if (err || !op->has_output)
		return err;
	a.size = size;
	if (copy_to_user(user, &a, min_t(size_t, size, op->size)))
		return -EFAULT;
	return 0;
}

static int device_open(struct inode *inode, struct file *file)
{
	struct memprof_session *s = memprof_session_open();

	if (IS_ERR(s))
		return PTR_ERR(s);
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	memprof_session_close(file->private_data);
	return 0;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = dispatch_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "memprof",
	.fops = &fops,
	.mode = 0600,
};

/**
 * memprof_device_init() - create /dev/memprof
 *
 * Return: 0 or the errno of misc_register().
 */
int memprof_device_init(void)
{
	/* a 32-bit program uses the same layouts */
	static_assert(sizeof(struct memprof_target) == 40);
	static_assert(sizeof(struct memprof_status) == 96);
	static_assert(sizeof(struct memprof_process) == 320);
	static_assert(sizeof(struct memprof_living_block) == 48);
	static_assert(sizeof(struct memprof_section) == 392);
	static_assert(sizeof(struct memprof_python) == 88);
	static_assert(MEMPROF_SECTION_MAX_ID == MP_SECTIONS_ID);
	return misc_register(&device);
}

/**
 * memprof_device_exit() - remove /dev/memprof; no file is open
 */
void memprof_device_exit(void)
{
	misc_deregister(&device);
}
