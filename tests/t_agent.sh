#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent hands its numbers to Prometheus, at an address and in a file.
. "$(dirname "$0")/lib.sh"
. scripts/cache
PATH=$CACHE/tools:$PATH

# free_port: prints one that no program listens on
free_port()
{
	python3 -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])'
}

# configure [LINE]...: a configuration in $work, with an address at $port
configure()
{
	port=$(free_port)
	url=http://127.0.0.1:$port/metrics
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" \
		"listen = 127.0.0.1:$port" "$@" >"$work/conf"
}

# agent: runs it until it has numbers of a session; its process is $agent
agent()
{
	memprofctl agent -c "$work/conf" 2>>"$work/said" & agent=$!
	wait_until has_numbers && return
	note "$work/said"
	return 1
}
has_numbers() { scrape | grep -q '^memprof_command_resident_space_bytes{'; }

# get OPTION...: what the agent answers
get() { python3 "$top/tests/programs/http-get.py" "$url" "$@"; }
scrape() { get 2>/dev/null; }

# A program that keeps what one function allocates
leaker='
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NAME2(n) keep_##n
#define NAME(n) NAME2(n)
void *volatile last;
__attribute__((noinline)) void keep_it(void) { last = memset(malloc(1 << 20), 1, 1 << 20); }
#define F(n) __attribute__((noinline)) void NAME(n)(void) { last = memset(malloc(65536), 1, 65536); }
F(a) F(b) F(c) F(d)
int main(void)
{
	PADDING
	alarm(120);
	for (;;) {
		keep_it();
		keep_a(); keep_b(); keep_c(); keep_d();
		usleep(100000);
	}
}'

# build_leaker PADDING: with other addresses for each PADDING
build_leaker() { gcc -O1 -g -D"PADDING=$1" -x c -o "$work/leaker" - <<<"$leaker"; }

# start_leaker [LINE]...: runs it in $cgroup, and configures the agent to follow that
start_leaker()
{
	configure "cgroup = $group" "faults = 1" "$@"
	inside "$cgroup" "$work/leaker" & leaker_pid=$!
}

# The program's series. Which functions of the loader touch a page differs between runs, so
# of those by function only the program's own can be compared.
names_of_leaker() { scrape | grep 'command="leaker"' | sed 's/ [^ ]*$//' | sort; }
own_names() { grep -v 'function=' "$1"; grep 'function="keep_' "$1"; }

# sees_leaker: also that who calls memset() is charged with the pages
sees_leaker()
{
	scrape | grep -q '^memprof_callsite_touched_space_bytes_total{.*function="keep_it"} [1-9]'
}

lint_is_clean()
{
	configure && agent && scrape >"$work/text" && [ -s "$work/text" ] &&
	promtool check metrics <"$work/text" >"$work/err" 2>&1 && return
	note "$work/err"
	return 1
}

# Prometheus itself scrapes it, in OpenMetrics, and answers queries.
prometheus_scrapes_it()
{
	local web
	make_cgroup && build_leaker ';' && start_leaker && agent && wait_until sees_leaker ||
		return
	web=127.0.0.1:$(free_port)
	cat >"$work/prometheus.yml" <<-END
	global: { scrape_interval: 1s, scrape_timeout: 1s }
	scrape_configs:
	  - job_name: memprof
	    static_configs: [ { targets: [ "127.0.0.1:$port" ] } ]
	rule_files: [ $top/contrib/prometheus-rules.yml ]
	END
	promtool check config "$work/prometheus.yml" >"$work/err" 2>&1 ||
		{ note "$work/err"; return 1; }
	prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/db" \
		--web.listen-address=$web --log.level=warn 2>"$work/prometheus.log" &
	query='memprof_command_resident_space_bytes{command="leaker"}'
	wait_until knows_rss "http://$web/api/v1/query" || { note "$work/prometheus.log"; return 1; }
	# no warning of a format, a duplicate or an order
	note "$work/prometheus.log"
	! grep -qi 'level=\(warn\|error\)' "$work/prometheus.log" &&
	[ "$(ask "http://$web/api/v1/query" 'up')" = 1 ] &&
	[ "$(ask "http://$web/api/v1/query" \
		'count(memprof_callsite_touched_space_bytes_total{function="keep_it"})')" = 1 ] &&
	[ "$(ask "http://$web/api/v1/query" \
		'max(scrape_duration_seconds) < 0.5')" != '' ]
}
ask()
{
	python3 -c 'import json, sys, urllib.parse, urllib.request
url = sys.argv[1] + "?query=" + urllib.parse.quote(sys.argv[2])
for row in json.load(urllib.request.urlopen(url, timeout=10))["data"]["result"]:
    print(row["value"][1])' "$@" 2>/dev/null
}
knows_rss() { [ "$(ask "$1" "$query")" -gt 1000000 ] 2>/dev/null; }

rules_and_dashboard_are_valid()
{
	configure && agent || return
	promtool check rules contrib/prometheus-rules.yml >"$work/err" 2>&1 ||
		{ note "$work/err"; return 1; }
	# each metric that they name is one that the agent can have
	scrape >"$work/text"
	python3 - "$work/text" contrib/prometheus-rules.yml contrib/grafana-dashboard.json <<-'END'
	import json, re, subprocess, sys
	text, rules, board = (open(name).read() for name in sys.argv[1:])
	json.loads(board)
	keys = subprocess.run(["memprofctl", "help", "metrics"], capture_output=True,
	                      text=True, check=True).stdout
	for name in sorted(set(re.findall(r"memprof_\w+", rules + board))):
	    key = re.sub(r"^memprof_(command|cgroup|callsite)_|(_bytes)?(_total)?$", "", name)
	    assert name in text or key in keys, name
	END
}

# The names of a program's functions are labels; addresses, pids and lines are not.
series_keep_their_names()
{
	local i n=0
	make_cgroup || return
	for i in 'usleep(1);' '{ volatile int x[100]; for (int i = 0; i < 99; i++) x[i] = i * x[i + 1]; }'; do
		build_leaker "$i" && start_leaker && agent && wait_until sees_leaker && sleep 2.2 || return
		names_of_leaker >"$work/names.$((++n))"
		end $agent $leaker_pid
	done
	grep -q 'keep_it' "$work/names.1" &&
	is_same <(own_names "$work/names.1") <(own_names "$work/names.2") &&
	! grep -qE '0x|pid=|start|\.c:' "$work/names.1"
}

# However many there are, the rest is one series, and the sum is whole.
series_are_bounded()
{
	make_cgroup && build_leaker ';' && start_leaker "top = 2" && agent &&
	wait_until has_others || return
	scrape >"$work/text"
	grep '^memprof_callsite_touched_space_bytes_total{' "$work/text" >"$work/rows"
	[ "$(wc -l <"$work/rows")" = 3 ] &&
	awk '/^memprof_callsite_faults_total/ { sum += $NF }
		/^memprof_command_faults_total/ { all += $NF }
		END { print "# " sum " of " all; exit !(sum > 0 && sum <= all && sum > 0.9 * all) }' \
		"$work/text"
}
has_others() { scrape | grep -q '^memprof_callsite_faults_total{.*function="\[others\]"}'; }

# The text is there before who asks, also while a snapshot is taken.
scrapes_take_no_time()
{
	configure && agent || return
	python3 - "$url" <<-'END'
	import sys, time, urllib.request
	worst, end, nr = 0, time.time() + 4, 0
	while time.time() < end:
	    begin = time.time()
	    urllib.request.urlopen(sys.argv[1]).read()
	    worst, nr = max(worst, time.time() - begin), nr + 1
	    time.sleep(0.02)
	# on this machine, whose load nobody knows: a snapshot takes longer than the bound
	print("# %d scrapes, the slowest took %.1f ms" % (nr, worst * 1000))
	sys.exit(worst > 0.5)
	END
}

# Who had the address before is gone when it is taken again
reloads_keep_the_address()
{
	local i
	configure && agent || return
	for i in 1 2 3 4; do
		kill -HUP $agent
		wait_until has_reloaded $i && wait_until has_numbers || return
	done
	! grep 'cannot listen' "$work/said"
}
has_reloaded() { [ "$(grep -c 'read the configuration again' "$work/said")" = "$1" ]; }

# Slow ones, long lines, many connections, nonsense: others are served meanwhile
strangers_are_bounded()
{
	configure && agent || return
	python3 - "$port" <<-'END' || return
	import socket, sys, time, urllib.request
	port = int(sys.argv[1])
	def connect():
	    s = socket.create_connection(("127.0.0.1", port))
	    s.settimeout(15)
	    return s
	def text():
	    return urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=2).read()
	def ask(data):
	    with connect() as s:
	        try:
	            s.sendall(data)
	            return s.recv(100)
	        except OSError:
	            return b""
	def refused(reason):
	    row = 'memprof_agent_refused_clients_total{reason="%s"} ' % reason
	    return int(text().decode().split(row)[1].split("\n")[0])
	# one that sends a byte at a time, alone: a crowd would push it out before its time is over
	slow = connect()
	begin = time.time()
	try:
	    while time.time() - begin < 12:
	        slow.send(b"G")
	        text()
	        time.sleep(0.2)
	    sys.exit("a slow client was served for 12 s")
	except OSError:
	    pass
	print("# the slow one was left after %.1f s" % (time.time() - begin))
	# many who say nothing, more than there are places; where the queue of the kernel is full,
	# some come when the kernel tries again
	crowd = [connect() for _ in range(200)]
	begin = time.time()
	while refused("too_many") < len(crowd) - 16 and time.time() - begin < 20:
	    time.sleep(0.1)
	assert ask(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 100000).startswith((b"HTTP/1.1 431", b""))
	assert ask(b"GET /" + b"x" * 9000).startswith((b"HTTP/1.1 431", b""))
	assert ask(b"\0\0\0\0").startswith(b"HTTP/1.1 400")
	assert ask(b"\x16\x03\x01").startswith(b"HTTP/1.1 400")
	assert ask(b"POST /metrics HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 405")
	assert ask(b"GET /secret HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404")
	assert ask(b"GET /metrics HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200")
	assert ask(b"HEAD /metrics?x=y HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")
	# one that asks and does not read
	deaf = [connect() for _ in range(20)]
	for s in deaf:
	    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
	    s.send(b"GET /metrics HTTP/1.1\r\n\r\n")
	for reason in "too_many", "slow", "too_long", "invalid":
	    value = refused(reason)
	    print("#", reason, value)
	    assert value
	END
	kill -0 $agent
}

# privileges_of: capabilities of the process that speaks with strangers
server_has_no_privileges()
{
	local server
	configure && agent || return
	server=$(pgrep -P $agent -f 'memprofctl: metrics') || return
	grep -q '^CapEff:	0*$' /proc/$server/status &&
	grep -q '^NoNewPrivs:	1' /proc/$server/status || return
	# another one takes its place, and it ends with the agent
	kill -KILL $server
	wait_until has_other_server $server && wait_until has_numbers || return
	server=$(pgrep -P $agent -f 'memprofctl: metrics')
	kill -KILL $agent && wait $agent 2>/dev/null
	wait_until has_ended $server
}
has_other_server()
{
	local now
	now=$(pgrep -P $agent -f 'memprofctl: metrics') && [ "$now" != "$1" ]
}

a_unix_socket_will_do()
{
	configure && sed -i "s|^listen.*|listen = $work/metrics.sock|" "$work/conf" || return
	url=unix:$work/metrics.sock
	agent && [ "$(stat -c %a "$work/metrics.sock")" = 600 ] || return
	# one that was killed leaves its socket
	kill -KILL $agent && wait $agent 2>/dev/null
	wait_until no_session && [ -S "$work/metrics.sock" ] && agent || return
	end $agent
	[ ! -e "$work/metrics.sock" ]
}
no_session() { ! memprofctl status >/dev/null 2>&1; }

# For node_exporter: never half a file, and none when the agent ends
a_file_has_the_numbers()
{
	local i
	mkdir "$work/texts"
	configure "textfile = $work/texts/memprof.prom" && agent || return
	for i in {1..150}; do
		[ "$(ls -A "$work/texts" | grep -c 'prom$')" = 1 ] &&
		grep -q '^memprof_agent_cpu_seconds_total{part="collector"}' \
			"$work/texts/memprof.prom" || return
	done
	promtool check metrics <"$work/texts/memprof.prom" >"$work/err" 2>&1 ||
		{ note "$work/err"; return 1; }
	[ "$(stat -c %a "$work/texts/memprof.prom")" = 644 ] || return
	end $agent
	[ -z "$(ls -A "$work/texts")" ]
}

a_lost_file_is_said_once()
{
	mkdir "$work/texts"
	configure "textfile = $work/texts/memprof.prom" && agent && rm -r "$work/texts" || return
	wait_until grep -q 'cannot write .*memprof.prom' "$work/said" && sleep 2.5 &&
	[ "$(grep -c 'cannot write' "$work/said")" = 1 ] && mkdir "$work/texts" &&
	wait_until grep -q 'numbers are handed out again' "$work/said" &&
	scrape | grep -q '^memprof_agent_lost_texts_total [1-9]'
}

# Another machine comes through nginx, by the configuration in contrib.
a_proxy_has_tls_and_a_password()
{
	local proxy
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=me \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/cert" \
		2>/dev/null && printf 'me:%s\n' "$(openssl passwd -6 it)" >"$work/passwords" ||
		return
	mkdir "$work/socket" && configure "listen-group = www-data" &&
	sed -i "s|^listen = .*|listen = $work/socket/metrics|" "$work/conf" || return
	url=unix:$work/socket/metrics
	agent && [ "$(stat -c '%a %G' "$work/socket/metrics")" = '660 www-data' ] || return
	proxy=$(free_port)
	sed "s|/run/memprof-metrics|$work/socket|; s|/etc/nginx/memprof.pem|$work/cert|
		s|/etc/nginx/memprof.key|$work/key|; s|/etc/nginx/memprof.htpasswd|$work/passwords|
		s|listen 9753|listen 127.0.0.1:$proxy|; /listen .::/d" \
		contrib/nginx-memprof.conf >"$work/server.conf"
	cat >"$work/nginx.conf" <<-END
	user www-data;
	daemon off;
	pid $work/pid;
	error_log stderr;
	events { }
	http {
		access_log off;
		client_body_temp_path $work/1;
		proxy_temp_path $work/2;
		fastcgi_temp_path $work/3;
		uwsgi_temp_path $work/4;
		scgi_temp_path $work/5;
		include $work/server.conf;
	}
	END
	nginx -e stderr -c "$work/nginx.conf" 2>"$work/err" &
	wait_until answers $proxy || { note "$work/err"; return 1; }
	python3 - "$proxy" "$work/cert" <<-'END'
	import base64, ssl, sys, urllib.error, urllib.request
	trusting = ssl.create_default_context(cafile=sys.argv[2])
	# what openssl makes lacks some extensions
	trusting.verify_flags &= ~ssl.VERIFY_X509_STRICT
	host = "https://127.0.0.1:%s" % sys.argv[1]
	def ask(url, password=None, **options):
	    request = urllib.request.Request(url, **options)
	    if password:
	        request.add_header("Authorization", "Basic " + base64.b64encode(
	            b"me:" + password.encode()).decode())
	    try:
	        answer = urllib.request.urlopen(request, timeout=10, context=trusting)
	        return answer.status, answer.read()
	    except urllib.error.HTTPError as error:
	        return error.code, b""
	assert ask(host + "/metrics")[0] == 401
	assert ask(host + "/metrics", "wrong")[0] == 401
	status, text = ask(host + "/metrics", "it")
	assert status == 200 and b"memprof_command_resident_space_bytes{" in text
	assert ask(host + "/", "it")[0] == 404
	assert ask(host + "/metrics", "it", data=b"x")[0] == 403
	assert ask(host.replace("https", "http") + "/metrics", "it")[0] == 400
	try:
	    urllib.request.urlopen(host, context=ssl.create_default_context())
	    sys.exit("a certificate of nobody is trusted")
	except urllib.error.URLError as error:
	    assert "certificate" in str(error), error
	END
}
answers()
{
	python3 -c 'import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)' "$1" 2>/dev/null
}

only_this_machine_may_ask()
{
	local address
	for address in 0.0.0.0:9000 192.0.2.1:9000 [::]:9000 example.org:9000 127.0.0.1 \
		127.0.0.1:0 127.0.0.1:70000 :9000; do
		echo "listen = $address" >"$work/conf"
		complains 1 'without TLS and passwords only this machine may ask' \
			memprofctl agent -c "$work/conf" --check-config || return
	done
	configure && agent || return
	# a place that is taken
	sed "s|$work/history|$work/other|" "$work/conf" >"$work/conf2"
	complains 1 'another program listens there' \
		memprofctl agent -c "$work/conf2"
}

why=$(perf_obstacle)
tool=$(lacks promtool)
server=$(lacks prometheus)
check_unless "${why:-$tool}" "promtool finds nothing to say on the names" lint_is_clean
check_unless "${why:-$server}" "Prometheus scrapes it and answers queries" prometheus_scrapes_it
check_unless "${why:-$tool}" "rules and dashboard name metrics that exist" \
	rules_and_dashboard_are_valid
check_unless "$why" "series have the same names in another build and run" series_keep_their_names
check_unless "$why" "series are bounded, and their sum is whole" series_are_bounded
check_unless "$why" "a scrape does not wait for a snapshot" scrapes_take_no_time
check_unless "$why" "strangers are bounded, and others are served" strangers_are_bounded
check_unless "$why" "reloads keep the address" reloads_keep_the_address
check_unless "$why" "the process that serves has no privileges" server_has_no_privileges
check_unless "$why" "a Unix socket will do" a_unix_socket_will_do
check_unless "${why:-$tool}" "a file has the numbers" a_file_has_the_numbers
check_unless "$why" "a file that cannot be written is reported once" a_lost_file_is_said_once
proxy=$(lacks nginx)$(lacks openssl)
check_unless "${why:-$proxy}" "a proxy has TLS and a password" a_proxy_has_tls_and_a_password
check_unless "$why" "only this machine may ask" only_this_machine_may_ask
plan
