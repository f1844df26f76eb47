# SPDX-License-Identifier: GPL-2.0-only
"""usage: leaking.py KIND RATE

Leaks in one way of leaks.py, sampled every RATE bytes. Fails unless the leaking line is the
largest place; prints "total BYTES". If RATE is "traced", the total is what tracemalloc says.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../programs"))
import leaks
import memprof


def leaking_line(kind):
    for number, line in enumerate(open(leaks.__file__), 1):
        if line.rstrip().endswith("# %s leaks" % kind):
            return os.path.basename(leaks.__file__), number


def trace(leak):
    import tracemalloc
    tracemalloc.start()
    leak()
    print("total", sum(trace.size for trace in tracemalloc.take_snapshot().traces))


def sample(leak, kind, rate):
    memprof.start(sampling_rate=rate)
    leak()
    snapshot = memprof.snapshot()
    memprof.stop()
    top = snapshot.top_allocators(1)[0]
    is_line = os.path.basename(top["file"]), top["line"]
    assert is_line == leaking_line(kind), snapshot.top_allocators(3)
    assert top["is_python"]
    print("total", snapshot.estimated_heap_bytes)


def main(kind, rate):
    leak = leaks.KINDS[kind]
    # imports are not what is measured
    if kind == "numpy":
        import numpy  # noqa: F401
    if kind == "tasks":
        import asyncio  # noqa: F401
    if rate == "traced":
        return trace(leak)
    sample(leak, kind, int(rate))


main(*sys.argv[1:])
