# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formats that a snapshot can be saved in."""
from __future__ import annotations

import os
from typing import Callable, Dict

from ..snapshot import HeapSnapshot
from .folded import write_folded
from .html import write_html
from .pprof import write_pprof
from .speedscope import write_speedscope

WRITERS: Dict[str, Callable[[HeapSnapshot], bytes]] = {
    "speedscope": write_speedscope,
    "pprof": write_pprof,
    "folded": write_folded,
    "html": write_html,
}

_SUFFIXES = {".json": "speedscope", ".pb.gz": "pprof", ".pprof": "pprof",
             ".folded": "folded", ".txt": "folded", ".html": "html", ".htm": "html"}


def format_of(path: str) -> str:
    """Returns the format that a file's suffix stands for. Raises ValueError."""
    name = os.path.basename(path).lower()
    for suffix, format in _SUFFIXES.items():
        if name.endswith(suffix):
            return format
    raise ValueError(f"the name of {path} ends with none of {' '.join(_SUFFIXES)}")
