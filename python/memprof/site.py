# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame of a stack that an allocation is charged to."""
from __future__ import annotations

from typing import Optional, Sequence

from .sample import StackFrame

# Functions that hand on what they allocate
_WRAPPERS = ("PyMem_", "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc",
             "_PyMem_", "_PyObject_", "PyType_GenericAlloc", "_Znwm", "_Znam")


def find_site(stack: Sequence[StackFrame]) -> Optional[StackFrame]:
    """Returns the innermost frame of the Python program; of a stack without Python the
    innermost function that is no allocator. None: the stack is empty.
    """
    for frame in stack:
        if frame.is_python and not frame.file.startswith("<frozen "):
            return frame
    for frame in stack:
        if not frame.function.startswith(_WRAPPERS) and "/libmemprof.so" not in frame.file:
            return frame
    return stack[0] if stack else None
