#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent sends profiles to a far end, which takes them, refuses them, or is not there.
. "$(dirname "$0")/lib.sh"

free_port()
{
	python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])'
}

# far_end [CERT KEY CA]: starts it; $port is its port, and $far its folder
far_end()
{
	far=$work/far
	mkdir -p "$far"
	[ -e "$far/orders" ] || echo 200 >"$far/orders"
	: >"$work/port"
	PORT=${port:-0} python3 tests/programs/receiver.py "$far" "$@" >"$work/port" & far_pid=$!
	wait_until test -s "$work/port" && port=$(<"$work/port")
}

# orders ANSWER...: what the far end answers; the last one from then on
orders() { mkdir -p "$work/far" && printf '%s\n' "$@" >"$work/far/orders"; }

# configure [LINE]...: what follows one program, because others' would take long
configure()
{
	start_leaker || return
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" "faults = 1" "cgroup = $group" \
		"captures = 0" "push = http://127.0.0.1:$port" "push-interval = 1s" \
		"listen = $work/numbers" "$@" >"$work/conf"
}

agent() { memprofctl agent -c "$work/conf" 2>>"$work/said" & agent=$!; }

requests() { ls "$far" 2>/dev/null | grep -c 'json$'; }
has_requests() { [ "$(requests)" -ge "$1" ]; }
waiting() { ls "$work/history/push" 2>/dev/null | grep -c '^[0-9]'; }
has_waiting() { [ "$(waiting)" -ge "$1" ]; }
has_none_waiting() { [ "$(waiting)" = 0 ]; }
number() { python3 tests/programs/http-get.py "unix:$work/numbers" 2>/dev/null |
	sed -n "s/^memprof_agent_$1 //p"; }
is_number() { [ "$(number "$1")" "$2" "$3" ] 2>/dev/null; }
said() { grep -c "$1" "$work/said"; }

# A program that keeps what one function allocates, in a cgroup as systemd names it
leaker='
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *volatile last;
__attribute__((noinline)) void keep_it(void) { last = memset(malloc(1 << 20), 1, 1 << 20); }
int main(void)
{
	alarm(120);
	for (;;) {
		keep_it();
		usleep(50000);
	}
}'
make_leaker() { gcc -O1 -g -x c -o "$fix/leaker" - <<<"$leaker"; }
start_leaker()
{
	needs leaker && make_cgroup || return
	mkdir "$cgroup/web.service" || return
	inside "$cgroup/web.service" "$fix/leaker" & leaker_pid=$!
}

profiles_are_the_report()
{
	local n
	far_end && configure "alloc = exact" "push-format = $1" && agent && wait_until has_requests 3 || { note "$work/said"; return 1; }
	end $agent
	has_none_waiting || return
	n=$(ls "$work/history" | grep '^snap\|^[0-9]' | sort | tail -n 1)
	tests/export/pushed.py "$1" "$far" "$work/history/$n" leaker "$group/web.service" &&
	[ ! -s "$work/said" ] || { note "$work/said"; return 1; }
}

# The same profile is sent again after each of these answers, but after 404
each_answer_has_its_consequence()
{
	orders 500 hangup 404 '429 Retry-After: 2' 'slow 3' 200
	far_end && configure "push-timeout = 1s" "push-format = pyroscope" && agent &&
	wait_until has_requests 7 || { note "$work/said"; return 1; }
	python3 - "$far" <<-'END' || return
	import glob, json, sys
	heads = [json.load(open(p)) for p in sorted(glob.glob(sys.argv[1] + "/*.json"))][:7]
	bodies = [open(p, "rb").read() for p in sorted(glob.glob(sys.argv[1] + "/*.body"))]
	pauses = [b["time"] - a["time"] for a, b in zip(heads, heads[1:])]
	for head, pause in zip(heads, pauses):
	    print("# %s, and %.1f s later the next" % (head["order"], pause))
	assert len(set(bodies[:3])) == 1 and len(set(bodies[3:6])) == 1, "another one was sent"
	assert len(set(bodies[2::3])) == len(bodies[2::3]), "a profile was sent twice"
	# half of the delay at least; the machine may take any time
	assert pauses[0] >= 0.5 and pauses[1] >= 1
	assert pauses[3] >= 2, "Retry-After is not respected"
	# the request's own second, and half of two
	assert pauses[4] >= 2
	END
	wait_until is_number 'dropped_profiles_total{reason="refused"}' = 1 &&
	is_number push_delays_total = 4 &&
	[ "$(said 'takes no profiles now: HTTP status 500: no\\x1b$')" = 1 ] &&
	[ "$(said 'takes no profiles now')" = 1 ] && [ "$(said 'takes profiles again')" = 1 ] &&
	[ "$(said 'refuses profiles, which are dropped: HTTP status 404: no\\x1b$')" = 1 ] ||
		{ note "$work/said"; return 1; }
}

# Some say only inside of a "200" that they did not take it.
answers_inside_of_a_body_count()
{
	orders 'grpc 14' 'grpc 3' 200
	far_end && configure "push-format = parca" && agent && wait_until has_requests 3 &&
	wait_until is_number 'dropped_profiles_total{reason="refused"}' = 1 &&
	is_number push_delays_total = 1 &&
	[ "$(said 'takes no profiles now: gRPC status 14')" = 1 ] &&
	[ "$(said 'are dropped: gRPC status 3')" = 1 ] || { note "$work/said"; return 1; }
	sed -i 's|= parca|= otlp|' "$work/conf"
	orders partial
	kill -HUP $agent && wait_until grep -q 'dropped: a part, with HTTP status 200' "$work/said"
}

# Who is killed in the meantime does not matter.
what_waits_is_sent_later()
{
	local name
	port=$(free_port)
	configure "push-format = pyroscope" && agent && wait_until has_waiting 2 || return
	kill -KILL $agent && wait $agent 2>/dev/null
	wait_until no_session && agent && wait_until has_waiting 4 || return
	kill -KILL "$(pgrep -P $agent memprof-push)"
	wait_until has_waiting 5 && wait_until grep -q 'memprof-push has ended' "$work/said" ||
		return
	mkdir "$work/kept" && cp "$work/history/push/"[0-9]* "$work/kept" && far_end &&
	wait_until has_requests $(($(ls "$work/kept" | wc -l) + 1)) &&
	wait_until has_none_waiting || return
	sha256sum "$far"/*.body | cut -d' ' -f1 >"$work/sums"
	[ "$(sort "$work/sums" | uniq -d | wc -l)" = 0 ] || return
	# in their order, and each of them
	sha256sum "$work/kept"/* | cut -d' ' -f1 >"$work/wanted"
	head -n "$(wc -l <"$work/wanted")" "$work/sums" >"$work/first"
	is_same "$work/first" "$work/wanted" &&
	[ "$(said 'takes no profiles now: .*[Cc]onnect')" = 2 ] &&
	is_number 'dropped_profiles_total{reason="queue_full"}' = 0
}
no_session() { ! memprofctl status >/dev/null 2>&1; }

# One that is larger than the queue is dropped at once, which the first can be.
beyond_the_limit_the_oldest_is_dropped()
{
	local first second dropped='dropped_profiles_total{reason="queue_full"}' before
	port=$(free_port)
	configure "push-format = otlp" "push-queue = 4K" && agent &&
	wait_until has_waiting 1 || return
	first=$(ls "$work/history/push" | grep '^[0-9]' | head -n 1)
	second=$(printf '%010d' $((10#${first%%-*} + 1)))
	before=$(number "$dropped")
	wait_until is_number "$dropped" -ge $((${before:-0} + 2)) || return
	number push_queue_bytes | note
	is_number push_queue_bytes -le 4096 && is_number push_queue_profiles -ge 1 &&
	# the first one is being sent: it is the second one that is dropped
	[ -e "$work/history/push/$first" ] &&
	! ls "$work/history/push" | grep -q "^$second-" &&
	[ "$(said 'the oldest are dropped')" = 1 ] && return
	ls "$work/history/push" | note
	note "$work/said"
	return 1
}

headers_arrive_and_are_kept_secret()
{
	far_end || return
	(umask 077; printf 'Authorization: Bearer tresor\n\nX-Other: 2\n' >"$work/headers")
	configure "push-header = X-Scope-OrgID: tenant" "push-header = X-Two: a b" \
		"push-header-file = $work/headers" && agent && wait_until has_requests 1 || return
	python3 - "$far/0001.json" <<-'END' || return
	import json, sys
	headers = json.load(open(sys.argv[1]))["headers"]
	assert headers["X-Scope-OrgID"] == "tenant" and headers["X-Two"] == "a b", headers
	assert headers["Authorization"] == "Bearer tresor" and headers["X-Other"] == "2"
	assert headers["User-Agent"].startswith("memprofctl "), headers
	END
	! grep -rqs tresor "$work/said" "$work/history" /proc/$agent/cmdline \
		/proc/"$(pgrep -P $agent memprof-push)"/{cmdline,environ}
}

# authority NAME: a private one
authority()
{
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" \
		-keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}

# certificate NAME AUTHORITY: for this machine
certificate()
{
	openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$work/$1.key" \
		-out "$work/$1.csr" 2>/dev/null &&
	openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.pem" -CAkey "$work/$2.key" \
		-CAcreateserial -days 2 -out "$work/$1.pem" \
		-extfile <(echo subjectAltName=IP:127.0.0.1) 2>/dev/null
}

tls_needs_the_right_authority()
{
	authority good && authority bad && certificate server good && certificate client good ||
		return
	far_end "$work/server.pem" "$work/server.key" "$work/good.pem" || return
	# the key is not readable for the process that uses it
	chmod 600 "$work/client.key"
	configure "push-ca = $work/bad.pem" "push-cert = $work/client.pem" \
		"push-key = $work/client.key"
	sed -i 's|http:|https:|' "$work/conf"
	agent && wait_until grep -q 'takes no profiles now: .*certificate' "$work/said" || return
	has_waiting 1 && [ "$(requests)" = 0 ] || return
	sed -i 's|bad.pem|good.pem|' "$work/conf"
	kill -HUP $agent && wait_until has_requests 1 && wait_until has_none_waiting || return
	# and who has no certificate is not let in
	sed -i '/push-cert/d; /push-key/d' "$work/conf"
	kill -HUP $agent && wait_until has_waiting 1 &&
	wait_until said_so_twice || { note "$work/said"; return 1; }
}
said_so_twice() { [ "$(said 'takes no profiles now')" -ge 2 ]; }

# What had waited for another engine is of no use for this one, and that is said.
another_format_begins_anew()
{
	port=$(free_port)
	configure "push-format = otlp" && agent && wait_until has_waiting 2 || return
	sed -i 's|= otlp|= parca|' "$work/conf" && kill -HUP $agent &&
	wait_until grep -q 'profiles of another format had waited' "$work/said" &&
	! ls "$work/history/push" | grep -q 'otlp$' && wait_until has_waiting 1 &&
	wait_until is_number 'dropped_profiles_total{reason="other_format"}' -ge 2
}

the_process_has_no_privileges()
{
	local pid
	far_end && configure && agent && wait_until has_requests 1 || return
	pid=$(pgrep -P $agent memprof-push) || return
	grep -q '^CapEff:	0*$' /proc/$pid/status &&
	grep -q '^NoNewPrivs:	1' /proc/$pid/status &&
	grep -q '^Uid:	65534	65534' /proc/$pid/status || return
	# others of the same user cannot read its memory
	! setpriv --reuid 65534 --regid 65534 --clear-groups cat /proc/$pid/environ \
		2>/dev/null || return
	# nothing of the agent's: its queue, its session
	! ls -l /proc/$pid/fd | grep -E 'history|perf|/run' || return
	! ldd "$(readlink /proc/$agent/exe)" | grep -E 'curl|ssl|gnutls' || return
	kill -KILL $agent && wait $agent 2>/dev/null
	wait_until has_ended $pid
}

# memprofctl finds it where make install put it, also in another folder.
it_is_found_where_it_was_installed()
{
	port=$(free_port)
	configure || return
	make -s install DESTDIR="$work/root" PERF_CORE= >"$work/log" 2>&1 ||
		{ note "$work/log"; return 1; }
	PATH=$work/root/usr/local/bin:$PATH
	far_end && agent && wait_until has_requests 1 || { note "$work/said"; return 1; }
	[[ $(readlink /proc/"$(pgrep -P $agent memprof-push)"/exe) == */root/usr/local/libexec/* ]] ||
		return
	# and without it, the agent says so once, and goes on
	rm "$work/root/usr/local/libexec/memprof/memprof-push"
	kill -KILL "$(pgrep -P $agent memprof-push)"
	wait_until grep -q 'memprof-push has ended' "$work/said" && wait_until has_waiting 2 &&
	kill -0 $agent && kill -HUP $agent &&
	wait_until grep -q 'cannot start memprof-push: No such file' "$work/said" &&
	wait_until has_waiting 4 && [ "$(said 'cannot start')" = 1 ]
}

mistakes_are_reported()
{
	local line
	port=1
	for line in 'push = ftp://x' 'push = x' 'push = http://' 'push = http://me:it@host/' \
		'push-format = grpc' 'push-interval = 1ms' 'push-header = nothing' \
		'push-header = a b: c' 'push-header-file = /nonexistent' 'push-ca = relative' \
		'push-queue = 0' 'push-timeout = 1ms' 'push-name = a{b}'; do
		echo "$line" >"$work/conf"
		complains 1 "${line%% =*} cannot be" memprofctl agent -c "$work/conf" \
			--check-config || return
	done
	echo "push-cert = $work/conf" >"$work/conf"
	complains 1 'push-cert and push-key go together' memprofctl agent -c "$work/conf" \
		--check-config
}

why=$(perf_obstacle)
protoc=$(lacks protoc)
openssl=$(lacks openssl)
for format in pyroscope parca otlp; do
	check_unless "${why:-$protoc}" "$format: profiles add up to the report" \
		profiles_are_the_report $format
done
check_unless "$why" "each answer has its consequence" each_answer_has_its_consequence
check_unless "$why" "answers inside of a body count" answers_inside_of_a_body_count
check_unless "$why" "what waits is sent later" what_waits_is_sent_later
check_unless "$why" "beyond the limit the oldest is dropped" \
	beyond_the_limit_the_oldest_is_dropped
check_unless "$why" "headers arrive, and are kept secret" headers_arrive_and_are_kept_secret
check_unless "${why:-$openssl}" "TLS needs the right authority" tls_needs_the_right_authority
check_unless "$why" "another format begins anew" another_format_begins_anew
check_unless "$why" "the process has no privileges" the_process_has_no_privileges
check_unless "$why" "it is found where it was installed" it_is_found_where_it_was_installed
check "mistakes in the configuration are reported" mistakes_are_reported
plan
