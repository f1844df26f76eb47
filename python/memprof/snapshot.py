# SPDX-License-Identifier: LGPL-2.1-or-later
"""The blocks in use at one moment."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Union

from .exclusion import not_sampled
from .health import FramePointerHealth
from .sample import AllocationSample
from .site import find_site


@dataclass(frozen=True)
class HeapSnapshot:
    """Snapshot of the sampled allocations in use.

    samples: the sampled blocks that are in use.
    total_samples: sampled allocations since the start.
    live_samples: the number of samples here.
    estimated_heap_bytes: the sum of their weights.
    timestamp_ns: when the snapshot was taken, by time.monotonic_ns().
    frame_pointer_health: how complete the stacks are.

    Raises ValueError if the numbers contradict each other.
    """

    samples: List[AllocationSample]
    total_samples: int
    live_samples: int
    estimated_heap_bytes: int
    timestamp_ns: int
    frame_pointer_health: FramePointerHealth

    def __post_init__(self) -> None:
        if self.live_samples > self.total_samples:
            raise ValueError("live_samples is larger than total_samples")
        live = [sample for sample in self.samples if sample.lifetime_ns is None]
        if self.live_samples != len(live):
            raise ValueError("live_samples is not the number of samples in use")
        if self.estimated_heap_bytes != sum(sample.weight for sample in live):
            raise ValueError("estimated_heap_bytes is not the sum of the weights")

    def top_allocators(self, n: int = 10) -> List[Dict[str, Any]]:
        """Returns the n places in the program that have most bytes in use, the largest
        first. Each is a dict: function, file, line, is_python (as in StackFrame),
        estimated_bytes, estimated_objects, samples.
        """
        if not isinstance(n, int) or n < 0:
            raise ValueError("n must be a number from 0 on")
        sites: Dict[Any, Dict[str, Any]] = {}
        for sample in self.samples:
            frame = find_site(sample.stack)
            key = frame and (frame.function, frame.file, frame.line)
            row = sites.get(key)
            if row is None:
                row = sites[key] = {
                    "function": frame.function if frame else "[no stack]",
                    "file": frame.file if frame else "",
                    "line": frame.line if frame else 0,
                    "is_python": frame is not None and frame.is_python,
                    "estimated_bytes": 0, "estimated_objects": 0.0, "samples": 0,
                }
            row["estimated_bytes"] += sample.estimated_bytes
            row["estimated_objects"] += sample.weight / sample.size
            row["samples"] += 1
        rows = sorted(sites.values(), key=lambda row: -row["estimated_bytes"])[:max(n, 0)]
        for row in rows:
            row["estimated_objects"] = round(row["estimated_objects"])
        return rows

    def save(self, path: Union[str, "os.PathLike[str]"], format: str = "speedscope") -> None:
        """Writes the snapshot to a file: "speedscope" (www.speedscope.app), "pprof" (of
        go tool pprof), "folded" (a line for each stack) or "html" (a page with a flame
        graph). Raises ValueError for other formats, and OSError.
        """
        from .writers import WRITERS

        if format not in WRITERS:
            raise ValueError(f"format {format!r} is none of {', '.join(WRITERS)}")
        with not_sampled():
            Path(path).write_bytes(WRITERS[format](self))

    def _repr_html_(self) -> str:
        """Shows the flame graph in Jupyter."""
        from .writers.html import write_fragment

        with not_sampled():
            return write_fragment(self)

    def __repr__(self) -> str:
        return (f"<HeapSnapshot: {self.live_samples} samples, "
                f"{self.estimated_heap_bytes} bytes in use>")
