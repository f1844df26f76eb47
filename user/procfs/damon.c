// SPDX-License-Identifier: GPL-2.0-only
/*
 * damon: sets up, reads and removes DAMON's threads by the files in sysfs
 *
 * DAMON divides the ranges that it is given into regions of pages that seem to be used
 * alike. In each sampling interval it looks at one page of each region: it clears the
 * page's accessed bit, and reads it one interval later. So ages are estimates. The bits
 * are in page tables, and a CPU that has an entry in its TLB need not set them again: a
 * few pages that are used all the time by a thread that never sleeps may seem unused.
 *
 * Cost: NR_SAMPLES looks of about a microsecond at each of at most MAX_REGIONS regions in
 * each interval, by a thread of the kernel for each process. In case of an error, or if a
 * process ends, what was begun is removed by mp_damon_close().
 */
#include "damon.h"
#include "clock.h"
#include "process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define KDAMONDS	"/sys/kernel/mm/damon/admin/kdamonds/"

/*
 * Intervals in the time after which memory is cold: ages are known to a twentieth, and
 * regions are divided as often. DAMON recommends 100 ms at least. To read regions takes an
 * interval, in which no signal is served: 5 s at most.
 */
#define NR_INTERVALS	20
#define MIN_INTERVAL_US	100000ULL
#define MAX_INTERVAL_US	5000000ULL

/*
 * Samples in an interval. DAMON keeps the age of a region if the number of its references
 * changes by a tenth of the highest number: with less than ten samples that is 0, so any
 * reference makes a region young. Few and long samples also see rare references better.
 */
#define NR_SAMPLES	5

/* Limits of regions. DAMON divides them as long as there are less than half of these. */
#define MIN_REGIONS	"64"
#define MAX_REGIONS	"1024"

/*
 * Ranges at the begin, and parts of about the same size into which they are divided. DAMON
 * would need several intervals to divide a large range. Both are a fourth of MAX_REGIONS.
 */
#define MAX_RANGES	128
#define NR_PARTS	128

/* Limit of regions that are read, in case that DAMON has more than it should */
#define MAX_READ	65536

/* Times that DAMON is asked for regions */
#define NR_READS	10

/* Times that DAMON is asked to let go, and ms between them */
#define NR_TRIES	50
#define TRY_MS		100

#define PATH_SIZE	192

static int put_file(const char *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static bool get_file(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes a value to a file below KDAMONDS. Returns 0 or a negative errno. */
static int put_file(const char *value, const char *format, ...)
{
	char path[PATH_SIZE] = KDAMONDS;
	size_t nr = strlen(value);
	va_list list;
	int fd, err;

	va_start(list, format);
	vsnprintf(path + strlen(KDAMONDS), sizeof(path) - strlen(KDAMONDS), format, list);
	va_end(list);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, value, nr) == (ssize_t)nr ? 0 : -(errno ?: EIO);
	close(fd);
	return err;
}

/* Reads a line of a file below KDAMONDS. */
static bool get_file(char *text, size_t size, const char *format, ...)
{
	char path[PATH_SIZE] = KDAMONDS;
	va_list list;
	ssize_t got;
	int fd;

	va_start(list, format);
	vsnprintf(path + strlen(KDAMONDS), sizeof(path) - strlen(KDAMONDS), format, list);
	va_end(list);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static bool get_number(uint64_t *number, const char *text)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && end != text;
}

bool mp_damon_exists(void)
{
	return !access(KDAMONDS "nr_kdamonds", F_OK);
}

uint64_t mp_damon_others(void)
{
	uint64_t others;
	char text[32];

	return get_file(text, sizeof(text), "nr_kdamonds") && get_number(&others, text) ?
	       others : 0;
}

/* A context of the first thread names what the kernel can watch. */
static bool has_addresses(void)
{
	char text[128];

	return !put_file("1", "0/contexts/nr_contexts") &&
	       get_file(text, sizeof(text), "0/contexts/0/avail_operations") &&
	       strstr(text, "fvaddr");
}

/* Sets the number of threads to 0, which the kernel refuses until all are off. */
static void give_back(void)
{
	int i;

	for (i = 0; i < NR_TRIES && put_file("0", "nr_kdamonds"); i++)
		usleep(TRY_MS * 1000);
}

static void give_all_back(void)
{
	const uint64_t nr = mp_damon_others();
	size_t i;

	for (i = 0; i < nr; i++)
		put_file("off", "%zu/state", i);
	if (nr)
		give_back();
}

static int take(struct mp_damon *damon, size_t nr, struct mp_diag *diag)
{
	char text[32];
	uint64_t others;
	int err;

	damon->lock = open(KDAMONDS "nr_kdamonds", O_RDWR | O_CLOEXEC);
	if (damon->lock < 0)
		return mp_diag_fail(diag, errno, errno == EACCES ? "run as root" : NULL,
				    "cannot open " KDAMONDS "nr_kdamonds");
	if (flock(damon->lock, LOCK_EX | LOCK_NB))
		return mp_diag_fail(diag, 0, "wait until it has ended",
				    "another memprofctl watches by DAMON");
	others = mp_damon_others();
	if (others)
		return mp_diag_fail(diag, 0,
				    "it is left alone; " KDAMONDS "0 has what it does",
				    "DAMON is in use by somebody else (nr_kdamonds is %" PRIu64 ")",
				    others);
	err = mp_damon_guard_begin(&damon->guard, damon->lock, give_all_back);
	if (err)
		return mp_diag_fail(diag, err, NULL, "cannot guard DAMON by a process");
	snprintf(text, sizeof(text), "%zu", nr);
	err = put_file(text, "nr_kdamonds");
	if (err)
		return mp_diag_fail(diag, err, NULL, "cannot take DAMON");
	damon->nr = nr;
	return 0;
}

int mp_damon_open(struct mp_damon *damon, size_t nr, uint64_t cold_ns, struct mp_diag *diag)
{
	int err;

	*damon = (struct mp_damon){ .lock = -1 };
	damon->interval_us = cold_ns / 1000 / NR_INTERVALS;
	if (damon->interval_us < MIN_INTERVAL_US)
		damon->interval_us = MIN_INTERVAL_US;
	if (damon->interval_us > MAX_INTERVAL_US)
		damon->interval_us = MAX_INTERVAL_US;
	err = take(damon, nr, diag);
	if (!err && !has_addresses())
		err = mp_diag_fail(diag, 0, "Debian's can from 6.12 on; a kernel with CONFIG_IDLE_PAGE_TRACKING (page_idle) would do, too",
				   "this kernel's DAMON cannot watch processes: it was built without CONFIG_DAMON_VADDR");
	return err;
}

/* The length of gaps that are watched, too, so that there are few ranges. */
static uint64_t choose_gap(const struct mp_pages *pages)
{
	uint64_t gap = pages->page_size, end;
	size_t i, nr;

	for (;; gap *= 2) {
		end = nr = 0;
		for (i = 0; i < pages->nr_runs; i++) {
			if (!(pages->runs[i].state & MP_PAGE_PRESENT))
				continue;
			nr += !nr || pages->runs[i].start - end > gap;
			end = pages->runs[i].end;
		}
		if (nr <= MAX_RANGES || gap >> 62)
			return gap;
	}
}

static size_t find_ranges(const struct mp_pages *pages, struct mp_page_run *ranges)
{
	const uint64_t gap = choose_gap(pages);
	const struct mp_page_run *run;
	size_t nr = 0;

	for (run = pages->runs; run < pages->runs + pages->nr_runs; run++) {
		if (!(run->state & MP_PAGE_PRESENT))
			continue;
		if (nr && run->start - ranges[nr - 1].end <= gap)
			ranges[nr - 1].end = run->end;
		else if (nr < MAX_RANGES)
			ranges[nr++] = *run;
	}
	return nr;
}

/* Divides ranges into parts. Returns their number, MAX_RANGES + NR_PARTS at most. */
static size_t divide(const struct mp_page_run *ranges, size_t nr_ranges, uint64_t page_size,
		     uint64_t *bytes, struct mp_page_run *parts)
{
	uint64_t at, size;
	size_t i, nr = 0;

	for (i = 0; i < nr_ranges; i++)
		*bytes += ranges[i].end - ranges[i].start;
	size = (*bytes / NR_PARTS / page_size + 1) * page_size;
	for (i = 0; i < nr_ranges; i++)
		for (at = ranges[i].start; at < ranges[i].end; at = parts[nr - 1].end) {
			parts[nr].start = at;
			parts[nr].end = ranges[i].end - at > size ? at + size :
								    ranges[i].end;
			nr++;
		}
	return nr;
}

static int put_ranges(struct mp_damon_target *target, size_t i, const struct mp_pages *pages)
{
	struct mp_page_run ranges[MAX_RANGES], parts[MAX_RANGES + NR_PARTS];
	size_t at, nr = find_ranges(pages, ranges);
	char text[32];
	int err;

	nr = divide(ranges, nr, pages->page_size, &target->bytes, parts);
	if (!nr)
		return -ESRCH;
	snprintf(text, sizeof(text), "%zu", nr);
	err = put_file(text, "%zu/contexts/0/targets/0/regions/nr_regions", i);
	for (at = 0; !err && at < nr; at++) {
		snprintf(text, sizeof(text), "%" PRIu64, parts[at].start);
		err = put_file(text, "%zu/contexts/0/targets/0/regions/%zu/start", i, at);
		snprintf(text, sizeof(text), "%" PRIu64, parts[at].end);
		if (!err)
			err = put_file(text, "%zu/contexts/0/targets/0/regions/%zu/end",
				       i, at);
	}
	return err;
}

/* What is the same for each process: all regions are reported, and nothing else is done. */
static int put_settings(const struct mp_damon *damon, size_t i)
{
	static const struct {
		const char *file, *value;
	} settings[] = {
		{ "nr_contexts", "1" },
		{ "0/operations", "fvaddr" },
		{ "0/monitoring_attrs/nr_regions/min", MIN_REGIONS },
		{ "0/monitoring_attrs/nr_regions/max", MAX_REGIONS },
		{ "0/schemes/nr_schemes", "1" },
		{ "0/schemes/0/action", "stat" },
		{ "0/schemes/0/access_pattern/sz/max", "18446744073709551615" },
		{ "0/schemes/0/access_pattern/nr_accesses/max", "4294967295" },
		{ "0/schemes/0/access_pattern/age/max", "4294967295" },
		{ "0/targets/nr_targets", "1" },
	};
	char text[32];
	size_t at;
	int err = 0;

	for (at = 0; !err && at < sizeof(settings) / sizeof(settings[0]); at++)
		err = put_file(settings[at].value, "%zu/contexts/%s", i, settings[at].file);
	snprintf(text, sizeof(text), "%" PRIu64, damon->interval_us / NR_SAMPLES);
	if (!err)
		err = put_file(text, "%zu/contexts/0/monitoring_attrs/intervals/sample_us", i);
	snprintf(text, sizeof(text), "%" PRIu64, damon->interval_us);
	if (!err)
		err = put_file(text, "%zu/contexts/0/monitoring_attrs/intervals/aggr_us", i);
	return err;
}

int mp_damon_begin(struct mp_damon *damon, size_t i, pid_t pid, const struct mp_pages *pages)
{
	struct mp_damon_target *target = &damon->targets[i];
	char text[32];
	int err = put_settings(damon, i);

	*target = (struct mp_damon_target){ .pid = pid };
	snprintf(text, sizeof(text), "%d", (int)pid);
	if (!err)
		err = put_file(text, "%zu/contexts/0/targets/0/pid_target", i);
	if (!err)
		err = put_ranges(target, i, pages);
	if (!err && mp_process_has_ended(target->pid))
		err = -ESRCH;
	if (!err)
		err = put_file("on", "%zu/state", i);
	target->begun_ns = mp_clock_ns();
	target->on = !err;
	return err;
}

/* Each interval counts the bytes of all regions once more. */
uint64_t mp_damon_interval(const struct mp_damon *damon, size_t i)
{
	const struct mp_damon_target *target = &damon->targets[i];
	const uint64_t spent = mp_clock_ns() - target->begun_ns;
	uint64_t tried;
	char text[32];

	if (!target->on || put_file("update_schemes_stats", "%zu/state", i) ||
	    !get_file(text, sizeof(text), "%zu/contexts/0/schemes/0/stats/sz_tried", i) ||
	    !get_number(&tried, text) || tried < target->bytes || !target->bytes)
		return 0;
	return spent / (tried / target->bytes);
}

static bool get_region(uint64_t *value, size_t i, const char *name, const char *file)
{
	char text[32];

	return get_file(text, sizeof(text), "%zu/contexts/0/schemes/0/tried_regions/%.20s/%s",
			i, name, file) && get_number(value, text);
}

static int add_region(const struct mp_damon *damon, size_t i, const char *name,
		      uint64_t interval_ns, struct mp_cold *cold)
{
	struct mp_cold_range range = { .pid = (uint64_t)damon->targets[i].pid };
	uint64_t nr, age;

	if (!get_region(&range.start, i, name, "start") ||
	    !get_region(&range.end, i, name, "end") ||
	    !get_region(&nr, i, name, "nr_accesses") || !get_region(&age, i, name, "age"))
		return 0;
	range.age_ns = nr || age > UINT32_MAX ? 0 : age * interval_ns;
	return range.start < range.end ? mp_cold_add(cold, &range) : 0;
}

/* Adds the regions of the last update. Returns their number, or a negative errno. */
static int add_regions(const struct mp_damon *damon, size_t i, struct mp_cold *cold)
{
	const uint64_t interval_ns = mp_damon_interval(damon, i);
	char path[PATH_SIZE];
	struct dirent *entry;
	int nr = 0, err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), KDAMONDS "%zu/contexts/0/schemes/0/tried_regions", i);
	dir = interval_ns ? opendir(path) : NULL;
	if (!dir)
		return -ENODATA;
	while (!err && nr < MAX_READ && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		err = add_region(damon, i, entry->d_name, interval_ns, cold);
		nr++;
	}
	closedir(dir);
	return err ?: nr;
}

/*
 * Before 6.14 the kernel gives up after two intervals, as long as they should be. On a
 * busy machine they are longer, and there are no regions: it is asked again.
 */
int mp_damon_read(const struct mp_damon *damon, size_t i, struct mp_cold *cold)
{
	const struct mp_damon_target *target = &damon->targets[i];
	int err = target->on ? 0 : -ESRCH, nr = 0, tries;

	for (tries = 0; !err && !nr && tries < NR_READS; tries++) {
		err = put_file("update_schemes_tried_regions", "%zu/state", i);
		nr = err ? 0 : add_regions(damon, i, cold);
		if (nr < 0)
			err = nr;
	}
	if (err == -ENOSPC)
		return err;
	if (err || !nr)
		return mp_process_has_ended(target->pid) ? -ESRCH : err ?: -ENODATA;
	return mp_process_has_ended(target->pid) ? -ESRCH : 0;
}

uint64_t mp_damon_cpu_ns(const struct mp_damon *damon)
{
	uint64_t pid, one, all = 0;
	char text[64], path[64];
	FILE *file;
	size_t i;

	for (i = 0; i < damon->nr; i++) {
		/* -1: the process ended, and the thread with it */
		if (!damon->targets[i].on || !get_file(text, sizeof(text), "%zu/pid", i) ||
		    text[0] == '-' || !get_number(&pid, text))
			continue;
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/schedstat", pid);
		file = fopen(path, "re");
		if (file && fscanf(file, "%" SCNu64, &one) == 1)
			all += one;
		if (file)
			fclose(file);
	}
	return all;
}

void mp_damon_close(struct mp_damon *damon)
{
	size_t i;

	/* a thread whose process has ended is off already */
	for (i = 0; i < damon->nr; i++)
		if (damon->targets[i].on)
			put_file("off", "%zu/state", i);
	if (damon->nr)
		give_back();
	mp_damon_guard_end(&damon->guard);
	if (damon->lock >= 0)
		close(damon->lock);
	*damon = (struct mp_damon){ .lock = -1 };
}
