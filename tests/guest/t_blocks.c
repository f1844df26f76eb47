// SPDX-License-Identifier: GPL-2.0-only
/*
 * Living blocks, whoever frees them: other threads, children, processes that are no
 * target any more; and what happens when a table is full.
 */
#include "allocator.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"
#include "session.h"
#include "allocator-fixture.h"

#define TEST_TIMEOUT 240

static void *free_it(void *p)
{
	my_free(p);
	return NULL;
}

TEST_F_TIMEOUT(alloc, another_thread_may_free_and_temporary_is_the_same_one,
	       TEST_TIMEOUT)
{
	struct memprof_alloc a;
	pthread_t t;
	void *p, *q;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	my_free(my_malloc(10));			/* a temporary block */
	p = my_malloc(20);
	q = my_malloc(30);
	my_free(p);				/* not temporary */
	my_free(q);				/* temporary */
	p = my_malloc(40);
	pthread_create(&t, NULL, free_it, p);	/* not temporary */
	pthread_join(t, NULL);
	LOOK(a);
	EXPECT_EQ(4, a.free_objects);
	EXPECT_EQ(2, a.temporary_objects);
	EXPECT_EQ(0, a.inuse_objects);
}

#define THREADS 4
#define ROUNDS 500

static void *churn(void *arg)
{
	long i, id = (long)arg;
	void *p[8] = { 0 };

	for (i = 0; i < ROUNDS; i++) {
		if (p[i % 8])
			my_free(p[i % 8]);
		p[i % 8] = my_memalign(0, 16 + id);
	}
	for (i = 0; i < 8; i++)
		my_free(p[i]);
	return NULL;
}

TEST_F_TIMEOUT(alloc, processes_at_once_add_up_exactly, TEST_TIMEOUT)
{
	struct memprof_process p;
	pid_t pid[THREADS];
	long i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < THREADS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			churn((void *)i);
			my_malloc(99);		/* leaked */
			_exit(0);
		}
	}
	for (i = 0; i < THREADS; i++)
		waitpid(pid[i], NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, session_process(self->fd, pid[i],
					     MEMPROF_PROCESS_EXITED, &p));
		EXPECT_EQ(ROUNDS + 1, p.alloc.alloc_objects);
		EXPECT_EQ(ROUNDS * (16 + i) + 99, p.alloc.alloc_space);
		EXPECT_EQ(ROUNDS, p.alloc.free_objects);
		EXPECT_EQ(8 * (16 + i), p.alloc.peak_space);
		EXPECT_EQ(0, p.alloc.inuse_objects);
		EXPECT_EQ(0, p.alloc.inuse_space);
		EXPECT_EQ(0, p.alloc.unknown_frees);
	}
	EXPECT_EQ(0, session_counter(self->fd, "alloc_unmatched"));
}

#define KEPT 300			/* blocks of each thread */

static void *blocks[THREADS][KEPT];
static pthread_barrier_t all_have_allocated;

/* Churns, then frees every second block of another thread. */
static void *allocate_and_free_others(void *arg)
{
	long i, id = (long)arg, other = (id + 1) % THREADS;

	churn(arg);
	for (i = 0; i < KEPT; i++)
		blocks[id][i] = caller_a(100);
	pthread_barrier_wait(&all_have_allocated);
	for (i = 0; i < KEPT; i += 2)
		my_free(blocks[other][i]);
	return NULL;
}

/* Also with a table so large that threads keep free blocks of it. */
TEST_F_TIMEOUT(alloc, threads_at_once_add_up_exactly, TEST_TIMEOUT)
{
	const long kept = THREADS * KEPT * 100L;
	struct memprof_status status;
	struct memprof_site site;
	struct memprof_alloc a;
	pthread_t t[THREADS];
	long i, churned = 0;

	pthread_barrier_init(&all_have_allocated, NULL, THREADS);
	ASSERT_EQ(0, allocator_start(self->fd, 1, 1 << 20, 0, 0));
	for (i = 0; i < THREADS; i++) {
		pthread_create(&t[i], NULL, allocate_and_free_others, (void *)i);
		churned += ROUNDS * (16 + i);
	}
	/* whoever looks meanwhile changes nothing */
	for (i = 0; i < 20; i++)
		LOOK(a);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	LOOK(a);
	EXPECT_EQ(THREADS * (ROUNDS + KEPT), a.alloc_objects);
	EXPECT_EQ(churned + kept, a.alloc_space);
	EXPECT_EQ(THREADS * (ROUNDS + KEPT / 2), a.free_objects);
	EXPECT_EQ(kept / 2, a.inuse_space);
	/* each of the others may have 64 KiB that it has not added yet */
	EXPECT_LE(kept - (THREADS - 1) * 65536, (long)a.peak_space);
	EXPECT_GE(kept + churned, a.peak_space);
	ASSERT_EQ(0, session_site_in(self->fd, caller_a, &site));
	EXPECT_EQ(THREADS * KEPT, site.alloc.alloc_objects);
	EXPECT_EQ(THREADS * KEPT / 2, site.alloc.free_objects);
	EXPECT_EQ(THREADS * KEPT, site.sizes[7]);
	ASSERT_EQ(0, session_status(self->fd, &status));
	EXPECT_EQ(THREADS * KEPT / 2, status.nr_live);
}

/* The callsites of all processes, and of those whose rows were used again. */
static uint64_t objects_of_all_sites(int fd)
{
	struct memprof_site site;
	uint64_t sum = 0;
	int i;

	for (i = 0; !session_site(fd, i, &site); i++)
		sum += site.alloc.alloc_objects;
	return sum;
}

TEST_F_TIMEOUT(alloc, callsites_of_exited_processes_make_room, TEST_TIMEOUT)
{
	uint64_t n;
	pid_t pid;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 4, 0));
	for (n = 0; n < 100; n++) {
		pid = fork();
		if (!pid) {
			caller_a(10);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		usleep(50000);
	}
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_LT(4, session_counter(self->fd, "site_folded"));
	EXPECT_EQ(n, objects_of_all_sites(self->fd));
}

TEST_F_TIMEOUT(alloc, a_child_inherits_and_neither_side_goes_wrong,
	       TEST_TIMEOUT)
{
	struct memprof_process p;
	struct memprof_alloc a;
	void *b[10];
	pid_t pid;
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		b[i] = my_malloc(100);
	pid = fork();
	if (!pid) {
		for (i = 0; i < 4; i++)
			my_free(b[i]);
		my_malloc(1000);
		pause();
	}
	ASSERT_TRUE(session_pauses(pid));
	LOOK(a);
	EXPECT_EQ(1000, a.inuse_space);
	ASSERT_EQ(0, session_process(self->fd, pid, 0, &p));
	EXPECT_EQ(10, p.alloc.inherited_objects);
	EXPECT_EQ(1000, p.alloc.inherited_space);
	EXPECT_EQ(4, p.alloc.inherited_frees);
	EXPECT_EQ(0, p.alloc.unknown_frees);
	EXPECT_EQ(1000, p.alloc.inuse_space);
	EXPECT_EQ(1, p.alloc.inuse_objects);
	for (i = 0; i < 10; i++)
		my_free(b[i]);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(0, a.unknown_frees);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F_TIMEOUT(alloc, full_tables_say_so_and_lose_nothing_else, TEST_TIMEOUT)
{
	struct memprof_status status;
	struct memprof_site site;
	struct memprof_alloc a;
	void *p[20];
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 10, 1, 0));
	for (i = 0; i < 20; i++)
		p[i] = caller_a(100);
	caller_b(50);
	LOOK(a);
	EXPECT_EQ(21, a.alloc_objects);
	EXPECT_EQ(2050, a.alloc_space);
	EXPECT_EQ(10, a.inuse_objects);
	EXPECT_EQ(1000, a.inuse_space);
	EXPECT_EQ(11, session_counter(self->fd, "live_table_full"));
	ASSERT_EQ(0, session_status(self->fd, &status));
	EXPECT_EQ(10, status.max_live);
	EXPECT_EQ(10, status.nr_live);
	EXPECT_EQ(1, status.max_sites);
	EXPECT_EQ(1, status.nr_sites);
	EXPECT_LE(1, session_counter(self->fd, "site_table_full"));
	/* a callsite counts all its allocations, and as in use only followed blocks */
	ASSERT_EQ(0, session_site(self->fd, 0, &site));
	EXPECT_EQ(20, site.alloc.alloc_objects);
	EXPECT_EQ(2000, site.alloc.alloc_space);
	EXPECT_EQ(10, site.alloc.inuse_objects);
	ASSERT_EQ(0, session_site(self->fd, 1, &site));
	EXPECT_EQ(MEMPROF_SITE_DROPPED, site.flags);
	EXPECT_EQ(1, site.alloc.alloc_objects);
	EXPECT_EQ(0, site.alloc.inuse_objects);
	for (i = 0; i < 20; i++)
		my_free(p[i]);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_objects);
	EXPECT_EQ(10, a.free_objects);
	/* ten more blocks did not fit into the table, so they are not unknown */
	EXPECT_EQ(0, a.unknown_frees);
	my_free(malloc(1));
	LOOK(a);
	EXPECT_EQ(0, a.unknown_frees);
	my_free(malloc(1));
	LOOK(a);
	EXPECT_EQ(1, a.unknown_frees);
}

TEST_F_TIMEOUT(alloc, reset_keeps_what_lives, TEST_TIMEOUT)
{
	struct memprof_alloc a;
	void *p;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	my_free(my_malloc(5000));
	p = my_malloc(1000);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	LOOK(a);
	EXPECT_EQ(0, a.alloc_objects);
	EXPECT_EQ(1000, a.inuse_space);
	EXPECT_EQ(1000, a.peak_space);
	my_free(p);
	LOOK(a);
	EXPECT_EQ(0, a.inuse_space);
	EXPECT_EQ(1, a.free_objects);
}

/* The process has mapped the allocator long before it becomes a target. */
TEST_F_TIMEOUT(alloc, who_is_moved_to_a_target_is_followed, TEST_TIMEOUT)
{
	static const char cgroup[] = "/sys/fs/cgroup/t_alloc_moved";
	struct memprof_process p = { 0 };
	int fd = session_open(), tries, err = -ENOENT;
	struct stat st;

	mkdir(cgroup, 0755);
	ASSERT_EQ(0, stat(cgroup, &st));
	ASSERT_EQ(0, session_target_cgroup(fd, st.st_ino));
	ASSERT_EQ(0, allocator_probe(fd));
	ASSERT_EQ(0, allocator_start(fd, 1, 0, 0, 0));
	my_malloc(100);
	ASSERT_EQ(0, session_move(cgroup, getpid()));
	for (tries = 0; tries < 100 && (err || !p.alloc.alloc_objects);
	     tries++) {
		usleep(100000);
		my_malloc(100);
		err = session_look(fd, getpid(), &p);
	}
	EXPECT_EQ(0, err);
	EXPECT_EQ(1, p.alloc.alloc_objects);
	EXPECT_EQ(0, session_move("/sys/fs/cgroup", getpid()));
	close(fd);
	rmdir(cgroup);
}

/* Its frees still count, so its blocks do not seem to live for ever. */
TEST_F_TIMEOUT(alloc, who_leaves_a_target_still_frees, TEST_TIMEOUT)
{
	static const char cgroup[] = "/sys/fs/cgroup/t_alloc_left";
	struct memprof_process p = { 0 };
	struct memprof_cgroup g;
	int fd = session_open(), i;
	struct stat st;
	void *b[10];

	mkdir(cgroup, 0755);
	ASSERT_EQ(0, stat(cgroup, &st));
	ASSERT_EQ(0, session_move(cgroup, getpid()));
	ASSERT_EQ(0, session_target_cgroup(fd, st.st_ino));
	ASSERT_EQ(0, allocator_probe(fd));
	ASSERT_EQ(0, allocator_start(fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		b[i] = my_malloc(100);
	ASSERT_EQ(0, session_move("/sys/fs/cgroup", getpid()));
	my_malloc(5000);
	for (i = 0; i < 6; i++)
		my_free(b[i]);
	/* the new block is not followed, and the old one is freed */
	my_realloc(b[6], 200);
	ASSERT_EQ(0, session_snapshot(fd, 0));
	ASSERT_EQ(0, session_process(fd, getpid(), MEMPROF_PROCESS_LEFT, &p));
	EXPECT_EQ(10, p.alloc.alloc_objects);
	EXPECT_EQ(7, p.alloc.free_objects);
	EXPECT_EQ(300, p.alloc.inuse_space);
	ASSERT_EQ(0, session_cgroup(fd, st.st_ino, &g));
	EXPECT_EQ(300, g.alloc.inuse_space);
	close(fd);
	rmdir(cgroup);
}

#define MOST 8192

static struct memprof_living_block rows[MOST];

/* Reads the blocks of the last snapshot. Returns their number, or -errno. */
static int read_blocks(int fd)
{
	struct memprof_read r = {
		.size = sizeof(r), .table = MEMPROF_READ_BLOCKS, .nr = MOST,
		.entry_size = sizeof(*rows), .entries = (uintptr_t)rows,
	};
	int err = session_ioctl(fd, MEMPROF_IOC_READ, &r);

	return err ? err : (int)r.nr;
}

static const struct memprof_living_block *row_of(const void *block, int nr)
{
	const struct memprof_living_block *found = NULL;
	int i;

	for (i = 0; i < nr; i++) {
		if (rows[i].address != (uintptr_t)block)
			continue;
		if (found)
			return NULL;		/* twice */
		found = &rows[i];
	}
	return found;
}

TEST_F_TIMEOUT(alloc, snapshots_have_each_living_block, TEST_TIMEOUT)
{
	const struct memprof_living_block *row;
	struct memprof_process p;
	struct memprof_site site;
	void *b[600];
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 600; i++)
		b[i] = i % 2 ? caller_a(100 + i * 20) : caller_b(1000);
	for (i = 0; i < 600; i += 3)
		my_free(b[i]);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
	ASSERT_EQ(400, read_blocks(self->fd));
	ASSERT_EQ(0, session_process(self->fd, getpid(), 0, &p));
	for (i = 0; i < 600; i++) {
		row = row_of(b[i], 400);
		ASSERT_EQ(i % 3 != 0, row != NULL);
		if (!row)
			continue;
		ASSERT_EQ(0, session_site_in(self->fd, i % 2 ? caller_a : caller_b, &site));
		ASSERT_EQ(i % 2 ? 100 + i * 20 : 1000, (int)row->bytes);
		ASSERT_EQ(row->bytes, row->weight_bytes);
		ASSERT_EQ(site.address, row->callsite);
		ASSERT_EQ(getpid(), (int)row->pid);
		ASSERT_EQ(p.start_ns, row->start_ns);
		ASSERT_EQ(0, row->__reserved);
	}
	/* the copy stays as it is, and the next one has no blocks if nobody asks */
	my_free(b[1]);
	EXPECT_EQ(400, read_blocks(self->fd));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(0, read_blocks(self->fd));
	ASSERT_EQ(0, session_stop(self->fd));
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
	EXPECT_EQ(399, read_blocks(self->fd));
}

TEST_F_TIMEOUT(alloc, blocks_end_with_their_process, TEST_TIMEOUT)
{
	int i, nr, fds[2];
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	my_malloc(10);
	pid = fork();
	if (!pid) {
		for (i = 0; i < 50; i++)
			my_malloc(77);
		if (write(fds[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	ASSERT_EQ(1, read(fds[0], &c, 1));
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
	nr = read_blocks(self->fd);
	EXPECT_EQ(51, nr);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(rows[i].bytes == 77 ? pid : getpid(), (int)rows[i].pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
	ASSERT_EQ(1, read_blocks(self->fd));
	EXPECT_EQ(10, rows[0].bytes);
}

/* Rows are whole, whatever threads do meanwhile: no address is there twice. */
TEST_F_TIMEOUT(alloc, snapshots_copy_whole_blocks, TEST_TIMEOUT)
{
	pthread_t t[THREADS];
	int round, i, nr;
	long id;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 1 << 13, 0, 0));
	for (id = 0; id < THREADS; id++)
		pthread_create(&t[id], NULL, churn, (void *)id);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
		nr = read_blocks(self->fd);
		ASSERT_GE(nr, 0);
		for (i = 0; i < nr; i++) {
			ASSERT_NE(0, rows[i].address);
			ASSERT_GE(rows[i].bytes, 16);
			ASSERT_LT(rows[i].bytes, 16 + THREADS);
			ASSERT_EQ(rows[i].bytes, rows[i].weight_bytes);
			ASSERT_EQ(getpid(), (int)rows[i].pid);
		}
	}
	for (id = 0; id < THREADS; id++)
		pthread_join(t[id], NULL);
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_BLOCKS));
	EXPECT_EQ(0, read_blocks(self->fd));
}

TEST_F_TIMEOUT(alloc, blocks_are_read_in_pieces_and_in_any_row_size, TEST_TIMEOUT)
{
	struct memprof_snapshot snap = {
		.size = sizeof(snap), .flags = MEMPROF_SNAPSHOT_BLOCKS,
	};
	uint64_t addresses[8] = { 0 }, large[16];
	struct memprof_read r = {
		.size = sizeof(r), .table = MEMPROF_READ_BLOCKS, .first = 7, .nr = 8,
		.entry_size = 8, .entries = (uintptr_t)addresses,
	};
	int i;

	ASSERT_EQ(0, allocator_start(self->fd, 1, 0, 0, 0));
	for (i = 0; i < 10; i++)
		my_malloc(32);
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_SNAPSHOT, &snap));
	EXPECT_EQ(10, snap.nr_blocks);
	EXPECT_EQ(0, snap.nr_left_blocks);
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	EXPECT_EQ(3, r.nr);
	EXPECT_NE(0, addresses[2]);
	EXPECT_EQ(0, addresses[3]);
	/* fields that the kernel does not know are zero */
	memset(large, 0xff, sizeof(large));
	r = (struct memprof_read){
		.size = sizeof(r), .table = MEMPROF_READ_BLOCKS, .nr = 1,
		.entry_size = sizeof(large), .entries = (uintptr_t)large,
	};
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	EXPECT_EQ(0, large[sizeof(*rows) / 8]);
	EXPECT_EQ(0, large[15]);
	r.entries = 1;
	r.nr = 5;
	EXPECT_EQ(-EFAULT, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	r.first = UINT32_MAX;
	r.nr = UINT32_MAX;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	EXPECT_EQ(0, r.nr);
	r.table = MEMPROF_READ_BLOCKS + 1;
	EXPECT_EQ(-EINVAL, session_ioctl(self->fd, MEMPROF_IOC_READ, &r));
	EXPECT_EQ(-EINVAL, session_snapshot(self->fd, 4));
	/* a caller that knows the first release only */
	snap.size = 32;
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_SNAPSHOT, &snap));
}

TEST_HARNESS_MAIN
