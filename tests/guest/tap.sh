# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the shell tests: check NAME CMD... prints a line of TAP; plan, last.
PATH=${O:-../../build}/user/memprofctl:${O:-../../build}/tests/guest:$PATH
tap_n=0

check()
{
	local name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@"; then
		echo "ok $tap_n $name"
	else
		echo "not ok $tap_n $name"
	fi
}

skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n $1 # SKIP $2"
}

plan()
{
	echo "1..$tap_n"
}
