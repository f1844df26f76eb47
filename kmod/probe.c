// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of allocations: installs uprobes on allocator functions.
 *
 * Cost: almost all of it is the kernel's traps, 0.7 us for a probe and 0.5 us
 * for a return. A process that is no target gets no breakpoint. A process that
 * is moved into a target cgroup gets its breakpoints within a second. For that the
 * probes of the binaries that it maps are registered again: the kernel exports no
 * way to change one process, so each such probe locks the memory maps of all
 * processes with that binary, one after the other, and holds up forks meanwhile. A
 * process that becomes a target by its name gets them at its next exec.
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
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "compat/mm.h"
#include "compat/uprobes.h"
#include "heap.h"
#include "session.h"

/*
 * Delay before the kernel calls the filters again, so that one pass serves all
 * processes that are moved in the meantime.
 */
#define REFILTER_DELAY	(HZ / 2)

/* Limit of processes that one pass examines. Above, it serves all probes. */
#define MAX_MOVED	64

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
	struct list_head list;		/* session's mutex; RCU for readers */
	u32 nr;				/* session's mutex */
	struct delayed_work refilter;
	bool refiltering;		/* the work holds locks of probes */
	bool stopping;			/* the work is not needed any more */
	raw_spinlock_t moved_lock;
	struct mm_struct *moved[MAX_MOVED];	/* a reference each; moved_lock */
	u32 nr_moved;			/* MAX_MOVED: or more; moved_lock */
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

/*
 * Whether a process gets the breakpoint. A process that is not a target any
 * more still needs it while it can free followed blocks. The kernel calls this
 * function with the mmap lock held, several times per exec.
 */
static MEMPROF_FILTER(filter_by_target)
{
	struct function_probe *p =
		container_of(self, struct function_probe, consumer);

	return is_target_mm(p->session, mm) ||
	       memprof_heap_awaits_free(p->session, p->point.func, mm);
}

/* Skips the return probe, unless the kernel would have to wait for a lock. */
static int skip_return(const struct function_probe *p)
{
	if (MEMPROF_SKIP_LOCKS && READ_ONCE(p->session->probes->refiltering))
		return 0;
	return MEMPROF_SKIP_RETURN;
}

static MEMPROF_ENTRY(on_function_entry)
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
		return memprof_heap_free_only(s, &p->point, regs) ?
		       skip_return(p) : UPROBE_HANDLER_REMOVE;
	}
	hooked = !READ_ONCE(s->failed) && memprof_heap_call(s, &p->point, regs);
	/*
	 * Without a return handler there is no return probe to skip, and the
	 * answer would cost the kernel a walk over all consumers.
	 */
	return hooked || !self->ret_handler ? 0 : skip_return(p);
}

static MEMPROF_RETURN(on_function_return)
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
	WRITE_ONCE(p->registered, !err);
	return err;
}

/*
 * A second consumer at the offset of a probe. When a consumer is registered or
 * unregistered, the kernel calls the filters of all consumers again.
 */
struct extra_consumer {
	struct uprobe_consumer consumer;
	struct function_probe *probe;
};

static MEMPROF_FILTER(filter_extra_by_target)
{
	struct extra_consumer *extra =
		container_of(self, struct extra_consumer, consumer);

	return is_target_mm(extra->probe->session, mm);
}

/*
 * Agrees to skip the return probe. The kernel skips it only when all consumers
 * agree, so the session's own probe decides.
 */
static MEMPROF_ENTRY(on_extra_entry)
{
	return MEMPROF_SKIP_RETURN;
}

static void refilter_probe(struct extra_consumer *extra)
{
	struct function_probe *p = extra->probe;
	struct memprof_uprobe uprobe;

	extra->consumer.handler = on_extra_entry;
	extra->consumer.filter = filter_extra_by_target;
	if (memprof_uprobe_register(&uprobe, p->inode, p->offset,
				    p->ref_ctr_offset, &extra->consumer))
		return;
	memprof_uprobe_unregister(&uprobe, p->inode, p->offset,
				  &extra->consumer);
}

/* Marks the probes in files that an address space maps. */
static void mark_mapped_probes(struct memprof_probes *probes, struct mm_struct *mm,
			       unsigned long *marked)
{
	struct vm_area_struct *vma;
	struct function_probe *p;
	u32 i;

	if (!mmget_not_zero(mm))
		return;
	mmap_read_lock(mm);
	{
		VMA_ITERATOR(vmi, mm, 0);

		for_each_vma(vmi, vma) {
			i = 0;
			if (!vma->vm_file)
				continue;
			list_for_each_entry_rcu(p, &probes->list, list, true) {
				if (i == MEMPROF_MAX_PROBES)
					break;
				if (p->inode == file_inode(vma->vm_file))
					__set_bit(i, marked);
				i++;
			}
		}
	}
	mmap_read_unlock(mm);
	mmput(mm);
}

/* Marks the probes that the processes that moved need. */
static void mark_needed_probes(struct memprof_probes *probes,
			       unsigned long *marked)
{
	struct mm_struct *moved[MAX_MOVED];
	unsigned long flags;
	u32 i, nr;

	raw_spin_lock_irqsave(&probes->moved_lock, flags);
	nr = probes->nr_moved;
	memcpy(moved, probes->moved, sizeof(moved));
	probes->nr_moved = 0;
	raw_spin_unlock_irqrestore(&probes->moved_lock, flags);
	if (nr == MAX_MOVED)
		bitmap_fill(marked, MEMPROF_MAX_PROBES);
	for (i = 0; i < nr; i++) {
		if (nr < MAX_MOVED)
			mark_mapped_probes(probes, moved[i], marked);
		mmdrop(moved[i]);
	}
}

/*
 * Registers and unregisters a second consumer for each marked probe. Takes no
 * lock of the session: probes are only added while the session is open, and
 * STOP waits for this work. memprof_uprobes_sync() waits once for the handlers
 * of all probes.
 */
static void refilter_work(struct work_struct *work)
{
	struct memprof_probes *probes =
		container_of(to_delayed_work(work), struct memprof_probes,
			     refilter);
	DECLARE_BITMAP(marked, MEMPROF_MAX_PROBES) = { 0 };
	struct extra_consumer *extras;
	struct function_probe *p;
	u32 i = 0;

	extras = kvcalloc(MEMPROF_MAX_PROBES, sizeof(*extras), GFP_KERNEL);
	if (!extras) {
		queue_delayed_work(system_long_wq, &probes->refilter, HZ);
		return;
	}
	mark_needed_probes(probes, marked);
	WRITE_ONCE(probes->refiltering, true);
	list_for_each_entry_rcu(p, &probes->list, list, true) {
		if (READ_ONCE(probes->stopping) || i == MEMPROF_MAX_PROBES)
			break;
		extras[i].probe = p;
		if (test_bit(i, marked) && READ_ONCE(p->registered))
			refilter_probe(&extras[i]);
		i++;
		cond_resched();
	}
	WRITE_ONCE(probes->refiltering, false);
	memprof_uprobes_sync();
	kvfree(extras);
}

/**
 * memprof_probes_refilter() - install breakpoints in a new target process
 * @s: published, with the stream of allocations
 * @mm: its address space; in use by the caller, or NULL
 *
 * Any context but NMI.
 */
void memprof_probes_refilter(struct memprof_session *s, struct mm_struct *mm)
{
	struct memprof_probes *probes = s->probes;
	unsigned long flags;

	if (!mm)
		return;
	raw_spin_lock_irqsave(&probes->moved_lock, flags);
	if (probes->nr_moved < MAX_MOVED) {
		mmgrab(mm);
		probes->moved[probes->nr_moved++] = mm;
	}
	raw_spin_unlock_irqrestore(&probes->moved_lock, flags);
	queue_delayed_work(system_long_wq, &probes->refilter, REFILTER_DELAY);
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
	list_add_tail_rcu(&p->list, &s->probes->list);
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
	raw_spin_lock_init(&probes->moved_lock);
	probes->session = s;
	s->probes = probes;
	return 0;
}

/* Frees the probes of a closed session. They are not registered any more. */
static void close_probes(struct memprof_session *s)
{
	struct function_probe *p, *next;

	if (!s->probes)
		return;
	while (s->probes->nr_moved)
		mmdrop(s->probes->moved[--s->probes->nr_moved]);
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
	/* max_live may stay 0: then heap.c uses the module parameter */
	options->alloc_rate = options->alloc_rate ?: MEMPROF_DEFAULT_RATE;
	options->max_sites = options->max_sites ?: MEMPROF_DEFAULT_SITES;
	return 0;
}

/* No handler of the session's probes runs when this returns. */
static void unregister_probes(struct memprof_session *s)
{
	struct function_probe *p;

	WRITE_ONCE(s->probes->stopping, true);
	list_for_each_entry(p, &s->probes->list, list) {
		if (p->registered)
			memprof_uprobe_unregister(&p->uprobe, p->inode,
						  p->offset, &p->consumer);
		WRITE_ONCE(p->registered, false);
	}
	memprof_uprobes_sync();
}

static int register_probes(struct memprof_session *s)
{
	struct function_probe *p;
	int err;

	WRITE_ONCE(s->probes->stopping, false);
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

/*
 * Used blocks include the spare ones. If a thread takes or gives back spare blocks while they are
 * counted, as it does when it exits, they are counted again, eight times at most. So the number
 * is exact unless threads do that all the time.
 */
static u32 count_followed(struct memprof_heap *h)
{
	u32 spares, used, tries = 8;
	unsigned int seq;

	do {
		seq = raw_read_seqcount(&h->live.moves);
		spares = memprof_tasks_spares(&h->tasks);
		used = READ_ONCE(h->live.used);
	} while (((seq & 1) || read_seqcount_retry(&h->live.moves, seq)) && --tries);
	/* a block may be counted as spare before it is counted as used */
	return used - min(used, spares);
}

static void report_tables(const struct memprof_session *s,
			  struct memprof_status *out)
{
	if (!s->heap)
		return;
	out->max_live = s->heap->live.max;
	out->nr_live = count_followed(s->heap);
	out->max_sites = s->heap->sites.table.max;
	out->nr_sites = READ_ONCE(s->heap->sites.table.used);
}

const struct memprof_stream_ops memprof_alloc_stream = {
	.flag = MEMPROF_START_ALLOC,
	/* without CONFIG_MEMCG the owner of an address space is not known */
	.features = IS_ENABLED(CONFIG_UPROBES) && IS_ENABLED(CONFIG_MEMCG) ?
		    MEMPROF_FEATURE_ALLOC | MEMPROF_FEATURE_BLOCKS |
		    (MEMPROF_SKIP_RETURN ? MEMPROF_FEATURE_SKIP_RETURN : 0) : 0,
	.open = open_probes,
	.close = close_probes,
	.check = check_alloc_options,
	.prepare = memprof_heap_alloc,
	.start = register_probes,
	.stop = unregister_probes,
	.quiesce = cancel_alloc_works,
	.release = memprof_heap_free,
	.status = report_tables,
};
