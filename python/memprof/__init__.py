# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Samples the memory that this Python process allocates, and says who has it, by line.

    import memprof

    with memprof.profile() as p:
        work()
    for row in p.snapshot().top_allocators():
        print(row["estimated_bytes"], row["function"], row["file"], row["line"])

Objects of any size are seen, in every thread, and so is what C extensions take from
malloc(). Numbers of bytes are unbiased estimates; with sampling_rate=1 each allocation
is counted. Only for CPython on Linux.
"""
import sys

if "t" in getattr(sys, "abiflags", ""):
    raise ImportError("memprof cannot be loaded by free-threaded builds of Python: "
                      "memprofctl record samples them from outside")

from .errors import (AlreadyRunningError, MemProfError, NotRunningError, TerminatedError,
                     UnsupportedError)
from .health import FramePointerHealth
from .profile import Profile, profile
from .sample import AllocationSample, StackFrame
from .sampler import DEFAULT_SAMPLING_RATE, mark, shutdown, snapshot, start, stats, stop
from .snapshot import HeapSnapshot
from .stats import MemProfStats

__all__ = [
    "DEFAULT_SAMPLING_RATE", "AllocationSample", "AlreadyRunningError",
    "FramePointerHealth", "HeapSnapshot", "MemProfError", "MemProfStats",
    "NotRunningError", "Profile", "StackFrame", "TerminatedError", "UnsupportedError",
    "mark", "profile", "shutdown", "snapshot", "start", "stats", "stop",
]
__version__ = "0.1.0"
