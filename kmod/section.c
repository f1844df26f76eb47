// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of sections, on top of the engine in sections.c.
 *
 * Cost: a system call, two readings of the meter, and the work of the engine,
 * which is bounded by the number of open sections. This cost is not charged to
 * the thread, because an ioctl reads the meter first and last. An ioctl that
 * fails may have ended a section, see the errors of MEMPROF_IOC_SECTION_END.
 *
 * No lock: only the thread itself uses its sections, and its file cannot be
 * closed during its ioctl.
 */
#include "section.h"
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "copy.h"
#include "life.h"
#include "section-record.h"
#include "section-task.h"
#include "session.h"
#include "trace.h"

/* The data of an open file for sections, from open to close. */
struct memprof_section_file {
	bool hooked;			/* uses the hooks of life.c; hooks_lock */
	/*
	 * For each meter the cost of leaving and entering the kernel once, in
	 * units of the meter. 0: not measured. MEMPROF_SECTION_GAUGE of any
	 * thread writes it without a lock.
	 */
	u64 way[3];
};

static DEFINE_MUTEX(hooks_lock);

static int check_section_mark(const struct memprof_section_mark *arg)
{
	if (arg->__reserved || arg->meter > MEMPROF_SECTION_INSTRUCTIONS ||
	    (arg->cu && arg->meter != MEMPROF_SECTION_CALLER))
		return -EINVAL;
	return arg->id_len > MEMPROF_SECTION_MAX_ID ? -ENAMETOOLONG : 0;
}

static int choose_meter(struct memprof_section_task *t, u32 kind)
{
	struct memprof_meter old = t->meter;
	int err;

	bool used = t->sections.nr_open || t->sections.nr_done;

	if (t->meter.kind == kind && (used || !memprof_meter_failed(&t->meter)))
		return 0;
	if (used)
		return -EBUSY;
	err = memprof_meter_open(&t->meter, kind);
	if (!err)
		memprof_meter_close(&old);
	return err;
}

static u64 enter_ioctl(struct memprof_section_task *t)
{
	u64 way = READ_ONCE(t->session->section_file->way[t->meter.kind]);

	return memprof_meter_enter(&t->meter, way);
}

/* Takes the hooks on exec and exit, when the file gets its first sections. */
static int use_life_hooks(struct memprof_session *s)
{
	struct memprof_section_file *file = s->section_file;
	int err = 0;

	mutex_lock(&hooks_lock);
	if (!file->hooked) {
		err = memprof_life_get();
		file->hooked = !err;
	}
	mutex_unlock(&hooks_lock);
	return err;
}

/* Finds or makes the running thread's sections. Returns them or an ERR_PTR. */
static struct memprof_section_task *find_or_make_sections(struct memprof_session *s)
{
	struct memprof_section_task *t = memprof_section_task_find(s);
	int err;

	if (t)
		return t;
	err = use_life_hooks(s);
	return err ? ERR_PTR(err) : memprof_section_task_make(s);
}

/* Returns the streams of all running sessions that observe the thread. */
static u32 observed_streams(void)
{
	struct memprof_session *s;
	u32 streams = 0;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s)
		if (memprof_target_match_current(&s->targets))
			streams |= s->streams;
	rcu_read_unlock();
	return streams;
}

static void update_view(struct memprof_section_task *t)
{
	t->sections.view = (struct mp_section_view){
		.time_ns = ktime_get_ns(),
		.allocated = atomic64_read(&t->sums[MEMPROF_SUM_ALLOCATED]),
		.freed = atomic64_read(&t->sums[MEMPROF_SUM_FREED]),
		.touched = atomic64_read(&t->sums[MEMPROF_SUM_TOUCHED]),
		.grown = atomic64_read(&t->sums[MEMPROF_SUM_GROWN]),
		.streams = observed_streams(),
	};
}

static int mark_section(struct memprof_section_task *t,
			const struct memprof_section_mark *arg,
			int (*run)(struct mp_sections *sections, const char *id,
				   size_t id_len, const struct mp_section_value *value))
{
	/* read the meter first, so that the cost of the ioctl is not charged */
	u64 used = enter_ioctl(t);
	struct mp_section_value value = { .cu = ~used, .heap = arg->heap };
	char id[MEMPROF_SECTION_MAX_ID];
	int err = -EFAULT;

	if (arg->meter == MEMPROF_SECTION_CALLER)
		value.cu = arg->cu;
	if (!copy_from_user(id, u64_to_user_ptr(arg->id), arg->id_len)) {
		update_view(t);
		err = run(&t->sections, id, arg->id_len,
			  memprof_meter_failed(&t->meter) ? NULL : &value);
	}
	t->gauging = false;
	memprof_meter_leave(&t->meter);
	return err;
}

/**
 * memprof_section_start() - start a section of the running thread
 * @s: session of the open file
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_SECTION_START documents.
 */
int memprof_section_start(struct memprof_session *s,
			  const struct memprof_section_mark *arg)
{
	struct memprof_section_task *t;
	int err = check_section_mark(arg);

	if (err)
		return err;
	t = find_or_make_sections(s);
	if (IS_ERR(t))
		return PTR_ERR(t);
	err = choose_meter(t, arg->meter);
	return err ?: mark_section(t, arg, mp_sections_start);
}

/**
 * memprof_section_end() - end a section of the running thread
 * @s: session of the open file
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_SECTION_END documents.
 */
int memprof_section_end(struct memprof_session *s,
			const struct memprof_section_mark *arg)
{
	struct memprof_section_task *t;
	int err = check_section_mark(arg);

	if (err)
		return err;
	t = memprof_section_task_find(s);
	if (!t || !t->sections.nr_open)
		return -ENOENT;
	if (t->meter.kind != arg->meter)
		return -EBUSY;
	return mark_section(t, arg, mp_sections_end);
}

/* Returns the number of sections written; an errno only if that is zero. */
static int flush_completed(struct memprof_section_task *t,
			   const struct memprof_section_flush *arg)
{
	char __user *to = u64_to_user_ptr(arg->entries);
	const struct mp_section *list;
	struct memprof_section out;
	size_t nr;
	u32 i, end;
	int err = 0;

	list = mp_sections_completed(&t->sections, &nr);
	end = min_t(size_t, arg->nr, nr - t->flushed);
	for (i = 0; i < end && !err; i++) {
		mp_section_to_record(&out, &list[t->flushed], t->meter.kind,
				     nr - t->flushed - 1);
		if (arg->entries)
			err = memprof_row_copy(to + (size_t)i * arg->entry_size,
					       arg->entry_size, &out,
					       sizeof(out));
		if (err)
			break;
		trace_section(&out, current->tgid);
		t->flushed++;
		cond_resched();
	}
	if (t->flushed == nr) {
		mp_sections_clear(&t->sections);
		t->flushed = 0;
	}
	return i ?: err;
}

/**
 * memprof_section_flush() - read and remove completed sections
 * @s: session of the open file
 * @arg: in and out, from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_SECTION_FLUSH documents.
 */
int memprof_section_flush(struct memprof_session *s,
			  struct memprof_section_flush *arg)
{
	struct memprof_section_task *t = memprof_section_task_find(s);
	size_t nr;
	int got;

	if (arg->__reserved || !arg->entry_size || arg->entry_size % 8 ||
	    arg->entry_size > MEMPROF_MAX_ENTRY_SIZE || arg->nr > S32_MAX)
		return -EINVAL;
	arg->left = 0;
	arg->lost = t ? t->sections.lost : 0;
	if (!t) {
		arg->nr = 0;
		return 0;
	}
	enter_ioctl(t);
	got = flush_completed(t, arg);
	mp_sections_completed(&t->sections, &nr);
	memprof_meter_leave(&t->meter);
	if (got < 0)
		return got;
	arg->nr = got;
	arg->left = nr - t->flushed;
	return 0;
}

static int begin_invocation(struct memprof_section_task *t)
{
	/*
	 * t->flushed is an index into the completed sections of this
	 * invocation. A new invocation has other sections, so it must be 0.
	 */
	return t->flushed ? -EBUSY : mp_sections_invoke(&t->sections);
}

static void end_invocation(struct memprof_section_task *t)
{
	mp_sections_leave(&t->sections);
	t->flushed = 0;
}

/*
 * Updates the mean cost of leaving and entering the kernel with the units
 * between the previous gauge call and this one. The first gauge call in a row
 * adds no value.
 */
static void gauge_way(struct memprof_section_task *t)
{
	u64 *way = &t->session->section_file->way[t->meter.kind];

	if (t->gauging)
		WRITE_ONCE(*way, mp_sections_way(READ_ONCE(*way),
						 t->meter.entered -
						 t->meter.left));
}

/**
 * memprof_section_call() - begin or end an invocation, or measure a call's cost
 * @s: session of the open file
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_SECTION_CALL documents.
 */
int memprof_section_call(struct memprof_session *s,
			 const struct memprof_section_call *arg)
{
	struct memprof_section_task *t;
	int err = 0;

	if (arg->op > MEMPROF_SECTION_GAUGE || arg->__reserved ||
	    arg->meter > MEMPROF_SECTION_INSTRUCTIONS ||
	    (arg->meter && arg->op != MEMPROF_SECTION_GAUGE))
		return -EINVAL;
	t = arg->op == MEMPROF_SECTION_RETURN ? memprof_section_task_find(s) :
						find_or_make_sections(s);
	if (IS_ERR_OR_NULL(t))
		return PTR_ERR_OR_ZERO(t);
	if (arg->op == MEMPROF_SECTION_GAUGE) {
		err = choose_meter(t, arg->meter);
		if (err)
			return err;
	}
	enter_ioctl(t);
	switch (arg->op) {
	case MEMPROF_SECTION_INVOKE:
		err = begin_invocation(t);
		break;
	case MEMPROF_SECTION_RETURN:
		end_invocation(t);
		break;
	default:
		gauge_way(t);
	}
	memprof_meter_leave(&t->meter);
	t->gauging = arg->op == MEMPROF_SECTION_GAUGE;
	return err;
}

static int open_section_file(struct memprof_session *s)
{
	s->section_file = kzalloc(sizeof(*s->section_file), GFP_KERNEL_ACCOUNT);
	return s->section_file ? 0 : -ENOMEM;
}

static void close_section_file(struct memprof_session *s)
{
	if (s->section_file && s->section_file->hooked) {
		memprof_section_tasks_close(s);
		memprof_life_put();
	}
	kfree(s->section_file);
	s->section_file = NULL;
}

const struct memprof_stream_ops memprof_section_stream = {
	.features = MEMPROF_FEATURE_SECTIONS,
	.init = memprof_section_tasks_init,
	.exit = memprof_section_tasks_exit,
	.open = open_section_file,
	.close = close_section_file,
};
