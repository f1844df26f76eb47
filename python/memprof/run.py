# SPDX-License-Identifier: LGPL-2.1-or-later
"""python -m memprof run: runs a program sampled."""
from __future__ import annotations

import argparse
import os
import sys
import traceback
from typing import Callable, List, Optional

from . import _memprof
from .errors import MemProfError
from .sampler import SAMPLER
from .script import prepare_module, prepare_script
from .sizes import format_size, parse_size
from .table import format_table
from .writers import format_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of run."""
    parser.add_argument("-o", metavar="FILE", dest="output",
                        help="save what is in use at the end: .json (speedscope), "
                        ".pb.gz (pprof), .folded or .html")
    parser.add_argument("-n", metavar="N", dest="rows", type=int, default=10,
                        help="places to print (10; 0: none)")
    parser.add_argument("--rate", metavar="BYTES", default="512K",
                        help="mean bytes between samples (512K; 1: each allocation)")
    parser.add_argument("-m", metavar="MODULE", dest="module",
                        help="run a module, as python -m")
    parser.add_argument("command", metavar="SCRIPT ARGUMENT...", nargs=argparse.REMAINDER)


def _status_of(end: SystemExit) -> int:
    """What the interpreter makes of sys.exit()."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    print(end.code, file=sys.stderr)
    return 1


def _call(program: Callable[[], None]) -> int:
    """Runs the program; returns its exit status."""
    try:
        program()
        return 0
    except SystemExit as end:
        return _status_of(end)
    except KeyboardInterrupt:
        traceback.print_exc()
        return 130
    except BaseException:
        kind, error, trace = sys.exc_info()
        # without the frames of this package
        while trace and trace.tb_frame.f_globals.get("__package__") == __package__:
            trace = trace.tb_next
        traceback.print_exception(kind, error, trace)
        return 1


def _say(text: str) -> None:
    print(f"memprof: {text}", file=sys.stderr)


def _finish(options: argparse.Namespace, pid: int) -> int:
    """Prints and saves what is in use. Returns 0, or 1 after an error."""
    # a child that the program forked ends here, too: the parent reports
    if os.getpid() != pid:
        return 0
    if not SAMPLER.is_running:
        _say("the program has ended the sampler itself")
        return 0
    snapshot = SAMPLER.snapshot()
    peak = _memprof.totals()[1]
    SAMPLER.stop()
    sys.stdout.flush()
    if options.rows > 0:
        sys.stderr.write(format_table(snapshot, options.rows))
        _say(f"in use at the end; at most {format_size(peak)} were in use at once")
    if options.output:
        try:
            snapshot.save(options.output, format_of(options.output))
        except OSError as error:
            _say(f"cannot write {options.output}: {error.strerror}")
            return 1
    return 0


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Runs the program that the options name. Returns the exit status."""
    arguments: List[str] = options.command
    if not options.module and not arguments:
        parser.error("which script? (python -m memprof run SCRIPT)")
    program: Optional[Callable[[], None]] = None
    try:
        rate = parse_size(options.rate)
        if options.output:
            format_of(options.output)
        program = prepare_module(options.module, arguments) if options.module else \
            prepare_script(arguments[0], arguments[1:])
        SAMPLER.start(rate)
    except ValueError as error:
        if isinstance(error, SyntaxError):
            raise
        parser.error(str(error))
    except SyntaxError:
        traceback.print_exc(limit=0)
        return 1
    except OSError as error:
        _say(f"cannot read {arguments[0]}: {error.strerror}")
        return 2
    except MemProfError as error:
        _say(str(error))
        return 1
    pid = os.getpid()
    status = _call(program)
    return _finish(options, pid) or status
