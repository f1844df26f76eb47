# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots as text, for terminals."""
from __future__ import annotations

import os
from typing import Any, Dict, List

from .sizes import format_size
from .snapshot import HeapSnapshot


def _printable(text: str) -> str:
    """Escapes what could change the terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def place_of(row: Dict[str, Any]) -> str:
    """Returns "function file:line" of a row of top_allocators()."""
    if row["line"]:
        file = os.path.relpath(row["file"]) if os.path.isabs(row["file"]) else row["file"]
        if file.startswith(".."):
            file = row["file"]
        return _printable(f"{row['function']} {file}:{row['line']}")
    return _printable(row["function"])


def format_table(snapshot: HeapSnapshot, n: int) -> str:
    """Returns the n largest places, a line each, and the sum of all."""
    lines: List[str] = [f"{'LIVE':>6}  {'OBJECTS':>8}  CALLSITE"]
    for row in snapshot.top_allocators(n):
        lines.append(f"{format_size(row['estimated_bytes']):>6}  "
                     f"{row['estimated_objects']:>8}  {place_of(row)}")
    lines.append(f"{format_size(snapshot.estimated_heap_bytes):>6}  {'':>8}  "
                 f"in all, {snapshot.live_samples} samples")
    return "\n".join(lines) + "\n"
