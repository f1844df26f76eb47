# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line: python -m memprof run SCRIPT, python -m memprof attach PID."""
from __future__ import annotations

import argparse
import sys

from . import __version__, attach, run


def main() -> int:
    """Does what the arguments say. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m memprof", description="Who allocated this program's memory.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="what", metavar="COMMAND", required=True)
    for name, module, text in (("run", run, "run a script, sampled"),
                               ("attach", attach, "sample a process that runs")):
        command = commands.add_parser(name, help=text, description=text)
        module.add_arguments(command)
        command.set_defaults(main=module.main, parser=command)
    options = parser.parse_args()
    status: int = options.main(options.parser, options)
    return status


if __name__ == "__main__":
    sys.exit(main())
