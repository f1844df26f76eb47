// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of the running process: how many bytes of a range can be accessed.
 *
 * Probes call this where they may not sleep, so it cannot wait for the lock of the
 * address space. With per-VMA locks the kernel frees mappings after a grace period,
 * and the tree can be read under RCU. The bounds of a mapping are taken from the tree,
 * whose changes readers see at once or not at all. Older kernels need the lock, so
 * there a look-up fails while another thread changes the address space.
 *
 * Cost: a walk of the tree, and a step for each mapping in the range.
 */
#include "mapping.h"
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* A range with more mappings is given up: no probe may take long. */
#define MAX_STEPS 4096

/* The caller is in an RCU read side. Returns false if the tree cannot be read now. */
static bool hold_mappings(struct mm_struct *mm)
{
	return IS_ENABLED(CONFIG_PER_VMA_LOCK) || mmap_read_trylock(mm);
}

static void release_mappings(struct mm_struct *mm)
{
	if (!IS_ENABLED(CONFIG_PER_VMA_LOCK))
		mmap_read_unlock(mm);
}

static bool can_access(const struct vm_area_struct *vma)
{
	return READ_ONCE(vma->vm_flags) & (VM_READ | VM_WRITE | VM_EXEC);
}

/**
 * memprof_mapping_at() - find the mapping that has an address
 * @addr: in the running process
 * @m: out
 *
 * Return: true; false if there is none, or if it cannot be known now.
 */
bool memprof_mapping_at(unsigned long addr, struct memprof_mapping *m)
{
	MA_STATE(mas, &current->mm->mm_mt, addr, addr);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma = NULL;

	rcu_read_lock();
	if (hold_mappings(mm)) {
		vma = mas_walk(&mas);
		if (vma) {
			m->start = mas.index;
			m->bytes = mas.last - mas.index + 1;
			m->access = can_access(vma);
		}
		release_mappings(mm);
	}
	rcu_read_unlock();
	return vma;
}

/**
 * memprof_mapping_access() - count the bytes of a range that can be accessed
 * @start: address of the range; it need not be mapped
 * @len: bytes, whole pages
 * @bytes: out
 *
 * Return: true; false if the number cannot be known now: another thread changes the
 * address space, or there are too many mappings.
 */
bool memprof_mapping_access(unsigned long start, unsigned long len, u64 *bytes)
{
	MA_STATE(mas, &current->mm->mm_mt, start, start);
	struct mm_struct *mm = current->mm;
	unsigned long last = start + len - 1;
	struct vm_area_struct *vma;
	bool known = false;
	int steps = 0;

	*bytes = 0;
	if (!len || last < start)
		return true;
	rcu_read_lock();
	if (hold_mappings(mm)) {
		while ((vma = mas_find(&mas, last)) && ++steps <= MAX_STEPS)
			if (can_access(vma))
				*bytes += min(mas.last, last) - max(mas.index, start) + 1;
		known = !vma;
		release_mappings(mm);
	}
	rcu_read_unlock();
	return known;
}
