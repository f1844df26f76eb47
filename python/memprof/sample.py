# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sampled allocation, and the frames of its stack."""
from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional


@dataclass(frozen=True)
class StackFrame:
    """A frame in the call stack of an allocation.

    address: return address; for a Python frame a number that stands for its line.
    function: name; of native code without a symbol, its file and distance.
    file: source file of a Python frame, binary of a native one.
    line: from 1; 0: not known, as for native frames.
    is_python: whether it is a Python frame.
    """

    address: int
    function: str
    file: str
    line: int
    is_python: bool


@dataclass(frozen=True)
class AllocationSample:
    """A sampled allocation.

    address: of the block.
    size: requested bytes, at least 1.
    weight: bytes that the sample stands for: size / (1 - exp(-size / sampling_rate)).
    estimated_bytes: the same as weight. Sums of it are unbiased estimates.
    timestamp_ns: time of the allocation, by time.monotonic_ns(); up to 10 ms early.
    lifetime_ns: None: the block is in use. Snapshots have no others.
    stack: the allocator's caller first. Samples with equal stacks share the list.
    gc_epoch: full garbage collections between start() and timestamp_ns.

    Raises ValueError if the numbers contradict each other.
    """

    address: int
    size: int
    weight: int
    estimated_bytes: int
    timestamp_ns: int
    lifetime_ns: Optional[int]
    stack: List[StackFrame]
    gc_epoch: int = 0

    def __post_init__(self) -> None:
        if self.size <= 0:
            raise ValueError("size is not positive")
        if self.weight <= 0:
            raise ValueError("weight is not positive")
        if self.estimated_bytes != self.weight:
            raise ValueError("estimated_bytes is not the weight")
        if self.lifetime_ns is not None and self.lifetime_ns <= 0:
            raise ValueError("lifetime_ns is not positive")
