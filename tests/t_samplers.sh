#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: recordings whose allocations are sampled by the
# library in the recorded processes, and whose faults and growth are perf's.
. "$(dirname "$0")/lib.sh"
n=20000 rate=65536

make_sampled()
{
	gcc -O2 -g -fomit-frame-pointer -o "$fix/sampled" "$programs/sampled.c"
}

# record FILE OPTION... -- COMMAND...
record()
{
	memprofctl record -q -f --source perf --faults 1 -o "$@"
}

make_data()
{
	needs sampled || return
	record "$fix/data" --alloc $rate -- "$fix/sampled" $n
	[ $? = 7 ]
}

# sums_of FILE: whether the sums of stays and goes are right.
# They have 3000 and 2000 bytes times N. 900 and 600 samples: five standard
# deviations are a sixth and a fifth.
sums_of()
{
	report -i "$1" --by callsite >"$work/sites"
	sums_of_rows "$work/sites"
}

# sums_of_rows REPORT [TIMES]: TIMES the bounds
sums_of_rows()
{
	local stays goes times=${2:-1}
	stays=$(rows sum alloc_space where type=site function=stays <"$1")
	goes=$(rows sum alloc_space where type=site function=goes <"$1")
	echo "# $stays, $goes"
	is_within $((n * 3000 / 6 * times)) "$stays" $((n * 3000)) &&
	is_within $((n * 2000 / 5 * times)) "$goes" $((n * 2000))
}

# perf's first event is that of allocations: the weights are bytes, and stacks are whole.
perf_ranks_by_bytes()
{
	local bytes share
	needs data || return
	perf report -i "$fix/data" --stdio --children -g none >"$work/perf" 2>"$work/err" &&
	grep -m 1 'of event' "$work/perf" | grep "of event 'memprof_user:sampled_alloc'" &&
	bytes=$(sed -n '0,/^# Event count/s/^# Event count (approx.): //p' "$work/perf") &&
	is_within $((bytes / 100)) "$bytes" "$(report -i "$fix/data" |
		rows sum alloc_space where type=process)" &&
	share=$(awk '/^ *[0-9]/ && $NF == "stays" { print int($1); exit }' "$work/perf") &&
	[ "$share" -gt 30 ] && [ "$share" -lt 90 ] &&
	perf script -i "$fix/data" -F event,trace 2>"$work/err" | grep -qE \
		'memprof_user:sampled_alloc: \([0-9a-f]+\) ptr=0x[0-9a-f]+ size=3000 weight=[0-9]+$' &&
	return
	note "$work/perf"
	return 1
}

# Each page of the block, but the first: the C library wrote its size.
sums_are_right() { needs data && sums_of "$fix/data"; }

faults_join_the_block()
{
	local faults
	needs data || return
	faults=$(report -i "$fix/data" --by callsite |
		 rows sum block_faults where type=site function=is_big) &&
	is_within 1 "$faults" 2048
}

# grows_at FUNCTIONS FILE: bytes that calls in these functions added to the address space
grows_at()
{
	report -i "$2" --by callsite | rows sum growth_space where type=site "function~^($1)$"
}

# growth_is_right FILE: the allocator's calls are charged to its callers. A block of 3000
# bytes takes 3008, the large one a mapping of its own; free() gives back a bit.
growth_is_right()
{
	is_within $((n * 60)) "$(grows_at 'stays|goes|is_big|main' "$1")" \
		$((n * 3008 + (8 << 20))) && [ "$(grows_at is_big "$1")" -gt $((8 << 20)) ]
}

growth_has_callers() { needs data && growth_is_right "$fix/data"; }

stacks_are_whole()
{
	needs data && report -i "$fix/data" --by callsite --stack | rows lines |
		sed 's/ [a-z.-]*:[0-9]*//g' >"$work/stacks"
	grep 'stays < main < ' "$work/stacks" && grep 'goes < main < ' "$work/stacks"
}

says_its_rate()
{
	needs data && memprofctl report -v -i "$fix/data" >"$work/out" &&
	grep '^allocs: 1 sample per 64.0K bytes' "$work/out"
}

leaves_nothing()
{
	needs sampled && mkdir "$work/tmp" &&
	! TMPDIR=$work/tmp record "$work/data" --alloc $rate -- "$fix/sampled" 1 &&
	[ -z "$(ls -A "$work/tmp")" ]
}

# They cannot have the library: a shell that has it runs one, which is found late.
static_programs_are_counted()
{
	gcc -O1 -static -o "$work/static" "$programs/sampled.c" || return
	record "$work/data" --alloc $rate -- sh -c "sleep 2 | '$work/static' 1000 wait"
	[ $? = 7 ] && report -i "$work/data" | rows holds 'alloc_objects >= 2001' \
		where type=process comm=static
}

# Samplers that were put into a service ahead of time sleep until they are needed.
cgroups_are_paused_and_resumed()
{
	local pid
	needs sampled && mkfifo "$work/go" && make_cgroup || return
	(inside "$cgroup" "$fix/sampled" $n wait <"$work/go") &
	pid=$!
	exec 7>"$work/go"
	wait_until is_program $pid &&
	memprofctl inject -q -p $pid --paused --rate $rate --out "$work/region" 7>&- &&
	memprofctl resume -G "$group" 7>&- >"$work/out" &&
	grep "^resumed process $pid$" "$work/out" &&
	complains 1 "no process of the targets" memprofctl pause --comm none || return
	exec 7>&-
	wait $pid
	[ $? = 7 ] && sums_of "$work/region"
}

is_program() { [ "$(readlink /proc/$1/exe)" = "$fix/sampled" ]; }

# Small programs have samples by default. One that cannot have the library is counted
# exactly.
default_fits_the_program()
{
	needs sampled || return
	record "$work/data" -- "$fix/sampled" 2000
	[ $? = 7 ] && memprofctl report -v -i "$work/data" | grep "^allocs: 1 sample per 16" &&
	gcc -O1 -static -o "$work/static" "$programs/sampled.c" &&
	! record "$work/data" -- "$work/static" 100 &&
	[ "$(report -i "$work/data" | rows value alloc_objects where type=process \
		comm=static)" -ge 201 ] &&
	! MEMPROF_LIBRARY=/dev/null record "$work/data" -- "$fix/sampled" 100 &&
	[ "$(blocks "$work/data")" = 200 ]
}

# start_waiting: runs a program that begins when descriptor 7 is closed; sets pid
start_waiting()
{
	needs sampled && mkfifo "$work/go" || return
	"$fix/sampled" $n wait <"$work/go" &
	pid=$!
	exec 7>"$work/go"
}

running_programs_are_sampled()
{
	local pid
	start_waiting || return
	listening record -q -f --source perf --faults 1 --inject --alloc $rate \
		-o "$work/data" -p $pid 7>&- || return
	exec 7>&-
	# it ends as the process does
	end_of $recorder && sums_of "$work/data" || return
	wait $pid
	[ $? = 7 ] && growth_is_right "$work/data" && has_no_other_growth "$work/data"
}

# has_no_other_growth FILE: all growth is the program's, and none is the library's
has_no_other_growth()
{
	[ "$(report -i "$1" --by process | rows value growth_space where type=process)" = \
		"$(grows_at 'stays|goes|is_big|main' "$1")" ]
}

# mean KEY FILE: mean of the runs
mean()
{
	echo $(($(report -i "$2" --by process | rows sum "$1" where type=process \
		comm=sampled) / runs))
}

# Estimates have no bias: 30 runs take 27,500 samples of stays, and 18,300 of goes. The
# standard deviations of their means are 0.6 and 0.7 %, and less for sums with the large
# block, which each run samples. So 3 % are five of them.
weights_have_no_bias()
{
	local runs=30 live=$((n * 3000 + (8 << 20))) all=$((n * 5000 + (8 << 20)))
	needs sampled || return
	memprofctl record -q -f --preload --rate $rate -o "$work/data" -- sh -c \
		"for i in \$(seq $runs); do '$fix/sampled' $n; done; exit 0" || return
	[ "$(report -i "$work/data" --by process | rows count where type=process \
		comm=sampled)" = $runs ] &&
	is_within $((live * 3 / 100)) "$(mean inuse_space "$work/data")" $live &&
	is_within $((all * 3 / 100)) "$(mean alloc_space "$work/data")" $all
}

# Of 100 estimates 95 are nearer to the truth than the error that reports print: twice the
# root of the estimate times the rate. Of 30 at least 24 are, with a chance of 0.9997.
errors_are_told()
{
	local live=$((n * 3000 + (8 << 20))) good
	needs sampled || return
	memprofctl record -q -f --preload --rate $rate -o "$work/data" -- sh -c \
		"for i in \$(seq 30); do '$fix/sampled' $n; done; exit 0" || return
	report -i "$work/data" --by process >"$work/rows" &&
	good=$(rows list inuse_space where type=process comm=sampled <"$work/rows" |
		awk -v rate=$rate -v live=$live '{
			good += ($1 - live) ^ 2 <= 4 * $1 * rate } END { print good }') &&
	echo "# $good of 30" && [ "$good" -ge 24 ] &&
	rows value at_peak_error where type=summary <"$work/rows" >"$work/out" &&
	[ "$(cat "$work/out")" -gt 0 ] &&
	memprofctl report -i "$work/data" >"$work/out" &&
	grep 'estimates from 1 allocation per .* (error of AT-PEAK: .* %, of a row of' "$work/out" &&
	return
	note "$work/out"
	return 1
}

# Processes of one's own can be traced, and perf's events are not needed.
users_record_their_own()
{
	local pid
	local as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	needs sampled && mkfifo "$work/go" && mkdir -m 777 "$work/nobody" || return
	"${as_nobody[@]}" "$fix/sampled" $n wait <"$work/go" &
	pid=$!
	exec 7>"$work/go"
	wait_until is_program $pid || return
	mkfifo "$work/ready"
	"${as_nobody[@]}" env -u MEMPROF_RUNDIR TMPDIR="$work/nobody" memprofctl record \
		--inject -p $pid --alloc $rate -o "$work/nobody/data" --ready-fd 9 \
		9>"$work/ready" 2>"$work/err" 7>&- &
	recorder=$!
	read -r _ <"$work/ready"
	exec 7>&-
	end_of $recorder && sums_of "$work/nobody/data" &&
		[ "$(wc -l <"$work/err")" = 2 ] &&
		grep "perf's events are not allowed" "$work/err" &&
		[ "$(ls "$work/nobody")" = data ] &&
		! "${as_nobody[@]}" memprofctl record --inject --faults 1 -p $$ \
			-o "$work/nobody/none" 2>"$work/err" &&
		grep "cannot follow.*run as root" "$work/err" && return
	note "$work/err"
	return 1
}

# 15 of 16 blocks are freed, and no page becomes free. What touches them is another function.
what_is_kept_leads()
{
	local pid
	cat >"$work/keeps.c" <<-'END'
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static char *blocks[100000];
	static void __attribute__((noipa)) *makes(void) { return malloc(400); }
	static void __attribute__((noipa)) touches(char *p) { memset(p, 1, 400); }
	int main(void)
	{
		char c;
		int i;

		read(0, &c, 1);
		for (i = 0; i < 100000; i++)
			touches(blocks[i] = makes());
		for (i = 0; i < 100000; i++)
			if (i % 16)
				free(blocks[i]);
		write(1, "kept\n", 5);
		if (!read(0, &c, 1))
			sleep(2);
		return 0;
	}
	END
	gcc -O1 -g -o "$work/keeps" "$work/keeps.c" && mkfifo "$work/go" || return
	"$work/keeps" <"$work/go" >"$work/said" &
	pid=$!
	exec 7>"$work/go"
	memprofctl start -q --source perf --inject -p $pid 7>&- || return
	echo >&7
	wait_for kept "$work/said" && memprofctl report >"$work/out"
	exec 7>&-
	wait $pid
	memprofctl stop -q
	grep -A 2 '^who had memory at the peak' "$work/out" | tail -n 1 | grep -q ' makes keeps.c:5' &&
	grep -q '^keeps has RSS .*, 3[0-9.]*M of it is HELD: \(.*, \)\?at least 3[0-9.]*M is free inside malloc, ' "$work/out" || {
		note "$work/out"
		return 1
	}
	# A command has ended, but was like that for most of its time: 42 MB, of which 2.5 lived.
	# That is some 20 samples, and where the pace made them rare towards the end, fewer.
	record "$work/data" -- "$work/keeps" </dev/null >/dev/null &&
	memprofctl report -i "$work/data" >"$work/out" &&
	grep -q '^hint: for most of the time RSS was some \(3[4-9]\|4[01]\)\.[0-9]M above' "$work/out" && return
	note "$work/out"
	return 1
}

counts_reach_the_report()
{
	local pid
	echo 'void *malloc(unsigned long); void __libc_free(void *); long read(int, void *, long);
		void *volatile p; int main(void) { char c; int i; while (read(0, &c, 1) > 0) ;
		for (i = 0; i < 100; i++) { p = malloc(100000); __libc_free(p); } return 7; }' |
		gcc -O1 -x c -o "$work/unseen" - || return
	record "$work/data" --alloc 1K -- "$work/unseen" </dev/null
	[ $? = 7 ] && memprofctl report -v -i "$work/data" >"$work/out" &&
		grep ' 99  *heap_map_stale' "$work/out" || return
	mkfifo "$work/go"
	"$work/unseen" <"$work/go" &
	pid=$!
	exec 7>"$work/go"
	memprofctl start -q --source perf --inject --alloc 1K -p $pid 7>&- || return
	exec 7>&-
	wait $pid
	[ $? = 7 ] && memprofctl report -v >"$work/out" &&
		grep ' 99  *heap_map_stale' "$work/out" &&
		report --by process >"$work/json" &&
		grep '"heap_map_stale":99' "$work/json"
}

# A session takes the library out of the process when it ends.
a_session_leaves_the_process_as_it_was()
{
	local pid
	start_waiting || return
	memprofctl start -q --source perf --inject --alloc $rate -p $pid 7>&- &&
	grep -q 'libmemprof.so$' /proc/$pid/maps &&
	memprofctl status 7>&- | tee "$work/status" &&
	memprofctl stop -q 7>&- || return
	! grep 'memprof\.[0-9]*$' /proc/$pid/maps || return
	exec 7>&-
	wait $pid
	[ $? = 7 ]
}

# has_library PID
has_library() { grep -q 'libmemprof\.so' "/proc/$1/maps"; }

# A program that begins in a target cgroup gets the library, and so does what it execs.
later_programs_are_sampled()
{
	local pid
	needs sampled && make_cgroup && mkfifo "$work/go" &&
	memprofctl start -q --source perf --inject --alloc $rate -G "$group" || return
	(inside "$cgroup" sh -c 'read -r line; exec "$0" "$@"' "$fix/sampled" $n wait \
		<"$work/go") &
	pid=$!
	exec 7>"$work/go"
	wait_until has_library $pid 7>&- && echo >&7 && wait_until is_program $pid 7>&- &&
		wait_until has_library $pid 7>&- || return
	exec 7>&-
	wait $pid
	[ $? = 7 ] && report --by callsite >"$work/sites" &&
		sums_of_rows "$work/sites"
}

# In namespaces of its own, so that "everything" is not this machine
everything_is_sampled()
{
	needs sampled || return
	unshare -pfm --mount-proc bash -c '. tests/lib.sh
		mkfifo "$tmp/go"
		"$0" $2 wait <"$tmp/go" & sampled=$!
		exec 7>"$tmp/go"
		sleep 1000 7>&- & later=$!
		memprofctl start -a -q --source perf --inject --alloc $3 7>&- || exit
		memprofctl status 7>&- >"$1/status"
		memprofctl report --json 7>&- | grep "\"type\":\"summary\"" >"$1/summary"
		exec 7>&-
		wait $sampled
		[ $? = 7 ] && grep libmemprof.so /proc/$later/maps &&
			! grep libmemprof.so /proc/1/maps &&
			report --by callsite >"$1/sites" && memprofctl stop -q
		kill $later' "$fix/sampled" "$work" $n $rate >"$work/out" 2>&1 ||
		note "$work/out"
	# growth only where it costs nothing else
	if [ -w /sys/kernel/tracing/kprobe_events ]; then
		grep -q '"growth":true' "$work/summary"
	else
		grep -q 'growth is not followed: .*--growth on' "$work/out" &&
			grep -q '"growth":false' "$work/summary"
	fi &&
	# a session of everything has a pace: 500 samples, and not 1500
	grep "by a library in" "$work/status" && sums_of_rows "$work/sites" 2
}

# Of 200 programs that live for 0.3 s, most end before their turn; a long one has its turn.
short_programs_are_no_load()
{
	needs sampled || return
	unshare -pfm --mount-proc bash -c '. tests/lib.sh
		mkfifo "$tmp/go"
		memprofctl start -a -q --source perf --inject --alloc $3 || exit
		for i in {1..200}; do
			sleep 0.3 &
			sleep 0.02
			[ $i != 60 ] || { "$0" $2 wait <"$tmp/go" & pid=$!; exec 7>"$tmp/go"; }
		done 2>/dev/null
		wait_for libmemprof.so /proc/$pid/maps 7>&-
		exec 7>&-
		wait $pid
		[ $? = 7 ] && report --by callsite >"$1/sites" && memprofctl stop -q' \
		"$fix/sampled" "$work" $n $rate >"$work/out" 2>&1 || { note "$work/out"; return 1; }
	local brief
	brief=$(grep -o '"alloc_brief":[0-9]*' "$work/sites" | cut -d: -f2)
	echo "# $brief programs were too short"
	[ "$brief" -gt 40 ] && sums_of_rows "$work/sites" 2
}

make_fast()
{
	gcc -O2 -g -pthread -fno-builtin -x c -o "$fix/fast" - <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <time.h>
	#include <unistd.h>
	static double now(void)
	{
		struct timespec ts;
		clock_gettime(CLOCK_MONOTONIC, &ts);
		return ts.tv_sec + ts.tv_nsec / 1e9;
	}
	__attribute__((noinline)) static void churns(void) { free(malloc(800)); }
	__attribute__((noinline)) static void keeps(void) { *(volatile char *)malloc(20000) = 1; }
	static void *slow(void *unused)
	{
		for (int i = 0; i < 2000; i++, usleep(1000))
			keeps();
		return unused;
	}
	int main(void)
	{
		long nr = 0;
		pthread_t thread;
		getchar();
		pthread_create(&thread, NULL, slow, NULL);
		for (double end = now() + 4; now() < end; nr += 100)
			for (int i = 0; i < 100; i++)
				churns();
		pthread_join(thread, NULL);
		printf("%ld\n", nr * 800);
		fflush(stdout);
		getchar();
		return 7;
	}
	END
}

# A thread that allocates many GB/s has few of its samples, one that is slow has all of
# them, and the sums are right: 400 and 300 samples are within 25 and 29 % of the truth.
the_pace_is_kept()
{
	needs fast || return
	unshare -pfm --mount-proc bash -c '. tests/lib.sh
		mkfifo "$tmp/go"
		"$0" <"$tmp/go" >"$1/bytes" & pid=$!
		exec 7>"$tmp/go"
		memprofctl start -a -q --source perf --inject --alloc 128K 7>&- || exit
		echo >&7
		wait_for "[0-9]" "$1/bytes" 7>&-
		memprofctl report 7>&- >"$1/table"
		report --by callsite 7>&- >"$1/sites"
		memprofctl stop -q --save "$1/saved" 7>&-
		memprofctl start -q --source perf --inject -p $pid 7>&-
		report --by callsite 7>&- >"$1/one"
		memprofctl stop -q 7>&-
		exec 7>&-
		wait $pid
		[ $? = 7 ]' "$fix/fast" "$work" >"$work/out" 2>&1 || { note "$work/out"; return 1; }
	local truth fast kept samples
	truth=$(cat "$work/bytes")
	fast=$(rows sum alloc_space where type=site function=churns <"$work/sites")
	samples=$(rows sum alloc_samples where type=site function=churns <"$work/sites")
	kept=$(rows sum inuse_space where type=site function=keeps <"$work/sites")
	echo "# $fast of $truth bytes by $samples samples; $kept are kept"
	grep '1 allocation per [0-9.]*M bytes, at most 100 a second and thread (' \
		"$work/table" &&
	[ "$truth" -gt $((4 << 30)) ] && [ "$samples" -gt 200 ] &&
	[ "$samples" -lt $((truth / 131072 / 5)) ] &&
	is_within $((truth / 4)) "$fast" "$truth" &&
	is_within 12000000 "$kept" 40000000 &&
	grep -q '"alloc_pace":100' "$work/sites" &&
	grep -q '"alloc_pace":2000' "$work/one" &&
	report -i "$work/saved" | grep -q '"alloc_pace":100'
}

# A command that allocates many GB/s is not slowed by its samples, and sums are right.
a_command_has_a_pace()
{
	local truth fast samples
	needs fast || return
	memprofctl record -q -f -o "$work/data" -- "$fix/fast" </dev/null >"$work/bytes"
	[ $? = 7 ] && report -i "$work/data" --by callsite >"$work/sites" || return
	truth=$(cat "$work/bytes")
	fast=$(rows sum alloc_space where type=site function=churns <"$work/sites")
	samples=$(rows sum alloc_samples where type=site function=churns <"$work/sites")
	echo "# $fast of $truth bytes by $samples samples"
	grep -q '"alloc_pace":2000' "$work/sites" &&
	# of four seconds; on a slow machine it would have few samples in any case
	[ "$samples" -gt 1000 ] &&
	{ [ "$samples" -lt $((truth / 16384 / 2)) ] || [ "$samples" -lt 32000 ]; } &&
	is_within $((truth / 8)) "$fast" "$truth" &&
	memprofctl record -q -f --alloc 64K -o "$work/data" -- true &&
	report -i "$work/data" | grep -q '"alloc_pace":0'
}

# Sixteen threads that allocate GB/s take no more samples together than four alone may.
threads_share_a_pace()
{
	local truth fast samples
	cat >"$work/threads.c" <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	static unsigned long bytes;
	static void *churns(void *unused)
	{
		for (;;) {
			for (int size = 1000; size < 1999; size++) {
				volatile char *p = malloc(size);
				for (int i = 0; i < 60; i++)
					p[i] = i;
				free((void *)p);
			}
			__atomic_fetch_add(&bytes, 999UL * 1499, __ATOMIC_RELAXED);
		}
		return unused;
	}
	int main(void)
	{
		pthread_t thread;
		for (int i = 0; i < 16; i++)
			pthread_create(&thread, NULL, churns, NULL);
		sleep(6);
		printf("%lu\n", __atomic_load_n(&bytes, __ATOMIC_RELAXED));
		fflush(stdout);
		_exit(0);
	}
	END
	gcc -g -O1 -pthread -o "$work/threads" "$work/threads.c" &&
	memprofctl record -q -f -o "$work/data" -- "$work/threads" >"$work/bytes" &&
	report -i "$work/data" --by callsite >"$work/sites" || return
	truth=$(cat "$work/bytes")
	fast=$(rows sum alloc_space where type=site function=churns <"$work/sites")
	samples=$(rows sum alloc_samples where type=site function=churns <"$work/sites")
	echo "# $fast of $truth bytes by $samples samples"
	# each thread begins with some thousand; with a pace for each it would be 180000
	[ "$samples" -gt 2000 ] && [ "$samples" -lt 110000 ] && is_within $((truth / 8)) "$fast" "$truth"
}

# 40 MB of blocks of 100 bytes live. The distance of samples grows from 64 bytes on.
many_living_blocks_have_fewer_samples()
{
	local samples live
	cat >"$work/many.c" <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	static void *volatile last;
	static void __attribute__((noipa)) keeps(int n)
	{
		while (n--)
			last = malloc(100);
	}
	int main(void)
	{
		keeps(400000);
		_exit(0);
	}
	END
	gcc -O1 -g -o "$work/many" "$work/many.c" && rm -f "$work/region" &&
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=64 MEMPROF_PACE=$1 MEMPROF_OUT="$work/region" \
		"$work/many" &&
	report -i "$work/region" --by callsite >"$work/sites" &&
	samples=$(rows sum alloc_samples where type=site function=keeps <"$work/sites") &&
	live=$(rows sum inuse_space where type=site function=keeps <"$work/sites") &&
	echo "# $samples samples of $live living bytes" &&
	is_within 2000000 "$live" 40000000 &&
	if [ "$1" = 0 ]; then [ "$samples" -gt 290000 ]; else
		[ "$samples" -gt 40000 ] && [ "$samples" -lt 200000 ]
	fi
}

many_living_blocks_are_bounded()
{
	many_living_blocks_have_fewer_samples 0 && many_living_blocks_have_fewer_samples 1000000
}

# A child by fork has the library without an injection, and loses it, too.
children_lose_the_library()
{
	local pid child
	needs forks && mkfifo "$work/go" || return
	"$fix/forks" <"$work/go" >"$work/child" &
	pid=$!
	exec 7>"$work/go"
	wait_until is_forks $pid 7>&- &&
	memprofctl start -q --source perf --inject --alloc $rate -p $pid 7>&- &&
	echo >&7 && wait_until [ -s "$work/child" ] && read -r child <"$work/child" &&
	has_library "$child" && memprofctl stop -q 7>&- &&
	complains 1 "is not sampled any more" memprofctl eject -p "$child" &&
	complains 1 "is not sampled any more" memprofctl eject -p $pid || return
	exec 7>&-
	wait $pid
	[ $? = 7 ]
}

is_forks() { [ "$(readlink /proc/$1/exe)" = "$fix/forks" ]; }

# It forks when a line comes, and prints the number of the child; both end with 7 when
# standard input ends.
make_forks()
{
	gcc -O1 -x c -o "$fix/forks" - <<-'END'
	#include <stdio.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(void)
	{
		char c;
		int child, status = 7 << 8;
		read(0, &c, 1);
		child = fork();
		if (child) {
			printf("%d\n", child);
			fflush(stdout);
		}
		while (read(0, &c, 1) > 0)
			;
		if (child)
			wait(&status);
		return WEXITSTATUS(status);
	}
	END
}

# blocks FILE: blocks of 3000 and 2000 bytes
blocks()
{
	report -i "$1" --by callsite | rows sum alloc_objects where type=site \
		'function~^(stays|goes)$'
}

# record without -o keeps the older recording, and report finds the new one; without a
# session, and with one, each says what it shows
memprof_data_is_the_default()
{
	cd "$work" && memprofctl record -q --source perf -- true && [ ! -e memprof.data.old ] &&
	cp memprof.data first && memprofctl record -q --preload -- true &&
	cmp memprof.data.old first && memprofctl record -q -f --source perf -- true &&
	cmp memprof.data.old first &&
	memprofctl report --callers >"$work/tree" 2>"$work/err" &&
	[ "$(grep -c 'this is memprof.data of 2[-0-9: ]* ]$' "$work/err")" = 1 ] &&
	memprofctl record -q --source perf -o named -- true && cp named first &&
	memprofctl record -q --source perf -o named -- true && cmp named.old first &&
	echo "not a recording" >text &&
	complains 1 "File exists" memprofctl record --source perf -o text -- true &&
	grep -q "not a recording" text && [ ! -e text.old ] &&
	memprofctl start -q --source perf -p $$ --alloc off 2>"$work/err" &&
	memprofctl report >"$work/report" 2>"$work/err" && [ ! -s "$work/err" ] &&
	grep " of session " "$work/report" || return
	# a recording that is newer is what was meant
	sleep 1.1 && memprofctl record -q -f --source perf -- true &&
	memprofctl report >"$work/report" 2>"$work/err" &&
	grep -q -- 'this is memprof.data of 2.*, newer than the session that runs, which --live shows' "$work/err" &&
	! grep " of session " "$work/report" &&
	memprofctl report --live >"$work/report" && grep " of session " "$work/report"
}

# Python's functions, as -X perf names them, are callsites, and stacks do not end there.
python_functions_are_callsites()
{
	local pid
	gcc -O1 -fomit-frame-pointer -o "$work/trampoline" "$programs/trampoline.c" &&
	record "$work/data" -- "$work/trampoline" &&
	pid=$(report -i "$work/data" --by process | rows value pid where type=process \
		comm=trampoline) && at_end "rm /tmp/perf-$pid.map" &&
	memprofctl report -i "$work/data" --by callsite --stack -n 1 >"$work/out" &&
	grep '^trampoline ended with .* from py::Cache.inner cache.py$' "$work/out" &&
	grep -A 1 '^AT-PEAK' "$work/out" | tail -n 1 | grep 'py::Cache.inner cache.py$' &&
	tr -s ' +\n' ' ' <"$work/out" | grep \
		'> py::Cache.inner cache.py .*evaluate.* py::outer main.py .*main' && return
	note "$work/out"
	return 1
}

# The library's own probes do not count, if calls do.
exact_counts_once()
{
	local library=$build/user/libmemprof/libmemprof.so
	needs sampled || return
	LD_PRELOAD=$library MEMPROF_RATE=1 MEMPROF_OUT=$work/region \
		record "$work/data" --alloc exact -- "$fix/sampled" 100
	[ "$(blocks "$work/data")" = 200 ]
}

# A child that ends does not take the probes of another one with it
children_keep_their_probes()
{
	local i
	gcc -O1 -g -o "$work/siblings" "$programs/siblings.c" || return
	for i in 1 2 3 4; do
		memprofctl record -q -f "$@" -o "$work/data" -- "$work/siblings" 2>>"$work/err" &&
		report -i "$work/data" --by callsite >"$work/sites" &&
		rows holds 'alloc_objects == 100 and at_exit_space == 0' \
			where type=site function=second "alloc_objects!=0" <"$work/sites" || return
	done
}

sampled_children_keep_their_probes() { children_keep_their_probes --alloc 1K; }
exact_children_keep_their_probes() { children_keep_their_probes --alloc exact; }

# what keeps the kernel from telling events of tasks apart
apart_obstacle()
{
	local major minor
	IFS=. read -r major minor _ <<<"$(uname -r)"
	[ $((major * 1000 + ${minor%%[!0-9]*})) -ge 6013 ] || echo "the kernel is older than 6.13"
}

check "estimates of 30 runs have no bias" weights_have_no_bias
check "estimates are as near to the truth as they say" errors_are_told
if obstacle=$(perf_obstacle); then :; fi
no_injection=${obstacle:-$(injection_obstacle)}
check_unless "$obstacle" "sums of sampled allocations are right" sums_are_right
check_unless "${obstacle:-$(command -v perf >/dev/null || echo "perf is not installed")}" \
	"perf ranks functions by bytes, with whole stacks" perf_ranks_by_bytes
check_unless "$obstacle" "faults are joined with sampled blocks" faults_join_the_block
check_unless "$obstacle" "growth is charged to the allocator's callers" growth_has_callers
check_unless "$obstacle" "stacks are whole without frame pointers" stacks_are_whole
check_unless "$obstacle" "a recording of samples says its rate" says_its_rate
check_unless "$obstacle" "the library's files are removed" leaves_nothing
check_unless "$obstacle" "calls of static programs are counted" \
	static_programs_are_counted
check_unless "$obstacle" "children keep their probes" sampled_children_keep_their_probes
check_unless "${obstacle:-$(apart_obstacle)}" "also those at each call" \
	exact_children_keep_their_probes
check_unless "$no_injection" "a running program gets the library" \
	running_programs_are_sampled
check_unless "${no_injection:-$(yama_obstacle)}" "ordinary users record their own processes" \
	users_record_their_own
check_unless "$no_injection" "who had what was freed and kept is first" what_is_kept_leads
check_unless "$no_injection" "what the library counts is in the report" \
	counts_reach_the_report
check_unless "$no_injection" "a session takes the library out again" \
	a_session_leaves_the_process_as_it_was
check_unless "$no_injection" "programs that begin later get the library" \
	later_programs_are_sampled
check_unless "$no_injection" "everything can be sampled but process 1" everything_is_sampled
check_unless "$no_injection" "short programs are no load, and long ones are sampled" \
	short_programs_are_no_load
check_unless "$no_injection" "whoever allocates fast has fewer samples, and right sums" \
	the_pace_is_kept
check_unless "$obstacle" "a command that allocates fast is not slowed by samples" a_command_has_a_pace
check_unless "$obstacle" "threads share a pace" threads_share_a_pace
check_unless "$obstacle" "where many sampled blocks live, fewer are sampled" \
	many_living_blocks_are_bounded
check_unless "$no_injection" "children by fork lose the library, too" \
	children_lose_the_library
check_unless "$no_injection" "samplers of a cgroup sleep until they are resumed" \
	cgroups_are_paused_and_resumed
check_unless "$obstacle" "without --alloc, small programs have samples" \
	default_fits_the_program
check_unless "${obstacle:-$([ "$(uname -m)" = x86_64 ] || echo "its code is for x86-64")}" \
	"Python's functions are callsites" python_functions_are_callsites
check_unless "$obstacle" "memprof.data is the default, and an older one is kept" \
	memprof_data_is_the_default
check_unless "$obstacle" "with the library, exact counts calls once" exact_counts_once
plan
