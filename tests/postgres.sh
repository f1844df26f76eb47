# SPDX-License-Identifier: GPL-2.0-only
# A PostgreSQL server of the tests' own; sourced after lib.sh.
nobody=65534

is_gone() { [ ! -e "/proc/$1" ]; }

# begin_postgres PORT: in $work/db, as nobody, with pgbench's tables; sets server
begin_postgres()
{
	local bin as=(setpriv --reuid $nobody --regid $nobody --clear-groups)
	bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
	mkdir "$work/db" && chown $nobody "$work/db" && chmod 755 "$work" || return
	"${as[@]}" "$bin/initdb" -D "$work/db/data" -A trust -U tester \
		>"$work/log" 2>&1 || note "$work/log"
	"${as[@]}" "$bin/postgres" -D "$work/db/data" -k "$work/db" -p "$1" \
		>"$work/log" 2>&1 &
	wait_until "$bin/pg_isready" -q -h "$work/db" -p "$1" || return
	server=$(head -n 1 "$work/db/data/postmaster.pid")
	at_end "kill -INT $server 2>/dev/null; wait_until is_gone $server"
	pgbench -h "$work/db" -p "$1" -U tester -i -q postgres >"$work/load" 2>&1
}
