// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of allocations: uprobes on allocator functions.
 *
 * Cost: almost all of it is the kernel's traps, 0.7 us for a probe and 0.5 us
 * for a return. A process that is no target gets no breakpoint. A process that
 * is moved into a target cgroup gets its breakpoints within a second, at the
 * cost of registering every probe again. A process that becomes a target by its
 * name gets them at its next exec.
 *
 * A probe is registered on the inode that holds the file's data, not on an
 * overlay's inode, so that containers on one image share it. The kernel requires
 * that the file system stays while the probe is registered: a file system that
 * is unmounted meanwhile is released when the session's file is closed.
 *
 * A probe that the kernel refuses fails MEMPROF_IOC_PROBE or START. A process
 * that cannot be filtered again keeps the breakpoints that it has.
 */
#include "probe.h"
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "compat/mm.h"
#include "compat/uprobes.h"
#include "heap.h"
#include "session.h"

/*
 * Delay before the filters are asked again, so that one pass serves all
 * processes that are moved in the meantime.
 */
#define REFILTER_DELAY	(HZ / 2)

/* One probe of a session. */
struct function_probe {
	struct list_head list;		/* session's mutex */
	struct memprof_session *session;
	struct memprof_point point;
	struct uprobe_consumer consumer;
	struct memprof_uprobe uprobe;
	struct inode *inode;		/* holds a reference, also to its sb */
	loff_t offset, ref_ctr_offset;
	bool registered;
};

/* The probes of a session, from open to close. */
struct memprof_probes {
	struct memprof_session *session;
	struct list_head list;		/* session's mutex */
	u32 nr;				/* the same */
	struct delayed_work refilter;
};

static bool is_target_mm(const struct memprof_session *s, struct mm_struct *mm)
{
	struct task_struct *owner;
	bool wanted;

	rcu_read_lock();
	owner = memprof_mm_owner(mm);
	wanted = owner && memprof_target_match(&s->targets, owner);
	rcu_read_unlock();
	return wanted;
}

/* The kernel calls this with the mmap lock held, several times per exec. */
static MEMPROF_FILTER(filter_by_target)
{
	struct function_probe *p =
		container_of(self, struct function_probe, consumer);

	return is_target_mm(p->session, mm);
}

static int on_function_entry(struct uprobe_consumer *self, struct pt_regs *regs)
{
	struct function_probe *p =
		container_of(self, struct function_probe, consumer);
	struct memprof_session *s = p->session;
	bool wanted, hooked;

	rcu_read_lock();
	wanted = memprof_target_match_current(&s->targets);
	rcu_read_unlock();
	if (!wanted) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_NOT_TARGET);
		return UPROBE_HANDLER_REMOVE;
	}
	hooked = !READ_ONCE(s->failed) && memprof_heap_call(s, &p->point, regs);
	/*
	 * Without a return handler there is no return probe to skip, and the
	 * answer would cost the kernel a walk over all consumers.
	 */
	return hooked || !self->ret_handler ? 0 : MEMPROF_SKIP_RETURN;
}

static int on_function_return(struct uprobe_consumer *self, unsigned long func,
			      struct pt_regs *regs)
{
	struct function_probe *p =
		container_of(self, struct function_probe, consumer);

	if (!READ_ONCE(p->session->failed))
		memprof_heap_return(p->session, &p->point, regs);
	return 0;
}

static bool needs_return(u32 func)
{
	return func != MEMPROF_FUNC_FREE && func < MEMPROF_FUNC_USDT_ALLOC;
}

static int register_probe(struct function_probe *p)
{
	int err;

	p->consumer.handler = on_function_entry;
	p->consumer.ret_handler = needs_return(p->point.func) ?
				  on_function_return : NULL;
	p->consumer.filter = filter_by_target;
	err = memprof_uprobe_register(&p->uprobe, p->inode, p->offset,
				      p->ref_ctr_offset, &p->consumer);
	p->registered = !err;
	return err;
}

/*
 * A second consumer at the offset of a probe. The kernel asks the filters of all
 * consumers again when it comes and when it goes.
 */
struct extra_consumer {
	struct uprobe_consumer consumer;
	struct memprof_session *session;
};

static MEMPROF_FILTER(filter_extra_by_target)
{
	struct extra_consumer *extra =
		container_of(self, struct extra_consumer, consumer);

	return is_target_mm(extra->session, mm);
}

/*
 * Agrees to skip the return probe. The kernel skips it only when all consumers
 * agree, so the session's own probe decides.
 */
static int on_extra_entry(struct uprobe_consumer *self, struct pt_regs *regs)
{
	return MEMPROF_SKIP_RETURN;
}

static void refilter_probe(struct function_probe *p)
{
	struct extra_consumer extra = {
		.consumer.handler = on_extra_entry,
		.consumer.filter = filter_extra_by_target,
		.session = p->session,
	};
	struct memprof_uprobe uprobe;

	if (memprof_uprobe_register(&uprobe, p->inode, p->offset,
				    p->ref_ctr_offset, &extra.consumer))
		return;
	memprof_uprobe_unregister(&uprobe, p->inode, p->offset,
				  &extra.consumer);
	memprof_uprobes_sync();
}

static void refilter_work(struct work_struct *work)
{
	struct memprof_probes *probes =
		container_of(to_delayed_work(work), struct memprof_probes,
			     refilter);
	struct function_probe *p;

	/* STOP holds the lock while it waits for this work: do not wait */
	if (!mutex_trylock(&probes->session->lock)) {
		queue_delayed_work(system_long_wq, &probes->refilter, 1);
		return;
	}
	list_for_each_entry(p, &probes->list, list)
		if (p->registered)
			refilter_probe(p);
	mutex_unlock(&probes->session->lock);
}

/**
 * memprof_probes_refilter() - running processes became targets
 * @s: published, with the stream of allocations
 *
 * Any context. The work is put off while the session's lock is held.
 */
void memprof_probes_refilter(struct memprof_session *s)
{
	queue_delayed_work(system_long_wq, &s->probes->refilter,
			   REFILTER_DELAY);
}

static bool is_probed(struct memprof_session *s, const struct inode *inode,
		      u64 offset)
{
	struct function_probe *p;

	list_for_each_entry(p, &s->probes->list, list)
		if (p->inode == inode && p->offset == offset)
			return true;
	return false;
}

static struct function_probe *make_probe(struct memprof_session *s,
					 const struct memprof_probe *arg,
					 struct inode *inode)
{
	struct function_probe *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	/* an unmount then detaches the mount, and the file system stays */
	atomic_inc(&inode->i_sb->s_active);
	ihold(inode);
	p->inode = inode;
	p->session = s;
	p->offset = arg->offset;
	p->ref_ctr_offset = arg->ref_ctr_offset;
	p->point.func = arg->func;
	memcpy(p->point.args, arg->args, sizeof(p->point.args));
	return p;
}

static void free_probe(struct function_probe *p)
{
	struct super_block *sb = p->inode->i_sb;

	iput(p->inode);
	deactivate_super(sb);
	kfree(p);
}

static int add_probe(struct memprof_session *s, const struct memprof_probe *arg,
		     struct inode *inode)
{
	struct function_probe *p;
	int err;

	if (is_probed(s, inode, arg->offset))
		return -EEXIST;
	p = make_probe(s, arg, inode);
	if (!p)
		return -ENOMEM;
	err = s->state == MEMPROF_STATE_RUNNING ? register_probe(p) : 0;
	if (err) {
		free_probe(p);
		return err;
	}
	list_add_tail(&p->list, &s->probes->list);
	s->probes->nr++;
	return 0;
}

static int check_probe(struct memprof_session *s,
		       const struct memprof_probe *arg)
{
	bool has_args = memchr_inv(arg->args, 0, sizeof(arg->args));
	int i;

	if (arg->__reserved || arg->func < MEMPROF_FUNC_MALLOC ||
	    arg->func > MEMPROF_FUNC_USDT_FREE ||
	    arg->offset > S64_MAX || arg->ref_ctr_offset > S64_MAX ||
	    (has_args && arg->func < MEMPROF_FUNC_USDT_ALLOC))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(arg->args); i++)
		if (arg->args[i].kind > 2)
			return -EINVAL;
	if (s->state == MEMPROF_STATE_STOPPED ||
	    (s->state == MEMPROF_STATE_RUNNING && !s->heap))
		return -EBUSY;
	if (s->probes->nr == MEMPROF_MAX_PROBES)
		return -ENOSPC;
	return 0;
}

/**
 * memprof_probe_add() - follow a function of a binary
 * @s: its lock is held
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_PROBE documents.
 */
int memprof_probe_add(struct memprof_session *s,
		      const struct memprof_probe *arg)
{
	struct file *file;
	int err;

	err = check_probe(s, arg);
	if (err)
		return err;
	file = fget(arg->fd);
	if (!file)
		return -EBADF;
	if (d_is_reg(file->f_path.dentry) && file->f_mode & FMODE_READ)
		err = add_probe(s, arg, d_real_inode(file->f_path.dentry));
	else
		err = -EBADF;
	fput(file);
	return err;
}

static int open_probes(struct memprof_session *s)
{
	struct memprof_probes *probes =
		kzalloc(sizeof(*probes), GFP_KERNEL_ACCOUNT);

	if (!probes)
		return -ENOMEM;
	INIT_LIST_HEAD(&probes->list);
	INIT_DELAYED_WORK(&probes->refilter, refilter_work);
	probes->session = s;
	s->probes = probes;
	return 0;
}

/* The probes are not registered any more. */
static void close_probes(struct memprof_session *s)
{
	struct function_probe *p, *next;

	if (!s->probes)
		return;
	list_for_each_entry_safe(p, next, &s->probes->list, list)
		free_probe(p);
	kfree(s->probes);
	s->probes = NULL;
}

static int check_alloc_options(struct memprof_start *options)
{
	if (options->alloc_rate > MEMPROF_MAX_RATE ||
	    options->max_live > MEMPROF_MAX_LIVE ||
	    options->max_sites > MEMPROF_MAX_SITES)
		return -EINVAL;
	/* max_live 0 stays: heap.c takes it from the module parameter */
	options->alloc_rate = options->alloc_rate ?: MEMPROF_DEFAULT_RATE;
	options->max_sites = options->max_sites ?: MEMPROF_DEFAULT_SITES;
	return 0;
}

/* No handler of the session's probes runs when this returns. */
static void unregister_probes(struct memprof_session *s)
{
	struct function_probe *p;

	list_for_each_entry(p, &s->probes->list, list) {
		if (p->registered)
			memprof_uprobe_unregister(&p->uprobe, p->inode,
						  p->offset, &p->consumer);
		p->registered = false;
	}
	memprof_uprobes_sync();
}

static int register_probes(struct memprof_session *s)
{
	struct function_probe *p;
	int err;

	list_for_each_entry(p, &s->probes->list, list) {
		err = register_probe(p);
		if (err) {
			unregister_probes(s);
			return err;
		}
	}
	return 0;
}

static void cancel_alloc_works(struct memprof_session *s)
{
	cancel_delayed_work_sync(&s->probes->refilter);
	memprof_heap_quiesce(s);
}

const struct memprof_stream_ops memprof_alloc_stream = {
	.flag = MEMPROF_START_ALLOC,
	.features = IS_ENABLED(CONFIG_UPROBES) ? MEMPROF_FEATURE_ALLOC |
		    (MEMPROF_SKIP_RETURN ? MEMPROF_FEATURE_SKIP_RETURN : 0) : 0,
	.open = open_probes,
	.close = close_probes,
	.check = check_alloc_options,
	.prepare = memprof_heap_alloc,
	.start = register_probes,
	.stop = unregister_probes,
	.quiesce = cancel_alloc_works,
	.release = memprof_heap_free,
};
