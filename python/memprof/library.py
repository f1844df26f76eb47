# SPDX-License-Identifier: LGPL-2.1-or-later
"""The libmemprof that this process uses."""
from __future__ import annotations

import os

from . import _memprof
from .errors import UnsupportedError

SONAME = "libmemprof.so.0"
_opened = False


def is_open() -> bool:
    """Whether open_library() has succeeded."""
    return _opened


def open_library() -> None:
    """Finds the library in this process, or loads it: the file beside this one, else
    the one that is installed. Raises UnsupportedError.
    """
    global _opened
    if _opened:
        return
    own = os.path.join(os.path.dirname(__file__), SONAME)
    try:
        _memprof.open(own if os.path.exists(own) else SONAME)
    except OSError as error:
        raise UnsupportedError(f"libmemprof cannot be used: {error}") from error
    _opened = True
