# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a script or a module as python would, in this interpreter."""
from __future__ import annotations

import builtins
import importlib.machinery
import io
import os
import runpy
import sys
import types
from typing import Any, Callable, Dict, List


def _main_module(file: str) -> Dict[str, Any]:
    """Makes a new __main__, which lives as long as sys.modules has it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=file, __builtins__=builtins, __cached__=None,
                           __package__=None, __loader__=importlib.machinery.SourceFileLoader(
                               "__main__", file))
    sys.modules["__main__"] = module
    return module.__dict__


def prepare_script(path: str, arguments: List[str]) -> Callable[[], None]:
    """Returns what runs a file. Raises OSError, SyntaxError."""
    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    sys.argv[:] = [path, *arguments]
    # in place of the folder that python -m has put there
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    names = _main_module(path)
    return lambda: exec(code, names)


def prepare_module(name: str, arguments: List[str]) -> Callable[[], None]:
    """Returns what runs a module, as python -m does."""
    sys.argv[:] = [name, *arguments]
    return lambda: runpy._run_module_as_main(name)  # type: ignore[attr-defined]
