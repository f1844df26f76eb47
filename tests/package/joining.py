# SPDX-License-Identifier: GPL-2.0-only
"""usage: joining.py preloaded|injected

A sampler that was there before the package is joined and left, and nothing counts twice.
"injected" prints its process id and waits for a line of input before it begins.
"""
import os
import sys

kept = []
if sys.argv[1] == "injected":
    print(os.getpid(), flush=True)
    sys.stdin.readline()
import memprof


def fails(function, *args):
    try:
        function(*args)
    except memprof.MemProfError as error:
        return str(error)
    raise AssertionError(function)


def put(n):
    kept.append([bytearray(1000) for i in range(n)])


rate = memprof.stats().sampling_rate_bytes
libraries_now = {line.split()[5] for line in open("/proc/self/maps")
                 if "libmemprof" in line and " r-xp " in line}
assert len(libraries_now) == 1, libraries_now
assert rate == 4096
assert "already" in fails(memprof.start, 512)
memprof.start()
assert memprof.stats().sampling_rate_bytes == rate
with memprof.profile() as profile:
    put(4000)
top = profile.snapshot().top_allocators(1)[0]
assert abs(top["estimated_bytes"] - 4000 * 1057) < 4000 * 1057 * 0.15, top
samples = memprof.stats().total_samples
memprof.stop()
put(4000)
# others go on
assert memprof.stats().total_samples > samples + 500
memprof.start(rate)
memprof.shutdown()
samples = memprof.stats().total_samples
put(4000)
assert memprof.stats().total_samples > samples + 500
print("done")
