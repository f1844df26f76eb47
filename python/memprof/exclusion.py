# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package's own memory is not sampled."""
from __future__ import annotations

import os
from typing import Sequence

from . import _memprof
from .library import is_open
from .sample import StackFrame

_OWN_FOLDER = os.path.dirname(__file__) + os.sep


class not_sampled:
    """Within it, what the calling thread allocates is not sampled."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = _memprof.exclude(True) if is_open() else None

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            _memprof.exclude(self._before)


def is_own_file(file: str) -> bool:
    """Whether a file is one of this package."""
    return file.startswith(_OWN_FOLDER)


def is_own(stack: Sequence[StackFrame]) -> bool:
    """Whether the innermost Python function of a stack is one of this package."""
    for frame in stack:
        if frame.is_python:
            return is_own_file(frame.file)
    return False
