# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums of a snapshot by stack."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, List, Tuple

from ..sample import StackFrame
from ..snapshot import HeapSnapshot
from .program import program_frames

UNKNOWN = StackFrame(0, "[no stack]", "", 0, False)


@dataclass
class StackSum:
    """A stack, outermost frame first, with what was allocated there and is in use."""

    frames: List[StackFrame]
    bytes: int = 0
    objects: float = 0.0


def place(frame: StackFrame) -> Tuple[str, str, int]:
    """What tells frames of different lines apart."""
    return frame.function, frame.file, frame.line


def label(frame: StackFrame) -> str:
    """A frame in a few words: the function, and its file's name and line."""
    file = os.path.basename(frame.file)
    if frame.line:
        return f"{frame.function} {file}:{frame.line}"
    return frame.function if file in frame.function else f"{frame.function} {file}".rstrip()


def sum_by_stack(snapshot: HeapSnapshot) -> List[StackSum]:
    """Returns the stacks with their sums, the largest first."""
    # samples of one stack share a list: most sums are found without comparing frames
    by_list: Dict[int, StackSum] = {}
    by_place: Dict[Tuple[Tuple[str, str, int], ...], StackSum] = {}
    for sample in snapshot.samples:
        total = by_list.get(id(sample.stack))
        if total is None:
            frames = program_frames(sample.stack) or [UNKNOWN]
            key = tuple(map(place, frames))
            total = by_list[id(sample.stack)] = by_place.setdefault(key, StackSum(frames))
        total.bytes += sample.weight
        total.objects += sample.weight / sample.size
    return sorted(by_place.values(), key=lambda total: -total.bytes)
