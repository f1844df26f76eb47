# SPDX-License-Identifier: LGPL-2.1-or-later
"""Folded stacks: a line for each, its frames outermost first, and its bytes."""
from __future__ import annotations

import re

from ..snapshot import HeapSnapshot
from .stacks import label, sum_by_stack


def _escape(name: str) -> str:
    """The grammar needs semicolons and ends of lines. The last space ends the stack."""
    return re.sub(r"[;\\\x00-\x1f\x7f\x85\u2028\u2029]",
                  lambda found: f"\\x{ord(found[0]):02x}", name)


def write_folded(snapshot: HeapSnapshot) -> bytes:
    """Returns the file. flamegraph.pl, speedscope and others read it."""
    lines = [f"{';'.join(_escape(label(frame)) for frame in total.frames)} {total.bytes}\n"
             for total in sum_by_stack(snapshot)]
    return "".join(lines).encode("utf-8", "backslashreplace")
