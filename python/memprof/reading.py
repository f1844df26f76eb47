# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a HeapSnapshot of what the library has."""
from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Tuple

from . import _memprof
from .exclusion import is_own
from .health import FramePointerHealth
from .sample import AllocationSample, StackFrame
from .snapshot import HeapSnapshot
from .stats import MemProfStats

PREFIX = "py::"


def read_stats() -> Tuple[MemProfStats, FramePointerHealth]:
    """Returns the statistics now."""
    numbers, health = _memprof.stats()
    return MemProfStats(*numbers), _make_health(health)


def _make_health(numbers: Tuple[int, int, float, int, float]) -> FramePointerHealth:
    """Other threads count meanwhile: the rate is that of the two counts."""
    shallow, total, mean, least, _ = numbers
    shallow = min(shallow, total)
    return FramePointerHealth(shallow, total, mean, least, shallow / (total or 1))


def _make_frame(address: int, name: Tuple[Any, ...]) -> StackFrame:
    if len(name) == 2:
        text, line = name
        function, _, file = text[len(PREFIX):].partition(":")
        return StackFrame(address, function, file, line, True)
    symbol, file, distance = name
    if symbol is None:
        base = os.path.basename(file) if file else "[unknown]"
        symbol = f"{base}+{distance:#x}"
    return StackFrame(address, symbol, file or "", 0, False)


def read_snapshot(after: int, since_ns: int, gc_epoch: Callable[[int], int]) -> HeapSnapshot:
    """Returns the blocks in use.

    after: only those whose sequence number is higher.
    since_ns: only those that are not older, by time.monotonic_ns().
    gc_epoch: number of collections before such a time.
    """
    blocks, raw_stacks, names = _memprof.snapshot(after, since_ns)
    now = time.monotonic_ns()
    # after the blocks: there cannot be fewer samples than blocks
    stats, health = read_stats()
    frames = {address: _make_frame(address, name) for address, name in names.items()}
    stacks: Dict[int, List[StackFrame]] = {
        number: [frames[address] for address in stack]
        for number, stack in raw_stacks.items()
    }
    own = {number for number, stack in stacks.items() if is_own(stack)}
    samples = [
        AllocationSample(address, size, weight, weight, birth_ns, None, stacks[stack],
                         gc_epoch(birth_ns))
        for address, size, weight, birth_ns, stack in blocks if stack not in own
    ]
    return HeapSnapshot(samples, stats.total_samples, len(samples),
                        sum(sample.weight for sample in samples), now, health)
