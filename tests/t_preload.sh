#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: programs that libmemprof.so is loaded into do what they do without
# it, and leave a file that says what they allocated.
. "$(dirname "$0")/lib.sh"
LIB=$build/user/libmemprof/libmemprof.so

# compile NAME [OPTION]...: a program of tests/programs
compile()
{
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall "${@:2}" -o "$fix/$1" \
		"$programs/$1.c"
}

make_allocate() { compile allocate -g -fomit-frame-pointer -pthread; }
make_corners() { compile corners -g -fomit-frame-pointer -pthread; }
make_region() { compile region -Iinclude; }

# under COMMAND...: with the library, in a folder of regions of its own
under()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	env LD_PRELOAD="$LIB" MEMPROF_RATE="${RATE:-64K}" \
		MEMPROF_OUT="$work/out/%p" "$@"
}

# below COMMAND...: the same in the background, until $pid is killed
below()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	LD_PRELOAD="$LIB" MEMPROF_RATE=64K MEMPROF_OUT="$work/out/%p" "$@" \
		>"$work/said" &
	pid=$!
	wait_until [ -s "$work/said" ]
}

# same COMMAND...: output and status are those without the library
same()
{
	"$@" >"$work/without" 2>"$work/without.err" </dev/null
	local status=$?
	under "$@" >"$work/with" 2>"$work/with.err" </dev/null
	[ $? = $status ] && cmp "$work/without" "$work/with" &&
		cmp "$work/without.err" "$work/with.err"
}

# facts: of all regions of the last run
facts()
{
	local f
	needs region || return
	for f in "$work"/out/*; do
		"$fix/region" "$f" || return
	done
}

# sampled [LEAST]: the last run left readable regions with samples in them
sampled()
{
	facts >"$work/facts" || return
	awk -v least="${1:-1}" '$1 == "total" { n += $3 }
		$1 == "live" && $NF { bad = 1 }
		END { exit n < least || bad }' "$work/facts"
}

same_and_sampled() { same "$@" && sampled; }

# is_done KIND: what allocate.c does is right
is_done()
{
	needs allocate &&
	[ "$(under timeout 120 "$fix/allocate" "$1" 2>&1)" = "$1 done" ]
}

# corner KIND [LEAST]: what corners.c does is right, and $work/facts are its own
corner()
{
	needs corners &&
	[ "$(under timeout 60 "$fix/corners" "$1" 2>&1)" = "$1 done" ] || return
	facts | awk '$1 == "pid" { own = $NF == "corners" } own' >"$work/facts"
	awk -v least="${2:-1}" '$1 == "total" { n = $3 } END { exit n < least }' \
		"$work/facts"
}

# Children of a handler that interrupted a sample finish it nowhere.
forks_in_handlers()
{
	needs corners &&
	[ "$(RATE=1 under "$fix/corners" handler-forks)" = "handler-forks done" ] &&
	facts >"$work/facts" && awk '$1 == "total" { sum = $3 - $7 }
		$1 == "live" { n++; bad += $2 != sum || $2 > 2 }
		END { exit bad || n < 1000 }' "$work/facts"
}

# A program that may not open files cannot look at its own pages at its end; and which addresses
# the filter takes for sampled ones is chance
nothing_counted()
{
	! grep '^counter' "$work/facts" | grep -vE 'end_pages_refused|bloom_false_positives'
}

# 400 MB in 400,000 blocks: 6,000 samples, in tables that grew for them
grows()
{
	corner "$1" 5000 && nothing_counted &&
		awk '$1 == "live" { n = $2 } END { exit n < 5000 }' "$work/facts"
}

# At rate 1 each call counts once: those of 0 bytes, and those of many threads that
# need room at once.
counts_every_call()
{
	local RATE=1
	corner crowd && ! grep _drops "$work/facts" &&
	awk '$1 == "stack" && $11 ~ /corners/ { nr += $8; bytes += $10 }
		$1 == "live" { live = $2 }
		END { print "# counted", nr, bytes, live
			exit nr != 320000 || bytes != 1120000 || live < 32000 }' \
		"$work/facts"
}

# In the default place, where an unused file is removed, unless that may be forbidden
confined_without_samples()
{
	needs corners && mkdir -m 700 "$work/xdg" || return
	[ "$(XDG_RUNTIME_DIR=$work/xdg MEMPROF_RATE=32G LD_PRELOAD=$LIB \
		"$fix/corners" confined 2>&1)" = "confined done" ] &&
	[ "$(ls "$work/xdg" | grep -c '^memprof\.[0-9]*$')" = 1 ]
}

# Stacks that reach their first function
whole() { corner "$1" 150 && nothing_counted; }

# What ends a thread, or asks the host, is not called by the C library's names.
no_cancellation_points()
{
	nm -u "$build"/user/lib/memprof/*.o >"$work/symbols" &&
	grep -q ' U ' "$work/symbols" && ! grep -wE \
		'(open|openat|creat|p?read|p?write|p?readv|p?writev)(64|2)?|close|fcntl|fsync|msync|fallocate|pause|poll|select|sleep|usleep|nanosleep|wait|waitpid|fopen|fclose|pthread_join|sem_wait' \
		"$work/symbols"
}

done_and_sampled() { is_done "$1" && sampled "${2:-1}"; }

make_rust()
{
	cat >"$work/r.rs" <<-'END'
	use std::collections::HashMap;
	fn main() {
	    std::panic::set_hook(Box::new(|_| {}));
	    let t: Vec<_> = (0..4).map(|k| std::thread::spawn(move || {
	        let mut m = HashMap::new();
	        for i in 0..20000u64 { m.insert(i * k, vec![i as u8; 100]); }
	        m.values().map(|v| v[0] as u64).sum::<u64>()
	    })).collect();
	    for h in t { println!("{}", h.join().unwrap()); }
	    let r = std::panic::catch_unwind(|| { panic!("on purpose") });
	    println!("{}", r.is_err());
	}
	END
	rustc -O -o "$fix/r" "$work/r.rs" 2>/dev/null
}

rust()
{
	needs rust && same_and_sampled "$fix/r"
}

compiles()
{
	cat >"$work/gcc.sh" <<-END
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -c -o $work/o.o tests/programs/allocate.c &&
		sha256sum $work/o.o
	END
	same_and_sampled sh "$work/gcc.sh"
}

answers()
{
	[ "$(redis-cli -s "$work/s" ping 2>/dev/null)" = PONG ]
}

# redis's binary has several names; what it is called by decides what it does
redis_server()
{
	local server
	mkdir -p "$work/redis" "$work/out"
	LD_PRELOAD=$LIB MEMPROF_RATE=64K MEMPROF_OUT="$work/out/%p" \
		bash -c 'exec -a redis-server redis-check-rdb --port 0 \
		--unixsocket '"$work"'/s --save "" --dir '"$work"'/redis \
		--logfile '"$work"'/redis.log' &
	server=$!
	wait_until answers &&
	redis-benchmark -q -s "$work/s" -t set,lpush -n 20000 -r 5000 \
		>/dev/null 2>&1 &&
	[ "$(redis-cli -s "$work/s" llen mylist)" = 20000 ] &&
	redis-cli -s "$work/s" bgsave >/dev/null && sleep 0.5 &&
	redis-cli -s "$work/s" shutdown nosave >/dev/null 2>&1
	wait "$server" && sampled 10
}

# 100 MB that live at the end, in one stack, without frame pointers
stacks_are_whole()
{
	RATE=512K is_done known || return
	facts >"$work/facts"
	awk '$1 == "total" { live = $5 - $9 } $1 == "live" { sum = $4 }
		$1 == "stack" && $6 { cut = 1 }
		END { exit cut || live != sum || live < 70e6 || live > 130e6 }' \
		"$work/facts" || return
	grep ^stack "$work/facts" | sort -k10nr | head -n 1 | tr ' ' '\n' |
		sed -n 's/.*allocate+/0x/p' >"$work/frames"
	addr2line -f -e "$fix/allocate" <"$work/frames" >"$work/names"
	grep -q known_site "$work/names" && grep -q known_caller "$work/names" &&
		grep -q main "$work/names"
}

# fork children have regions that say whose children they are
forks()
{
	RATE=512K is_done forks && sampled 100 &&
	[ "$(grep -c '^pid .* parent [1-9]' "$work/facts")" -ge 20 ] &&
	[ "$(grep -c '^pid .* parent 0 .* comm allocate' "$work/facts")" = 1 ]
}

# nr_samples: of the program that below() runs
nr_samples()
{
	"$fix/region" "$work/out/$pid" | awk '$1 == "total" { print $3 }'
}

has_samples()
{
	[ "$(nr_samples)" -gt 100 ]
}

# has_worked: the program took a tenth of a second of a CPU
has_worked()
{
	[ "$(awk '{ print $14 + $15 }' "/proc/$pid/stat")" -ge 10 ]
}

killed_in_the_middle()
{
	local i
	needs allocate region || return
	for i in 1 2 3 4 5 6 7 8; do
		below "$fix/allocate" for-ever
		wait_until has_samples || return
		facts >/dev/null || return
		kill -9 $pid
		wait $pid 2>/dev/null
		sampled 100 || return
		grep -q "^pid .* state 1 " "$work/facts" || return
	done
}

paused_and_resumed()
{
	needs allocate region || return
	MEMPROF_ACTIVE=0 below "$fix/allocate" for-ever
	wait_until has_worked && [ "$(nr_samples)" = 0 ] || return
	"$fix/region" "$work/out/$pid" resume
	wait_until has_samples
}

# counted NAME VARIABLE=VALUE...: the host is undisturbed, and that is counted
counted()
{
	local name=$1
	shift
	needs allocate region || return
	rm -rf "$work/out" "$work/run"
	mkdir "$work/out"
	mkdir -m 700 "$work/run"
	[ "$(env XDG_RUNTIME_DIR="$work/run" MEMPROF_OUT="$work/out/%p" "$@" \
		LD_PRELOAD="$LIB" "$fix/allocate" known 2>&1)" = "known done" ] &&
	cat <(for f in "$work"/out/* "$work"/run/*; do
		[ -f "$f" ] && "$fix/region" "$f"
	done) >"$work/facts" && grep -q "^counter $name " "$work/facts"
}

rates_are_checked()
{
	local r
	for r in 0 -5 99999999999999999999 64X 1e5 ' 5'; do
		counted rate_invalid MEMPROF_RATE="$r" &&
			grep -q ' rate 524288 ' "$work/facts" || return
	done
	! counted rate_invalid MEMPROF_RATE=2M &&
		grep -q ' rate 2097152 ' "$work/facts"
}

# An unwritable place: the default is used. A link is not followed, nor a file that
# is there overwritten.
places_are_checked()
{
	counted out_unusable MEMPROF_OUT=/no/such/folder/x &&
	counted out_unusable MEMPROF_OUT=/proc/x || return
	ln -s "$work/victim" "$work/link"
	echo mine >"$work/file"
	! counted out_unusable MEMPROF_OUT="$work/link" &&
	[ ! -e "$work/victim" ] && ls "$work"/link.[0-9]* >/dev/null &&
	! counted out_unusable MEMPROF_OUT="$work/file" &&
	[ "$(cat "$work/file")" = mine ] && ls "$work"/file.[0-9]* >/dev/null &&
	[ "$(stat -c %a "$work"/file.[0-9]*)" = 600 ]
}

full_disk()
{
	needs allocate region && mkdir "$work/full" || return
	mount -t tmpfs -o size=300k tmpfs "$work/full" 2>/dev/null || {
		echo "# skipped: no file system can be mounted"
		return 0
	}
	at_end 'umount "$work/full"'
	under env MEMPROF_RATE=1 MEMPROF_OUT="$work/full/%p" "$fix/allocate" \
		known >"$work/said" 2>&1 &&
	cat "$work"/full/* >/dev/null &&
	"$fix/region" "$work"/full/[0-9]* >"$work/facts" &&
	[ "$(cat "$work/said")" = "known done" ] &&
	grep -q "counter region_grow_failed" "$work/facts" &&
	grep -q "counter heap_map_full_drops" "$work/facts"
}

# No file may be larger than 1 MB: no signal, memory instead of a file.
limits()
{
	needs allocate || return
	[ "$(ulimit -f 1000; under "$fix/allocate" known)" = "known done" ] &&
		[ -z "$(ls "$work/out")" ] &&
	[ "$(ulimit -v 60000; under "$fix/allocate" every-function)" = \
		"every-function done" ]
}

# A relative name, and a program that goes elsewhere before its tables grow
folder_changes()
{
	rm -rf "$work/out"
	mkdir "$work/out"
	(cd "$work/out" && LD_PRELOAD="$LIB" MEMPROF_RATE=4K MEMPROF_OUT=r%p \
		PYTHONMALLOC=malloc /usr/bin/python3 -c 'import os; os.chdir("/")
l = [bytearray(1000) for i in range(100000)]; os._exit(0)') &&
	sampled 10000 && ! grep -q grow_failed "$work/facts" &&
		[ "$(awk '$1 == "live" { print ($2 > 20000) }' "$work/facts")" = 1 ]
}

exec_makes_a_region_of_its_own()
{
	under bash -c 'x=$(printf %1000000s); exec python3 -c "print(len([bytes(99999) for i in range(999)]))"' \
		>"$work/said" && [ "$(cat "$work/said")" = 999 ] &&
	[ "$(ls "$work/out" | wc -l)" -ge 2 ] && sampled
}

constructors_are_seen()
{
	echo '#include <stdlib.h>
	void *kept[100];
	__attribute__((constructor)) static void begin(void)
	{
		for (int i = 0; i < 100; i++)
			kept[i] = malloc(1000000);
	}' | gcc -shared -fPIC -o "$work/libearly.so" -x c - &&
	echo 'extern void *kept[]; int main(void) { return !kept[99]; }' |
		gcc -o "$work/late" -x c - -x none "$work/libearly.so" &&
	under "$work/late" && sampled 100
}

# Python's own allocator takes 256 KB by mmap
mappings_are_a_kind_of_their_own()
{
	needs allocate || return
	[ "$(MEMPROF_MMAP=1 under "$fix/allocate" mappings)" = "mappings done" ] &&
	facts >"$work/facts" &&
	awk '$1 == "mapped" { n = $3; live = $3 - $7 }
		$1 == "live" { m = $6 }
		END { exit n < 400 || live != m || m != 5 }' "$work/facts"
}

# Moved, and still there: 10 of them live.
mappings_that_are_kept_live()
{
	needs corners || return
	[ "$(RATE=1K MEMPROF_MMAP=1 under "$fix/corners" kept-mappings)" = \
		"kept-mappings done" ] && facts >"$work/facts" &&
	awk '$1 == "mapped" { good = $3 == 10 && !$7 } END { exit !good }' \
		"$work/facts"
}

# A library behind this one that counts calls of mmap() sees them.
next_mmap_is_called()
{
	needs corners && mkdir "$work/out" || return
	echo 'void *mmap(void *p, unsigned long size, int prot, int flags, int fd,
		long at)
	{
		extern void *mmap64(void *, unsigned long, int, int, int, long);
		extern int puts(const char *);

		puts("seen");
		return mmap64(p, size, prot, flags, fd, at);
	}' | gcc -shared -fPIC -o "$work/next.so" -x c - &&
	[ "$(LD_PRELOAD="$LIB $work/next.so" MEMPROF_OUT="$work/out/%p" \
		"$fix/corners" kept-mappings | grep -c seen)" = 5 ]
}

other_allocators()
{
	needs allocate || return
	local so found=0
	for so in /usr/lib/$(uname -m)-linux-gnu/lib{jemalloc,tcmalloc_minimal,mimalloc}.so.*; do
		[ -e "$so" ] || continue
		found=1
		rm -rf "$work/out"
		mkdir "$work/out"
		[ "$(LD_PRELOAD="$LIB $so" MEMPROF_RATE=64K \
			MEMPROF_OUT="$work/out/%p" "$fix/allocate" threads)" = \
			"threads done" ] && sampled 100 || { echo "# $so"; return 1; }
	done
	[ $found = 1 ]
}

probes_are_there()
{
	readelf -n "$LIB" | grep -A1 'Provider: otel_memory' |
		awk '/Name/ { print $2 }' | sort | tr '\n' ' ' | grep -qx 'alloc free '
	readelf -n "$LIB" | grep -A3 'Provider: otel_memory' |
		grep -q 'Semaphore: 0x0*[1-9a-f]'
}

# note_of NAME: where a probe is in the file, and its semaphore
note_of()
{
	local offset addr place semaphore
	read -r offset addr < <(readelf -lW "$LIB" |
		awk '$1 == "LOAD" && / RW / { print $2, $3 }')
	read -r place semaphore < <(readelf -n "$LIB" | tr -d , |
		awk -v name="$1" '$1 == "Name:" { this = $2 == name }
		this && $1 == "Location:" { print $2, $6; exit }')
	printf '%s:%s(0x%x)\n' "$(readlink -f "$LIB")" "$place" \
		$((semaphore - addr + offset))
}

# As many as samples, only while somebody follows them.
probes_fire()
{
	local t=/sys/kernel/tracing got group=mptest_$BASHPID line
	needs allocate || return
	for line in alloc free; do
		echo "p:$group/$line $(note_of $line)" >>$t/uprobe_events || return
		at_end "echo '-:$group/$line' >>$t/uprobe_events"
	done
	under perf stat -x, -o "$work/stat" -e $group:alloc,$group:free \
		"$fix/allocate" threads >/dev/null
	facts | grep -A1 'comm allocate' >"$work/facts"
	got=$(awk -F, "/$group/"' { printf "%s ", $1 }' "$work/stat")
	[ "$got" = "$(awk '$1 == "total" { print $3, $7 }' "$work/facts") " ]
}

nothing_else_is_exported()
{
	local others
	others=$(nm -D --defined-only "$LIB" | awk '{ print $3 }' |
		grep -vE '^(memprof_|malloc$|calloc$|realloc|free|posix_memalign$|aligned_alloc$|memalign$|p?valloc$|malloc_usable_size$|mmap(64)?$|munmap$|mremap$|dlclose$|prctl$)')
	[ -z "$others" ] || { echo "# $others"; return 1; }
	! readelf -r "$LIB" | grep -q JUMP_SLO &&
		! readelf -lW "$LIB" | grep -qw TLS
}

# What stays in the default place: nothing of a program that was never sampled.
litter()
{
	needs allocate || return
	mkdir -m 700 "$work/xdg"
	XDG_RUNTIME_DIR=$work/xdg LD_PRELOAD=$LIB /bin/true
	[ -z "$(ls "$work/xdg")" ] &&
	XDG_RUNTIME_DIR=$work/xdg LD_PRELOAD=$LIB "$fix/allocate" known >/dev/null &&
	[ "$(ls "$work/xdg" | grep -c '^memprof\.[0-9]*$')" = 1 ]
}

make_frames() { compile frames -g -fomit-frame-pointer -pthread; }

# 400 copies, each time the same ones
damaged_tables_end_no_program()
{
	needs frames && python3 -S tests/damage.py "$fix/frames" "$LIB" "$work" 400
}

# as_is_counted COMMAND...: 600 calls in each of two processes
as_is_counted()
{
	[ "$(RATE=1 under "$@")" = done ] && two_have_600_calls
}

two_have_600_calls()
{
	facts >"$work/facts" &&
	awk '$1 == "total" { n += $3 == 600 && $7 == 600 } END { exit n != 2 }' \
		"$work/facts"
}

make_library() { compile c-library; }
make_musl()
{
	musl-gcc -std=gnu11 -O2 -Wall -o "$fix/musl" "$programs/c-library.c" &&
		readelf -l "$fix/musl" | grep -q ld-musl
}

# A constructor's arguments, and functions that glibc alone has
glibc_program() { needs library && as_is_counted "$fix/c-library"; }
musl_program() { needs musl && as_is_counted "$fix/musl"; }

# The root of a container that has musl and nothing else: no glibc, no /proc
musl_root()
{
	local root=$work/root
	needs musl || return
	install -D "$(realpath /lib/ld-musl-*.so.1)" \
		"$root$(echo /lib/ld-musl-*.so.1)" &&
	install -D "$fix/musl" "$root/program" &&
	install -D "$LIB" "$root$LIB" && mkdir -p "$root$work/out" &&
	[ "$(RATE=1 under unshare -mpfR "$root" /program)" = done ] &&
	rm -r "$work/out" && mv "$root$work/out" "$work/out" && two_have_600_calls
}

make_queries()
{
	echo 'create table t(a, b); with recursive c(x) as (select 1 union all
	select x + 1 from c where x < 50000) insert into t select x, hex(x * x) from c;
	create index i on t(b); select count(*), max(b) from t group by a % 7;' \
		>"$fix/q.sql"
}

sqlite()
{
	needs queries && same_and_sampled sqlite3 :memory: ".read $fix/q.sql"
}

make_python()
{
	echo 'import json
x = [{"k%d" % i: [str(j) for j in range(i % 50)]} for i in range(3000)]
s = json.dumps(x); print(len(s), hash(tuple(range(999))))
assert json.loads(s) == x' >"$fix/p.py"
}

python_alone()
{
	needs python && same python3 "$fix/p.py"
}

python_with_malloc()
{
	needs python &&
	same_and_sampled env PYTHONMALLOC=malloc python3 "$fix/p.py"
}

# as_others COMMAND...: programs that look for files at home find none
as_others()
{
	HOME=$work "$@"
}

# A program whose effective user is not its real one must not believe its caller.
# The rate of the environment is not believed either: the default one takes a sample of
# 64 MB for sure. A file without a sample is removed at the end.
privileged_programs_choose_their_file()
{
	echo 'int main(void) { return !__builtin_malloc(1 << 26); }' |
		gcc -O0 -x c -o "$work/linked" - -Wl,--no-as-needed -x none "$LIB" \
			-Wl,-rpath,"${LIB%/*}" || return
	export MEMPROF_RATE=1 MEMPROF_OUT=$work/mine
	"$work/linked" && [ -e "$work/mine" ] || return
	export MEMPROF_OUT=$work/not-mine
	setpriv --ruid 65534 "$work/linked" & pid=$!
	wait $pid && [ ! -e "$work/not-mine" ] && rm /tmp/memprof.$pid
}

check "bash" as_others same_and_sampled bash -c \
	'for i in {1..30}; do x=$(echo $i{1..2000}); echo ${#x}; done | sort | md5sum'
check_unless "$(git -C "$top" rev-parse >/dev/null 2>&1 || echo "no git, or no repository")" \
	"git" as_others same_and_sampled git -C "$top" log --stat -n 60
check "python3 with its own allocator" as_others python_alone
check "python3 with malloc" as_others python_with_malloc
check "sqlite3" as_others sqlite
check "gcc" as_others compiles
check_unless "$(command -v redis-check-rdb >/dev/null || echo "not installed")" \
	"redis-server" as_others redis_server
check_unless "$(command -v rustc >/dev/null || echo "rustc is not installed")" \
	"a Rust program, that panics and unwinds" rust
for kind in every-function threads signals raw-fork vforks libraries; do
	check "allocate.c: $kind" done_and_sampled $kind
done
check "a thread is not cancelled inside malloc" corner cancelled 500
check "a program that has an open() of its own" corner own-open
check "no cancellation point is called by name" no_cancellation_points
check "files may grow no more, tables do" grows file-limit
check "a program that forbids itself descriptors" grows locked-in
check "at rate 1 each call counts once, whatever its size" counts_every_call
check "a filter that kills for what the program does not call" corner confined 200
check "the same, of a program without samples" confined_without_samples
check "read(), write() and exit() only" corner strict 100
check_unless "$([ "$(uname -m)" = x86_64 ] || echo "only x86-64 has that")" \
	"a program that forbids itself the CPU's clock" corner no-clock 200
check "functions that call each other are counted once" glibc_program
check_unless "$(command -v musl-gcc >/dev/null || echo "musl-gcc is not installed")" \
	"the same in a program of musl, and in its child" musl_program
check_unless "$(command -v musl-gcc >/dev/null || echo "musl-gcc is not installed")" \
	"the same in a root that has musl alone" musl_root
check "coroutines' stacks are whole" whole coroutines
check "sizes that nobody has" corner too-much 1300
check "damaged unwind tables end no program" damaged_tables_end_no_program
check "a frame pointer that points nowhere" corner wild-frame-pointer 300
check "1,000 forks under load; children have their own regions" forks
check "1,000 forks in signals' handlers" forks_in_handlers
check "stacks are whole without frame pointers, and named after the end" \
	stacks_are_whole
check "kill -9 in the middle leaves a readable region" killed_in_the_middle
check "begun paused, then resumed" paused_and_resumed
check "bad rates are counted, and the default is used" rates_are_checked
check "bad places are counted, links are not followed" places_are_checked
check "a full disk is counted" full_disk
check "limits of files and of memory" limits
check "a relative name, and another folder" folder_changes
check "an exec makes a region of its own" exec_makes_a_region_of_its_own
check "what libraries' constructors allocate is seen" constructors_are_seen
check "mappings are a kind of their own" mappings_are_a_kind_of_their_own
check "mappings that stay when they are moved" mappings_that_are_kept_live
check "mmap() of libraries behind it" next_mmap_is_called
check "jemalloc, tcmalloc and mimalloc behind it" other_allocators
check "USDT probes have semaphores" probes_are_there
check_unless "$(perf_obstacle)" \
	"USDT probes fire once per sample and once per its free" probes_fire
check "exports are few, calls have no PLT" nothing_else_is_exported
check_unless "$([ "$(id -u)" = 0 ] || echo "only root changes its real user")" \
	"privileged programs do not believe the environment" \
	privileged_programs_choose_their_file
check "the default place: no litter" litter
plan
