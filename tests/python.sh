# SPDX-License-Identifier: GPL-2.0-only
# For suites of Python programs with libmemprof. Sourced after lib.sh.

LIB=$build/user/libmemprof/libmemprof.so
# another Python than the system's
PYTHON=${TEST_PYTHON:-/usr/bin/python3}
LEAKS=$programs/leaks.py
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 PYTHONNOUSERSITE=1
unset PYTHONMALLOC

# preload RATE COMMAND...: into the region $work/region
preload()
{
	rm -f "$work/region"
	env LD_PRELOAD="$LIB" MEMPROF_RATE="$1" MEMPROF_OUT="$work/region" "${@:2}"
} 2>>"$work/err"

# go_on: a program that waits for a line, and says so, does its next step
go_on() { echo >&7 && read -r -u 8 && [ "$REPLY" = waits ]; }

no_python=$([ -x $PYTHON ] || echo "Python is not installed")
obstacle=$(perf_obstacle)
no_injection=${no_python:-${obstacle:-$(injection_obstacle)}}
