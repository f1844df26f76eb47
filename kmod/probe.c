// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost: the kernel's traps, 0.7 us for a probe and 0.5 for a return, most of it;
 * processes that are no targets get no breakpoint at all. One that is moved to a
 * target's cgroup gets them within a second, which costs as much as placing them
 * did; one that becomes a target by its name gets them at its next exec.
 *
 * Probes sit in the inode of the file's data, not of an overlay's, so that
 * containers on one image share them. The kernel wants the file system to stay
 * while a probe is there: one that is unmounted meanwhile goes at STOP.
 */
#include "probe.h"
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "compat/mm.h"
#include "session.h"

/* Time that processes may go on moving before they are looked at. */
#define REFILTER_DELAY	(HZ / 2)

static bool is_wanted(const struct memprof_session *s, struct mm_struct *mm)
{
	struct task_struct *owner;
	bool wanted;

	rcu_read_lock();
	owner = memprof_mm_owner(mm);
	wanted = owner && memprof_target_match(&s->targets, owner);
	rcu_read_unlock();
	return wanted;
}

/* Called with the mmap lock held, several times per exec. */
static MEMPROF_FILTER(filter)
{
	struct memprof_point *p =
		container_of(self, struct memprof_point, consumer);

	return is_wanted(p->session, mm);
}

static int on_call(struct uprobe_consumer *self, struct pt_regs *regs)
{
	struct memprof_point *p =
		container_of(self, struct memprof_point, consumer);
	struct memprof_session *s = p->session;
	bool wanted, hooked;

	rcu_read_lock();
	wanted = memprof_target_match_current(&s->targets);
	rcu_read_unlock();
	if (!wanted) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_NOT_TARGET);
		return UPROBE_HANDLER_REMOVE;
	}
	hooked = !READ_ONCE(s->failed) && memprof_heap_call(s, p, regs);
	/* without a return probe there is nothing to skip, and it would cost */
	return hooked || !self->ret_handler ? 0 : MEMPROF_SKIP_RETURN;
}

static int on_return(struct uprobe_consumer *self, unsigned long func,
		     struct pt_regs *regs)
{
	struct memprof_point *p =
		container_of(self, struct memprof_point, consumer);

	if (!READ_ONCE(p->session->failed))
		memprof_heap_return(p->session, p, regs);
	return 0;
}

static bool returns(u32 func)
{
	return func != MEMPROF_FUNC_FREE && func < MEMPROF_FUNC_USDT_ALLOC;
}

static int place(struct memprof_point *p)
{
	int err;

	p->consumer.handler = on_call;
	p->consumer.ret_handler = returns(p->func) ? on_return : NULL;
	p->consumer.filter = filter;
	err = memprof_uprobe_register(&p->uprobe, p->inode, p->offset,
				      p->ref_ctr_offset, &p->consumer);
	p->placed = !err;
	return err;
}

/* The kernel asks filters anew for all when a consumer comes or goes. */
struct visitor {
	struct uprobe_consumer consumer;
	struct memprof_session *session;
};

static MEMPROF_FILTER(visitor_filter)
{
	return is_wanted(container_of(self, struct visitor, consumer)->session,
			 mm);
}

/* Asks for the removal as the others may, who decide. */
static int visitor_call(struct uprobe_consumer *self, struct pt_regs *regs)
{
	return MEMPROF_SKIP_RETURN;
}

static void visit(struct memprof_point *p)
{
	struct visitor visitor = {
		.consumer.handler = visitor_call,
		.consumer.filter = visitor_filter,
		.session = p->session,
	};
	struct memprof_uprobe uprobe;

	if (memprof_uprobe_register(&uprobe, p->inode, p->offset,
				    p->ref_ctr_offset, &visitor.consumer))
		return;
	memprof_uprobe_unregister(&uprobe, p->inode, p->offset,
				  &visitor.consumer);
	memprof_uprobes_sync();
}

static void refilter(struct work_struct *work)
{
	struct memprof_probes *probes =
		container_of(to_delayed_work(work), struct memprof_probes,
			     refilter);
	struct memprof_point *p;

	/* whoever holds it may wait for this work to end */
	if (!mutex_trylock(probes->lock)) {
		queue_delayed_work(system_long_wq, &probes->refilter, 1);
		return;
	}
	list_for_each_entry(p, &probes->list, list)
		if (p->placed)
			visit(p);
	mutex_unlock(probes->lock);
}

/**
 * memprof_probes_init() - no probe yet
 * @probes: zeroed
 * @lock: session's mutex
 */
void memprof_probes_init(struct memprof_probes *probes, struct mutex *lock)
{
	INIT_LIST_HEAD(&probes->list);
	INIT_DELAYED_WORK(&probes->refilter, refilter);
	probes->lock = lock;
}

/**
 * memprof_probes_refilter() - processes became targets that run already
 * @probes: of a published session
 *
 * Any context. Nothing happens while the session's lock is held.
 */
void memprof_probes_refilter(struct memprof_probes *probes)
{
	queue_delayed_work(system_long_wq, &probes->refilter, REFILTER_DELAY);
}

static bool is_there(struct memprof_session *s, const struct inode *inode,
		     u64 offset)
{
	struct memprof_point *p;

	list_for_each_entry(p, &s->heap.probes.list, list)
		if (p->inode == inode && p->offset == offset)
			return true;
	return false;
}

static struct memprof_point *make(struct memprof_session *s,
				  const struct memprof_probe *arg,
				  struct inode *inode)
{
	struct memprof_point *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	/* who unmounts it lets go of the mount only */
	atomic_inc(&inode->i_sb->s_active);
	ihold(inode);
	p->inode = inode;
	p->session = s;
	p->offset = arg->offset;
	p->ref_ctr_offset = arg->ref_ctr_offset;
	p->func = arg->func;
	memcpy(p->args, arg->args, sizeof(p->args));
	return p;
}

static void discard(struct memprof_point *p)
{
	struct super_block *sb = p->inode->i_sb;

	iput(p->inode);
	deactivate_super(sb);
	kfree(p);
}

static int add(struct memprof_session *s, const struct memprof_probe *arg,
	       struct inode *inode)
{
	struct memprof_point *p;
	int err;

	if (is_there(s, inode, arg->offset))
		return -EEXIST;
	p = make(s, arg, inode);
	if (!p)
		return -ENOMEM;
	err = s->state == MEMPROF_STATE_RUNNING ? place(p) : 0;
	if (err) {
		discard(p);
		return err;
	}
	list_add_tail(&p->list, &s->heap.probes.list);
	s->heap.probes.nr++;
	return 0;
}

static int check(struct memprof_session *s, const struct memprof_probe *arg)
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
	    (s->state == MEMPROF_STATE_RUNNING && !s->heap.on))
		return -EBUSY;
	if (s->heap.probes.nr == MEMPROF_MAX_PROBES)
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

	err = check(s, arg);
	if (err)
		return err;
	file = fget(arg->fd);
	if (!file)
		return -EBADF;
	if (d_is_reg(file->f_path.dentry) && file->f_mode & FMODE_READ)
		err = add(s, arg, d_real_inode(file->f_path.dentry));
	else
		err = -EBADF;
	fput(file);
	return err;
}

/**
 * memprof_probes_begin() - put the waiting probes in place
 * @s: session that starts, published
 *
 * Return: 0, or an errno with none in place.
 */
int memprof_probes_begin(struct memprof_session *s)
{
	struct memprof_point *p;
	int err;

	list_for_each_entry(p, &s->heap.probes.list, list) {
		err = place(p);
		if (err) {
			memprof_probes_end(s);
			return err;
		}
	}
	return 0;
}

/**
 * memprof_probes_end() - take them away
 * @s: its lock is held; when it returns no handler of this session's probes runs
 */
void memprof_probes_end(struct memprof_session *s)
{
	struct memprof_point *p;

	list_for_each_entry(p, &s->heap.probes.list, list) {
		if (p->placed)
			memprof_uprobe_unregister(&p->uprobe, p->inode,
						  p->offset, &p->consumer);
		p->placed = false;
	}
	memprof_uprobes_sync();
}

/**
 * memprof_probes_free() - forget them
 * @s: they are not in place
 */
void memprof_probes_free(struct memprof_session *s)
{
	struct memprof_point *p, *next;

	list_for_each_entry_safe(p, next, &s->heap.probes.list, list)
		discard(p);
	INIT_LIST_HEAD(&s->heap.probes.list);
	s->heap.probes.nr = 0;
}
