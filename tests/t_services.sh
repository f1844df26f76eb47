#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: services under load get the library and lose it, SERVICE_CYCLES times (20;
# 1000 for a longer run). They answer as before, and have as many descriptors and
# mappings as before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
. scripts/cache
PATH=$CACHE/tools:$PATH
CYCLES=${SERVICE_CYCLES:-20}
port=$((20000 + BASHPID % 10000))

# sizes PID: its descriptors and mappings
sizes() { echo "$(ls "/proc/$1/fd" | wc -l) $(wc -l <"/proc/$1/maps")"; }

# grew_little BEFORE AFTER: of sizes. Under load, a service opens and maps what it needs:
# node's heap grows by a mapping each second. One for each cycle would be too many.
grew_little()
{
	local before=($1) after=($2)
	[ "${after[0]}" -le $((before[0] + 16)) ] &&
		[ "${after[1]}" -le $((before[1] + 60 + CYCLES / 4)) ]
}

# once PID...: puts it into all of them, and takes it out. One may end meanwhile.
once()
{
	local options=() pid
	for pid; do
		options+=(-p "$pid")
	done
	memprofctl inject --rate 64K --out "$work/region.%p" "${options[@]}" \
		>>"$work/said" 2>>"$work/errors"
	memprofctl eject "${options[@]}" >>"$work/said" 2>>"$work/errors"
	rm -f "$work"/region.*
}

# cycles NAME PID FIND...: FIND prints the processes. PID is the one that stays.
cycles()
{
	local name=$1 pid=$2 n=0 before after pids
	shift 2
	once $("$@") && once $("$@")
	before=$(sizes "$pid")
	while [ $n -lt "$CYCLES" ]; do
		pids=$("$@")
		once $pids
		n=$((n + $(wc -w <<<"$pids")))
	done
	after=$(sizes "$pid")
	pauses "$name"
	# what must not happen: nothing but ended processes may be refused
	grep -v 'has ended\|does not exist\|ends just now\|No such process' "$work/errors" |
		note
	echo "# $before, then $after; $(wc -l <"$work/errors") messages"
	grew_little "$before" "$after" && [ -e "/proc/$pid" ] &&
		[ "$(wc -l <"$work/errors")" -le $((n / 5)) ]
}

redis()
{
	local redis load
	# Debian's redis-tools has the server under this name
	(exec -a redis-server redis-check-rdb --port $port --save "" --dir "$work" \
		>"$work/log") & redis=$!
	wait_until redis-cli -p $port ping >/dev/null 2>&1
	redis-benchmark -p $port -n 10000000 -t set,lpush,get -q >"$work/load" 2>&1 &
	load=$!
	cycles redis $redis echo $redis && kill -0 $load &&
		[ "$(redis-cli -p $port ping)" = PONG ]
}

# All backends, and the processes of the server
backends() { echo "$1" $(pgrep -P "$1"); }

has_clients() { [ "$(pgrep -P "$1" -f 'postgres: tester' | wc -l)" -ge 4 ]; }

postgres()
{
	local server load
	begin_postgres $port || return
	pgbench -h "$work/db" -p $port -U tester -c 4 -T 3600 postgres \
		>"$work/load" 2>&1 & load=$!
	wait_until has_clients "$server" || return
	cycles postgres "$server" backends "$server" && kill -0 $load &&
	! grep -i 'abort\|error\|terminated' "$work/log" "$work/load" &&
	[ "$(psql -h "$work/db" -p $port -U tester -tAc 'select 6 * 7' postgres)" = 42 ]
}

nginx_master()
{
	local master load
	cat >"$work/conf" <<-END
		daemon off; pid $work/pid; error_log $work/log; worker_processes 2;
		events {}
		http {
			access_log off;
			$(printf "%s_temp_path $work/temp; " client_body proxy fastcgi uwsgi scgi)
			server { listen 127.0.0.1:$port; root $work/www; }
		}
	END
	mkdir "$work/www" && seq 10000 >"$work/www/index.html" && chmod 755 "$work" || return
	nginx -c "$work/conf" -e "$work/log" & master=$!
	wait_until [ -s "$work/pid" ] || return
	/usr/bin/python3 -c "
import urllib.request
want = open('$work/www/index.html', 'rb').read()
while True:
    got = urllib.request.urlopen('http://127.0.0.1:$port/', timeout=10).read()
    assert got == want
" 2>"$work/load" & load=$!
	cycles nginx $master pgrep -f "$work/conf|nginx: worker" &&
		kill -0 $load && [ ! -s "$work/load" ] && [ ! -s "$work/log" ]
}

python()
{
	/usr/bin/python3 -uc '
import hashlib, json, threading
def work():
    while True:
        rows = json.loads(json.dumps([{"n": i, "text": str(i) * 9} for i in range(300)]))
        assert sum(row["n"] for row in rows) == 44850
threading.Thread(target=work, daemon=True).start()
n = 0
while True:
    work_of = hashlib.sha256(bytes(n)).hexdigest()
    n = (n + 1) % 5000
    if not n:
        print(".", flush=True)' >"$work/out" 2>"$work/load" & pid=$!
	wait_until [ -s "$work/out" ] || return
	cycles python $pid echo $pid && goes_on "$work/out" && [ ! -s "$work/load" ]
}

node_js()
{
	node -e '
let kept = [], n = 0;
setInterval(() => {
	for (let i = 0; i < 50; i++) kept.push(Buffer.alloc(5000, i));
	kept = kept.slice(-1000);
	const at = kept[kept.length - 1];
	if (at[0] != 49) throw new Error("changed");
	if (!(++n % 20)) console.log(n);
}, 2)' >"$work/out" 2>"$work/load" & pid=$!
	wait_until [ -s "$work/out" ] || return
	cycles node $pid echo $pid && goes_on "$work/out" && [ ! -s "$work/load" ]
}

# goes_on FILE: more lines come
goes_on()
{
	local before
	before=$(wc -l <"$1")
	wait_until is_longer "$1" "$before"
}

is_longer() { [ "$(wc -l <"$1")" -gt "$2" ]; }

# A program with 16 threads, each of which checks what it reads back
threads()
{
	g++ -O2 -pthread -x c++ -o "$work/threads" - <<-'END' || return
	#include <cstdio>
	#include <cstdlib>
	#include <map>
	#include <string>
	#include <thread>
	#include <vector>
	#include <unistd.h>
	static void work(int n)
	{
		std::map<int, std::string> all;
		for (unsigned i = 0;; i++) {
			int key = i * 7919u % 1000;
			all[key] = std::string(key + 20, 'a' + n);
			auto at = all.find(i % 1000);
			if (at != all.end() &&
			    at->second != std::string(at->first + 20, 'a' + n))
				abort();
			if (i % 5000 == 0)
				all.clear();
		}
	}
	int main()
	{
		std::vector<std::thread> all;
		for (int i = 0; i < 16; i++)
			all.emplace_back(work, i);
		for (;; usleep(20000))
			puts("."), fflush(stdout);
	}
	END
	"$work/threads" >"$work/out" 2>"$work/load" & pid=$!
	wait_until [ -s "$work/out" ] || return
	cycles "16 threads" $pid echo $pid && goes_on "$work/out" && [ ! -s "$work/load" ]
}

rust()
{
	rustc -O -o "$work/service" - <<-'END' 2>"$work/log" || return
	use std::collections::HashMap;
	use std::io::{Read, Write};
	use std::net::{TcpListener, TcpStream};
	fn answer(mut from: TcpStream) {
		let mut seen: HashMap<String, usize> = HashMap::new();
		let mut bytes = [0u8; 64];
		while let Ok(n) = from.read(&mut bytes) {
			if n == 0 {
				return;
			}
			let text = String::from_utf8_lossy(&bytes[..n]).to_string();
			*seen.entry(text.clone()).or_insert(0) += n;
			if seen.len() > 1000 {
				seen.clear();
			}
			let _ = from.write_all(text.to_uppercase().as_bytes());
		}
	}
	fn main() {
		let port = std::env::args().nth(1).unwrap();
		let all = TcpListener::bind("127.0.0.1:".to_owned() + &port).unwrap();
		for from in all.incoming() {
			std::thread::spawn(move || answer(from.unwrap()));
		}
	}
	END
	"$work/service" $port 2>"$work/load" & pid=$!
	/usr/bin/python3 -uc "
import socket, time
for _ in range(100):
    try:
        s = socket.create_connection(('127.0.0.1', $port), timeout=10)
        break
    except OSError:
        time.sleep(0.1)
n = 0
while True:
    text = 'line%d' % n
    s.sendall(text.encode())
    assert s.recv(64).decode() == text.upper()
    n += 1
    if n % 100 == 0:
        print(n)" >"$work/out" 2>"$work/load" &
	wait_until [ -s "$work/out" ] || return
	cycles rust $pid echo $pid && goes_on "$work/out" && [ ! -s "$work/load" ]
}

musl()
{
	musl-gcc -O2 -o "$work/musl" "$programs/waits.c" -std=gnu11 -D_GNU_SOURCE -pthread ||
		return
	"$work/musl" poll >"$work/out" 2>&1 & pid=$!
	wait_until [ -s "$work/out" ] || return
	cycles musl $pid echo $pid && goes_on "$work/out" && ! grep wrong "$work/out"
}

# Mounts, processes and users of its own
namespaces()
{
	local inner
	gcc -O2 -o "$work/waits-inside" "$programs/waits.c" -std=gnu11 -D_GNU_SOURCE \
		-pthread || return
	unshare -Urmpf --mount-proc --kill-child "$work/waits-inside" poll >"$work/out" 2>&1 &
	wait_until [ -s "$work/out" ] || return
	inner=$(pgrep -f "^$work/waits-inside")
	cycles namespaces "$inner" echo "$inner" && goes_on "$work/out" &&
		! grep wrong "$work/out"
}

reason=$(injection_obstacle)
[ "$(id -u)" = 0 ] || reason=${reason:-only root can run services as others}
check_unless "${reason:-$(lacks redis-check-rdb)}" "redis" redis
check_unless "$reason" "python with two threads" python
check_unless "${reason:-$(lacks pgbench)}" "PostgreSQL with all its processes" postgres
check_unless "${reason:-$(lacks nginx)}" "nginx with its workers" nginx_master
check_unless "${reason:-$(lacks node)}" "node" node_js
check_unless "$reason" "16 threads of C++" threads
check_unless "${reason:-$(lacks rustc)}" "a service in Rust" rust
check_unless "${reason:-$(lacks musl-gcc)}" "a program of musl" musl
check_unless "$reason" "a program in namespaces of its own" namespaces
plan
