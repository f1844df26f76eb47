#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: recordings of the perf source, what perf makes
# of them, what this makes of perf's, and what both make of broken ones.
cd "$(dirname "$0")/.." || exit 1
O=${O:-$PWD/build}
. tests/guest/tap.sh
events=/sys/kernel/tracing/uprobe_events
[ -e $events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
group=memproftest_$$
work=$(mktemp -d)
n=1000

cleanup()
{
	local e
	for e in malloc malloc__return free; do
		grep -q ":$group/$e " $events 2>/dev/null &&
			echo "-:$group/$e" >>$events
	done
	mountpoint -q "$work/full" && umount "$work/full"
	rm -rf "$work"
}
trap cleanup EXIT

# Why nothing can be recorded here; nothing where it can.
obstacle()
{
	if [ "$(id -u)" != 0 ]; then
		echo "only root makes uprobes"
	elif ! command -v perf >/dev/null; then
		echo "perf is not installed"
	elif [ ! -w $events ]; then
		echo "the kernel has no uprobe_events, or tracefs is not mounted"
	elif ! perf record -q -B -N -e page-faults -o "$work/try" -- true \
		2>/dev/null; then
		echo "perf_event_open is refused"
	fi
}

recorder=(memprofctl record -q -f --source perf --alloc exact --faults 1)
record()
{
	"${recorder[@]}" "$@"
}

# Numbers of the program's row in a report: objects, bytes, frees, in use, peak
row()
{
	memprofctl report -i "$1" --json -n 0 | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
r = [r for r in rows if r["type"] == "process" and r["comm"] == "blocks"][0]
print(r["alloc_objects"], r["alloc_space"], r["free_objects"],
      r["inuse_objects"], r["peak_space"])'
}

known_answers()
{
	local none many
	record -o "$work/none" -- "$work/blocks" 0 &&
	record -o "$work/data" -- "$work/blocks" $n || return
	read -ra none <<<"$(row "$work/none")"
	read -ra many <<<"$(row "$work/data")"
	echo "# ${none[*]}; with $n: ${many[*]}"
	[ ${#many[@]} = 5 ] &&
	[ $((many[0] - none[0])) = $n ] &&
	[ $((many[1] - none[1])) = $((n * 136)) ] &&
	[ $((many[2] - none[2])) = $((n / 2)) ] &&
	[ "${many[3]}" = 0 ] && [ "${many[4]}" -ge $((n * 136)) ]
}

ends_as_its_command()
{
	record -o "$work/end" -- bash -c 'exit 7'
	[ $? = 7 ] || return
	record -o "$work/end" -- bash -c 'kill -9 $$'
	[ $? = 137 ]
}

is_private()
{
	[ "$(stat -c %a "$work/data")" = 600 ]
}

asks_before_it_replaces()
{
	local before
	before=$(md5sum <"$work/data")
	memprofctl record -q --source perf -o "$work/data" -- true \
		2>"$work/err"
	[ $? = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q -e -f "$work/err" && [ "$(md5sum <"$work/data")" = "$before" ]
}

probes_are_gone()
{
	local pid
	"${recorder[@]}" -o "$work/gone" -- "$work/blocks" 10 &
	pid=$!
	wait $pid
	[ -s "$work/gone" ] && ! grep ":memprof_$pid/" $events
}

# killed: a recorder is, in the middle of a run; its number is left in $pid
killed()
{
	local i
	"${recorder[@]}" -o "$work/killed" -- "$work/blocks" 10000000 &
	pid=$!
	disown $pid
	for ((i = 0; i < 100; i++)); do
		[ "$(stat -c %s "$work/killed" 2>/dev/null || echo 0)" \
			-gt 4000000 ] && break
		sleep 0.1
	done
	kill -9 $pid
	# its probes cannot go before its command has
	while pgrep -x -P $pid blocks || pgrep -fx "$work/blocks 10000000"; do
		sleep 0.1
	done >/dev/null
	[ $i -lt 100 ]
}

next_removes_probes()
{
	[ -n "$pid" ] && grep -q ":memprof_$pid/" $events || {
		echo "# nothing was left behind"
		return 1
	}
	echo "p:other_$$/malloc $work/blocks:0x1000" >>$events &&
	record -o "$work/next" -- true && ! grep ":memprof_$pid/" $events
}

others_probes_stay()
{
	grep -q "^p:other_$$/malloc " $events || return 1
	echo "-:other_$$/malloc" >>$events
}

# read_by_both FILE: blocks of the program are seen by perf and by report
read_by_both()
{
	perf script -F comm,event,trace -i "$1" >"$work/out" 2>"$work/err" &&
	grep -q 'blocks .*malloc.*size=' "$work/out" &&
	! grep -v 'not valid for .* Ignoring' "$work/err" &&
	[ "$(row "$1" | cut -d' ' -f1)" -gt $n ]
}

recovered()
{
	memprofctl report -i "$1" 2>"$work/err"
	[ $? = 1 ] && grep -q recover "$work/err" &&
	memprofctl recover -f -o "$work/back" "$1" >"$work/out" &&
	read_by_both "$work/back"
}

# Wherever it was cut, after the description of what it is.
cuts_are_recovered()
{
	local part size
	size=$(stat -c %s "$work/data")
	for part in 40 55 70 85; do
		head -c $((size * part / 100)) "$work/data" >"$work/cut" &&
		memprofctl recover -f -o "$work/back" "$work/cut" \
			>"$work/out" &&
		perf_says script -F comm,event,trace -i "$work/back" &&
		memprofctl report -i "$work/back" >"$work/out" || return
	done
}

recover_keeps_what_it_reads()
{
	local before
	before=$(md5sum <"$work/data")
	! memprofctl recover -f -o "$work/data" "$work/data" 2>"$work/err" &&
	[ "$(md5sum <"$work/data")" = "$before" ]
}

disk_is_full()
{
	mkdir -p "$work/full"
	mount -t tmpfs -o size=2m tmpfs "$work/full" || return
	record -o "$work/full/data" -- "$work/blocks" 20000 2>"$work/err"
	[ $? = 1 ] && grep -q 'No space left' "$work/err" &&
	[ "$(wc -l <"$work/err")" = 1 ]
}

# ends_well COMMAND...: in time and memory, and with one line if it fails
ends_well()
{
	local status lines
	(ulimit -v 2097152; exec timeout -s KILL 5 "$@") >"$work/out" \
		2>"$work/err"
	status=$?
	lines=$(wc -l <"$work/err")
	[ $status = 0 ] || { [ $status = 1 ] && [ "$lines" = 1 ] &&
		grep -q '^memprofctl: ' "$work/err"; } && return
	echo "# $*: status $status, $lines lines: $(head -c 200 "$work/err")"
	return 1
}

# survives COMMAND...: with each broken recording as its last word
survives()
{
	local file bad=0 nr=0
	for file in "$work"/broken/*; do
		nr=$((nr + 1))
		ends_well "$@" "$file" || bad=$((bad + 1))
	done
	echo "# $nr files"
	[ $nr -ge 60 ] && [ $bad = 0 ]
}

recover_survives()
{
	survives memprofctl recover -f -o "$work/back"
}

break_recordings()
{
	mkdir "$work/broken" "$work/broken/folder"
	python3 tests/corrupt.py "$work/data" "$work/broken" >/dev/null
	mkfifo "$work/broken/fifo"
	perf record -q -z -B -N -e page-faults -o "$work/broken/compressed" \
		-- true
	perf record -q -B -N -e page-faults -o - -- true >"$work/broken/pipe"
}

# says TEXT FILE: report refuses a recording of perf's for this reason
says()
{
	memprofctl report -i "$work/broken/$2" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ ! -s "$work/out" ] && grep -q "$1" "$work/err"
}

# perf_says COMMAND...: keeps what it prints; perf's status tells nothing
perf_says()
{
	perf "$@" >"$work/out" 2>"$work/err"
	[ -s "$work/out" ] &&
	! grep -iE 'incompat|fail|error|corrupt|invalid|unsupp' "$work/err" ||
	{
		head -n 3 "$work/err" | sed 's/^/# /'
		return 1
	}
}

nr_samples()
{
	memprofctl dump -i "$work/data" | grep -c ' SAMPLE '
}

script_has_every_sample()
{
	perf_says script -F comm,event,trace -i "$work/data" &&
	[ "$(wc -l <"$work/out")" = "$(nr_samples)" ] &&
	[ "$(grep -c 'memprof_[0-9]*:malloc_[0-9]*:.*size=0x80 ' \
		"$work/out")" = $n ]
}

script_has_addresses()
{
	perf_says script -F +addr -i "$work/data" &&
	grep -qE 'minor-faults: +[0-9a-f]*[1-9a-f]' "$work/out"
}

report_names_functions()
{
	perf_says report --stdio -i "$work/data" &&
	grep -q "of event 'memprof_[0-9]*:malloc" "$work/out" &&
	grep -qE '100.00% +blocks +blocks +.* main$' "$work/out"
}

report_sorts_by_cgroup()
{
	perf_says report --stdio --sort cgroup,comm -i "$work/data" &&
	grep -qE '100.00% +/[^ ]* +blocks' "$work/out"
}

header_is_whole()
{
	perf_says report --header-only -i "$work/data" &&
	grep -q "^# hostname : $(uname -n)$" "$work/out" &&
	grep -q "^# os release : $(uname -r)$" "$work/out" &&
	grep -q '^# cmdline : .*record' "$work/out" &&
	grep -q '^# event : name = memprof:site' "$work/out"
}

build_ids_are_right()
{
	local id
	id=$(readelf -n "$work/blocks" | awk '/Build ID/ { print $3 }')
	perf_says buildid-list -i "$work/data" &&
	grep -q "^$id $work/blocks$" "$work/out" &&
	grep -q '/libc\.so\.6$' "$work/out"
}

inject_keeps_all()
{
	perf inject -b -i "$work/data" -o "$work/injected" 2>"$work/err" &&
	[ "$(row "$work/injected")" = "$(row "$work/data")" ]
}

converts_to_json()
{
	perf data convert --force --to-json "$work/json" -i "$work/data" \
		>/dev/null 2>&1
	[ "$(python3 -c '
import json, sys
print(len(json.load(open(sys.argv[1]))["samples"]))' "$work/json")" = \
	"$(nr_samples)" ]
}

# The points that perf probe finds, in a group of this test's own.
perf_follows()
{
	local libc where
	libc=$(ldd "$work/blocks" | awk '/libc\.so/ { print $3 }')
	where=$(perf probe -x "$libc" -D malloc 2>/dev/null |
		awk '/^p:/ { print $2; exit }')
	[ -n "$where" ] &&
	echo "p:$group/malloc $where bytes=%di" >>$events &&
	echo "r:$group/malloc__return $where ret=\$retval" >>$events &&
	where=$(perf probe -x "$libc" -D free 2>/dev/null |
		awk '/^p:/ { print $2; exit }') &&
	echo "p:$group/free $where mem=%di" >>$events &&
	perf record -q -B -N "$@" -e "$group:*" -o "$work/perfs" -- \
		"$work/blocks" $n
}

# Perf's know neither faults nor growth, so only allocations are compared.
reads_perfs()
{
	perf_follows "$@" || return
	echo "# perf's: $(row "$work/perfs"); ours: $(row "$work/data")"
	[ -n "$(row "$work/data")" ] &&
	[ "$(row "$work/perfs")" = "$(row "$work/data")" ]
}

# A binary that only a child of the command runs, found while it runs
late_binaries_are_followed()
{
	gcc -O1 -static -o "$work/static" tests/guest/programs/blocks.c || return 1
	memprofctl record -q -f --source perf --faults off --growth off \
		-o "$work/late" -- sh -c "'$work/static' 1000; true" || return 1
	memprofctl report -i "$work/late" --json -n 0 | python3 -c '
import json, sys
r = [r for r in map(json.loads, sys.stdin)
     if r["type"] == "process" and r["comm"] == "static"][0]
print("#", r["alloc_objects"], "allocations")
assert r["alloc_objects"] >= 1001'
}

# Of a hundred short programs
each_fault_of_tasks_counts()
{
	memprofctl record -q -f --source perf --alloc off --growth off \
		-o "$work/faults" -- bash -c \
		'for i in {1..50}; do /bin/true; done' || return 1
	memprofctl report -i "$work/faults" --json -n 0 | python3 -c '
import json, sys
r = [r for r in map(json.loads, sys.stdin)
     if r["type"] == "process" and r["comm"] == "true"]
print("#", len(r), "processes", sum(p["minor_faults"] for p in r), "faults")
assert len(r) == 50 and all(p["minor_faults"] > 30 for p in r)'
}

programs_after_exec_are_rows_of_their_own()
{
	memprofctl record -q -f --source perf --faults off --growth off \
		-o "$work/exec" -- bash -c "exec '$work/blocks' 1000" || return 1
	memprofctl report -i "$work/exec" --by callsite --json -n 0 | python3 -c '
import json, sys
r = [r for r in map(json.loads, sys.stdin) if r["type"] == "site" and
     r.get("binary", "").endswith("/blocks")]
print("#", sum(s["alloc_objects"] for s in r), "allocations")
assert sum(s["alloc_objects"] for s in r) == 1001'
}

children_are_left_out_where_asked()
{
	local recorder status
	mkfifo "$work/go"
	bash -c 'read -r; for i in 1 2 3; do /bin/true; done' <"$work/go" &
	pid=$!
	exec 7>"$work/go"
	memprofctl record -q -f --source perf --no-children --growth off \
		--alloc off -o "$work/alone" -p $pid 7>&- & recorder=$!
	watches $recorder
	exec 7>&-
	# it ends as the process does
	wait $recorder
	status=$?
	wait $pid
	[ $status = 0 ] || return
	memprofctl report -i "$work/alone" --json -n 0 | python3 -c '
import json, sys
r = [r["comm"] for r in map(json.loads, sys.stdin) if r["type"] == "process"]
print("#", r)
assert r == ["bash"]'
}

threads_have_names()
{
	python3 -c '
import threading, time
def work():
    open("/proc/thread-self/comm", "w").write("worker")
    while True:
        bytearray(1000000)
        time.sleep(0.1)
threads = [threading.Thread(target=work) for i in range(2)]
[t.start() for t in threads]' & pid=$!
	until [ "$(cat /proc/$pid/task/*/comm | grep -c worker)" = 2 ]; do
		sleep 0.1
	done
	memprofctl record -q -f --source perf -o "$work/threads" -p $pid \
		--duration 2 2>/dev/null
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
	perf script -i "$work/threads" -F comm 2>/dev/null | sort | uniq -c |
		sed 's/^/# /' | tee "$work/comms"
	grep -q worker "$work/comms" && ! grep -q ' :[0-9]' "$work/comms"
}

# Static probes of a profiler in a program, which tells weights itself
static_probes_are_followed()
{
	cat >"$work/usdt.s" <<-'END'
	.text
	.globl main
	main:	push %rbx
		mov $100, %ebx
	again:	mov %rbx, %rdi
		shl $12, %rdi
		mov $1000, %esi
		mov $8000, %edx
	alloc:	nop
		test $1, %bl
		jz next
	free:	nop
	next:	dec %ebx
		jnz again
		pop %rbx
		xor %eax, %eax
		ret
	.macro PROBE at name args
	.pushsection .note.stapsdt,"",@note
	.balign 4
	.4byte 8, 2f-1f, 3
	.asciz "stapsdt"
	1: .8byte \at, _base, 0
	.asciz "otel_memory"
	.asciz "\name"
	.asciz "\args"
	2: .balign 4
	.popsection
	.endm
	.section .stapsdt.base,"aG","progbits",.stapsdt.base,comdat
	_base: .space 1
	.text
	PROBE alloc, alloc, "8@%rdi 8@%rsi 8@%rdx"
	PROBE free, free, "8@%rdi"
	.section .note.GNU-stack,"",@progbits
	END
	gcc -no-pie -o "$work/usdt" "$work/usdt.s" || return 1
	memprofctl record -q -f --source perf --faults off --growth off \
		-o "$work/static-probes" -- "$work/usdt" || return 1
	memprofctl report -i "$work/static-probes" --json -n 0 | python3 -c '
import json, sys
r = [r for r in map(json.loads, sys.stdin)
     if r["type"] == "process" and r["comm"] == "usdt"][0]
print("#", r["alloc_objects"], r["alloc_space"], r["free_objects"])
assert (r["alloc_objects"], r["alloc_space"], r["free_objects"]) == \
	(800, 800000, 400)'
}

devices_are_not_replaced()
{
	mknod "$work/null" c 1 3 || return 1
	! memprofctl record -q -f --source perf --alloc off -o "$work/null" \
		-- true 2>/dev/null && [ -c "$work/null" ]
}

names=(
	"the perf source gives the known answers"
	"record ends as its command does"
	"a recording is for its owner only"
	"an existing recording needs -f"
	"no probe is left"
	"recording survives until the recorder is killed"
	"the next recorder removes what a killed one left"
	"others' probes stay"
	"what a killed recorder wrote is recovered"
	"recordings that were cut are recovered"
	"recover does not replace what it reads"
	"a full disk is said"
	"what a full disk holds is recovered"
	"report survives broken recordings"
	"dump survives broken recordings"
	"recover survives broken recordings"
	"report says that a recording is compressed"
	"report says that a recording went through a pipe"
	"perf script has every sample, and fields"
	"perf script has addresses of faults"
	"perf report names functions"
	"perf report sorts by cgroup"
	"perf report has a whole header"
	"perf buildid-list has what was run"
	"perf inject keeps all"
	"perf data converts to JSON"
	"what perf recorded gives the same answers"
	"binaries that are found late are followed"
	"each fault of tasks counts"
	"programs after exec are rows of their own"
	"children are left out where that is asked"
	"threads have names"
	"static probes are followed"
	"devices are not replaced"
)
commands=(
	known_answers ends_as_its_command is_private asks_before_it_replaces
	probes_are_gone killed next_removes_probes others_probes_stay
	"recovered $work/killed"
	cuts_are_recovered recover_keeps_what_it_reads
	disk_is_full "recovered $work/full/data"
	"survives memprofctl report -i" "survives memprofctl dump -i"
	recover_survives "says compressed compressed" "says pipe pipe"
	script_has_every_sample script_has_addresses report_names_functions
	report_sorts_by_cgroup header_is_whole build_ids_are_right
	inject_keeps_all converts_to_json reads_perfs
	late_binaries_are_followed each_fault_of_tasks_counts
	programs_after_exec_are_rows_of_their_own
	children_are_left_out_where_asked threads_have_names
	static_probes_are_followed devices_are_not_replaced
)

why=$(obstacle)
if [ -n "$why" ]; then
	for name in "${names[@]}"; do
		skip "$name" "$why"
	done
	plan
	exit
fi
# its three seconds are for who looks for it
sed 's/sleep(3)/usleep(3)/' tests/guest/programs/blocks.c |
	gcc -O1 -g -fno-omit-frame-pointer -x c -o "$work/blocks" - || exit 1
for i in "${!names[@]}"; do
	[ "${commands[i]}" != "survives memprofctl report -i" ] ||
		break_recordings
	check "${names[i]}" ${commands[i]}
done
plan
