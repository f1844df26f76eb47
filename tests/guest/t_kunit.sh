#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module's own tests, which ran when it was loaded; see kmod/kunit.c.
results=/sys/kernel/debug/kunit/memprof/results
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
if [ ! -e /sys/kernel/debug/kunit ]; then
	echo "1..0 # SKIP this kernel has no KUnit"
	exit
fi
# one level less of indentation is TAP
sed -n 's/^    //p' $results | grep -E '^(1\.\.|ok|not ok| *#)'
