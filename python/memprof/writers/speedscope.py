# SPDX-License-Identifier: LGPL-2.1-or-later
"""The file format of www.speedscope.app."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

from ..sample import StackFrame
from ..snapshot import HeapSnapshot
from .stacks import place, sum_by_stack

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class _Frames:
    def __init__(self) -> None:
        self.list: List[Dict[str, Any]] = []
        self._numbers: Dict[Tuple[str, str, int], int] = {}

    def number(self, frame: StackFrame) -> int:
        known = self._numbers.setdefault(place(frame), len(self.list))
        if known == len(self.list):
            one: Dict[str, Any] = {"name": frame.function}
            if frame.file:
                one["file"] = frame.file
            if frame.line:
                one["line"] = frame.line
            # a key of our own: the format allows it
            one["language"] = "python" if frame.is_python else "native"
            self.list.append(one)
        return known


def write_speedscope(snapshot: HeapSnapshot) -> bytes:
    """Returns the file: one profile, whose unit is bytes in use."""
    frames = _Frames()
    sums = sum_by_stack(snapshot)
    document = {
        "$schema": SCHEMA,
        "exporter": "memprof",
        "name": "memory in use",
        "shared": {"frames": frames.list},
        "profiles": [{
            "type": "sampled", "name": "bytes in use", "unit": "bytes",
            "startValue": 0, "endValue": snapshot.estimated_heap_bytes,
            "samples": [[frames.number(frame) for frame in total.frames]
                        for total in sums],
            "weights": [total.bytes for total in sums],
        }],
    }
    return json.dumps(document, separators=(",", ":")).encode()
