// SPDX-License-Identifier: GPL-2.0-only
/*
 * page-idle: reads and writes /sys/kernel/mm/page_idle/bitmap
 *
 * The bitmap has a bit per page frame; pagemap tells the frames of a process, as root. A
 * large folio has one bit, that of its first frame, which /proc/kpageflags tells. To mark
 * or read a bit the kernel looks at all page tables that map the page: a microsecond or
 * more per page, and reading a word of 64 bits looks at all pages in it that are idle.
 *
 * It cannot be known whether somebody else uses the bitmap. Other pages than those of the
 * process are never marked: a word that is written has only its bits, and the kernel
 * ignores zeros.
 */
#include "page-idle.h"
#include "kpageflags.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define BITMAP		"/sys/kernel/mm/page_idle/bitmap"

/* Entries of pagemap per read */
#define NR_ENTRIES	512

#define ENTRY_PRESENT	(1ULL << 63)
#define ENTRY_FRAME	((1ULL << 55) - 1)

/* Folios have at most 2^10 pages of 4 KiB, and begin at a multiple of their size. */
#define MAX_ORDER	10

/*
 * A pass over the pages of a process. @head, @order: the last large folio
 * @word, @bits: the word that was read last, or that has to be written
 * @visit: called for each page with its first frame; 0: not known
 */
struct pass {
	const struct mp_page_idle *idle;
	int pagemap;
	uint64_t page_size;
	uint64_t head;
	unsigned int order;
	uint64_t word, bits;
	bool has_word;
	struct mp_cold *cold;
	struct mp_cold_range range;
	uint64_t age_ns;
	int (*visit)(struct pass *pass, uint64_t address, uint64_t frame);
};

bool mp_page_idle_exists(void)
{
	return !access(BITMAP, F_OK);
}

int mp_page_idle_open(struct mp_page_idle *idle, const char *path, struct mp_diag *diag)
{
	const char *name = path ?: BITMAP;

	idle->flags = -1;
	idle->bitmap = open(name, O_RDWR | O_CLOEXEC);
	if (idle->bitmap < 0)
		return mp_diag_fail(diag, errno, errno == EACCES ? "run as root" : NULL,
				    "cannot open %s", name);
	if (flock(idle->bitmap, LOCK_EX | LOCK_NB))
		return mp_diag_fail(diag, 0, "wait until it has ended",
				    "another memprofctl watches by page_idle");
	idle->flags = mp_kpageflags_open();
	return idle->flags < 0 ? mp_diag_fail(diag, idle->flags, NULL,
					      "cannot open /proc/kpageflags") : 0;
}

void mp_page_idle_close(struct mp_page_idle *idle)
{
	if (idle->flags >= 0)
		close(idle->flags);
	if (idle->bitmap >= 0)
		close(idle->bitmap);
	*idle = (struct mp_page_idle){ .bitmap = -1, .flags = -1 };
}

/* The first frame of the folio that a frame belongs to. */
static uint64_t find_head(struct pass *pass, uint64_t frame)
{
	uint64_t head;
	unsigned int order;

	if (!(mp_kpageflags_read(pass->idle->flags, frame) & MP_FRAME_TAIL))
		return frame;
	if (pass->order && frame >> pass->order == pass->head >> pass->order)
		return pass->head;
	for (order = 1; order <= MAX_ORDER; order++) {
		head = frame >> order << order;
		if (head != frame &&
		    mp_kpageflags_read(pass->idle->flags, head) & MP_FRAME_HEAD) {
			pass->head = head;
			pass->order = order;
			return head;
		}
	}
	return frame;
}

static int visit_entry(struct pass *pass, uint64_t address, uint64_t entry)
{
	const uint64_t frame = entry & ENTRY_PRESENT ? entry & ENTRY_FRAME : 0;

	return pass->visit(pass, address, frame ? find_head(pass, frame) : 0);
}

static int visit_run(struct pass *pass, const struct mp_page_run *run)
{
	uint64_t entries[NR_ENTRIES], at = run->start, nr;
	ssize_t got, i;
	int err = 0;

	while (!err && at < run->end) {
		nr = (run->end - at) / pass->page_size;
		got = pread(pass->pagemap, entries,
			    (nr < NR_ENTRIES ? nr : NR_ENTRIES) * sizeof(uint64_t),
			    (off_t)(at / pass->page_size * sizeof(uint64_t)));
		if (got <= 0)
			return got ? -errno : 0;
		got /= (ssize_t)sizeof(uint64_t);
		for (i = 0; !err && i < got; i++, at += pass->page_size)
			err = visit_entry(pass, at, entries[i]);
	}
	return err;
}

static int visit_pages(struct pass *pass, pid_t pid, const struct mp_pages *pages)
{
	char path[64];
	size_t i;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	pass->page_size = pages->page_size;
	pass->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (pass->pagemap < 0)
		return -errno;
	for (i = 0; !err && i < pages->nr_runs; i++)
		if (pages->runs[i].state & MP_PAGE_PRESENT)
			err = visit_run(pass, &pages->runs[i]);
	close(pass->pagemap);
	return err;
}

static int write_word(struct pass *pass)
{
	if (!pass->has_word)
		return 0;
	pass->has_word = false;
	return pwrite(pass->idle->bitmap, &pass->bits, sizeof(pass->bits),
		      (off_t)(pass->word * sizeof(pass->bits))) == sizeof(pass->bits) ?
	       0 : -(errno ?: EIO);
}

static int mark_page(struct pass *pass, uint64_t address, uint64_t frame)
{
	int err = 0;

	(void)address;
	if (!frame)
		return 0;
	if (pass->has_word && pass->word != frame / 64)
		err = write_word(pass);
	if (!pass->has_word) {
		pass->word = frame / 64;
		pass->bits = 0;
		pass->has_word = true;
	}
	pass->bits |= 1ULL << frame % 64;
	return err;
}

int mp_page_idle_mark(const struct mp_page_idle *idle, pid_t pid,
		      const struct mp_pages *pages)
{
	struct pass pass = { .idle = idle, .visit = mark_page };
	int err = visit_pages(&pass, pid, pages);

	return write_word(&pass) ?: err;
}

static bool is_idle(struct pass *pass, uint64_t frame)
{
	if (!pass->has_word || pass->word != frame / 64) {
		pass->word = frame / 64;
		pass->has_word = pread(pass->idle->bitmap, &pass->bits, sizeof(pass->bits),
				       (off_t)(pass->word * sizeof(pass->bits))) ==
				 sizeof(pass->bits);
	}
	return pass->has_word && pass->bits >> frame % 64 & 1;
}

static int end_range(struct pass *pass)
{
	return pass->range.start < pass->range.end ?
	       mp_cold_add(pass->cold, &pass->range) : 0;
}

static int read_page(struct pass *pass, uint64_t address, uint64_t frame)
{
	const uint64_t age_ns = frame && is_idle(pass, frame) ? pass->age_ns : 0;
	int err = 0;

	if (pass->range.end != address || pass->range.age_ns != age_ns) {
		err = end_range(pass);
		pass->range.start = address;
		pass->range.age_ns = age_ns;
	}
	pass->range.end = address + pass->page_size;
	return err;
}

int mp_page_idle_read(const struct mp_page_idle *idle, pid_t pid,
		      const struct mp_pages *pages, uint64_t age_ns, struct mp_cold *cold)
{
	struct pass pass = {
		.idle = idle, .visit = read_page, .cold = cold, .age_ns = age_ns,
		.range.pid = (uint64_t)pid,
	};
	int err = visit_pages(&pass, pid, pages);

	return err ?: end_range(&pass);
}
