/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MEMPROF_COMPAT_UPROBES_H
#define _MEMPROF_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/*
 * Kernels that define UPROBE_HANDLER_IGNORE pass one more argument to handlers,
 * and their handlers can skip the return probe of one hit.
 */
#ifdef UPROBE_HANDLER_IGNORE
#define MEMPROF_SKIP_RETURN	UPROBE_HANDLER_IGNORE
/* The kernel takes no lock to skip a return probe. */
#define MEMPROF_SKIP_LOCKS	false
#define MEMPROF_ENTRY(name) \
	int name(struct uprobe_consumer *self, struct pt_regs *regs, __u64 *data)
#define MEMPROF_RETURN(name) \
	int name(struct uprobe_consumer *self, unsigned long func, \
		 struct pt_regs *regs, __u64 *data)
#else
#define MEMPROF_ENTRY(name) \
	int name(struct uprobe_consumer *self, struct pt_regs *regs)
#define MEMPROF_RETURN(name) \
	int name(struct uprobe_consumer *self, unsigned long func, \
		 struct pt_regs *regs)
#endif

#if KERNEL_VERSION(6, 12, 0) <= LINUX_VERSION_CODE

#ifndef MEMPROF_SKIP_RETURN
/*
 * A handler returns this value to skip the return probe of one hit. The
 * breakpoint stays, because the filter still accepts the process. To call the
 * filter, the kernel takes two locks of the probe for reading. It has to wait
 * for them while another task registers a consumer.
 */
#define MEMPROF_SKIP_RETURN	UPROBE_HANDLER_REMOVE
#define MEMPROF_SKIP_LOCKS	true
#endif

#define MEMPROF_FILTER(name) \
	bool name(struct uprobe_consumer *self, struct mm_struct *mm)

struct memprof_uprobe {
	struct uprobe *uprobe;
};

static inline int memprof_uprobe_register(struct memprof_uprobe *u,
					  struct inode *inode, loff_t offset,
					  loff_t ref_ctr_offset,
					  struct uprobe_consumer *consumer)
{
	u->uprobe = uprobe_register(inode, offset, ref_ctr_offset, consumer);
	return PTR_ERR_OR_ZERO(u->uprobe);
}

static inline void memprof_uprobe_unregister(struct memprof_uprobe *u,
					     struct inode *inode, loff_t offset,
					     struct uprobe_consumer *consumer)
{
	uprobe_unregister_nosync(u->uprobe, consumer);
}

/* Waits until no handler runs, once for all probes that were unregistered. */
static inline void memprof_uprobes_sync(void)
{
	uprobe_unregister_sync();
}

static inline const struct path *memprof_file_path(const struct file *file)
{
	return file_user_path(file);
}

#else

/* UPROBE_HANDLER_REMOVE removes the breakpoint here, so it is not used. */
#define MEMPROF_SKIP_RETURN	0
#define MEMPROF_SKIP_LOCKS	false

#define MEMPROF_FILTER(name) \
	bool name(struct uprobe_consumer *self, enum uprobe_filter_ctx ctx, \
		  struct mm_struct *mm)

struct memprof_uprobe {
};

static inline int memprof_uprobe_register(struct memprof_uprobe *u,
					  struct inode *inode, loff_t offset,
					  loff_t ref_ctr_offset,
					  struct uprobe_consumer *consumer)
{
	return uprobe_register_refctr(inode, offset, ref_ctr_offset, consumer);
}

static inline void memprof_uprobe_unregister(struct memprof_uprobe *u,
					     struct inode *inode, loff_t offset,
					     struct uprobe_consumer *consumer)
{
	uprobe_unregister(inode, offset, consumer);
}

static inline void memprof_uprobes_sync(void)
{
}

static inline const struct path *memprof_file_path(const struct file *file)
{
	return &file->f_path;
}

#endif

#endif
