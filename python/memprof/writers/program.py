# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of a stack that is the program's."""
from __future__ import annotations

import os
import re
from typing import List, Sequence

from ..exclusion import is_own_file
from ..sample import StackFrame

_INTERPRETER = re.compile(r"(python3?(\.\d+)?|libpython3\S*\.so\S*|libmemprof\.so\S*)$")


def _is_interpreter(frame: StackFrame) -> bool:
    return not frame.is_python and bool(_INTERPRETER.match(os.path.basename(frame.file)))


def program_frames(stack: Sequence[StackFrame]) -> List[StackFrame]:
    """Returns the frames to show, outermost first.

    In a stack with Python functions these are they, and native code that they call. The
    interpreter's own functions are left out, and what started the program. Other stacks
    are whole.
    """
    frames = list(reversed(stack))
    begin = next((i for i, frame in enumerate(frames) if frame.is_python), None)
    if begin is None:
        return frames
    for i, frame in enumerate(frames):
        if frame.is_python and is_own_file(frame.file):
            begin = i + 1
    shown = [frame for frame in frames[begin:] if not _is_interpreter(frame)]
    return shown or frames
