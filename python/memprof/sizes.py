# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers of bytes, as people write them."""
from __future__ import annotations

import re

_UNITS = "BKMGT"


def parse_size(text: str) -> int:
    """Returns the bytes of "24 MB", "512K", "1.5 GiB" or "100". A unit is 1024 of the
    one before. Raises ValueError.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([BKMGT]?)(?:I?B)?\s*", text.upper())
    if not found:
        raise ValueError(f"{text!r} is no size, such as '24 MB'")
    return int(float(found[1]) * 1024 ** max(_UNITS.find(found[2] or "B"), 0))


def format_size(size: float) -> str:
    """Returns a number of bytes with a unit, as memprofctl does: 812, 24.5M, 190M."""
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    if not unit:
        return str(round(size))
    return f"{size:.1f}{_UNITS[unit]}" if size < 100 else f"{size:.0f}{_UNITS[unit]}"
