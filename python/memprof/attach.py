# SPDX-License-Identifier: LGPL-2.1-or-later
"""python -m memprof attach: samples a process that runs, with memprofctl."""
from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from typing import List, Optional

from .sizes import parse_size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of attach."""
    parser.add_argument("pid", metavar="PID", type=int)
    parser.add_argument("-d", metavar="SECONDS", dest="seconds", type=float, default=10,
                        help="how long to sample (10)")
    parser.add_argument("-o", metavar="FILE", dest="output",
                        help="keep the recording, for memprofctl report and export")
    parser.add_argument("-n", metavar="N", dest="rows", type=int, default=10,
                        help="places to print (10)")
    parser.add_argument("--rate", metavar="BYTES", default="64K",
                        help="mean bytes between samples (64K)")


def _samples_of(pid: int) -> Optional[str]:
    """The file that the library in the process writes; None if it is not found."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                if line.rstrip("\n").endswith(f"/memprof.{pid}"):
                    return line.rstrip("\n").split(None, 5)[5]
    except OSError:
        pass
    return None


def _is_of(path: str, pid: int) -> bool:
    """Whether a file is a regular one of the process's user: the process chose its name."""
    try:
        status = os.lstat(path)
        return stat.S_ISREG(status.st_mode) and status.st_uid == os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return False


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as line:
            return line.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def _wait(pid: int, seconds: float) -> None:
    """Waits until the time is over, or the process."""
    end = time.monotonic() + seconds
    while _runs(pid) and time.monotonic() < end:
        time.sleep(max(0, min(0.1, end - time.monotonic())))


def _sample(memprofctl: str, options: argparse.Namespace, recording: str) -> int:
    """Puts the library in, waits, reads its samples and takes it out again."""
    pid = str(options.pid)
    status = subprocess.call([memprofctl, "inject", "-q", "-p", pid, "--rate",
                              str(parse_size(options.rate))])
    if status:
        return status
    samples = _samples_of(options.pid)
    if samples and not _is_of(samples, options.pid):
        samples = None
    try:
        _wait(options.pid, options.seconds)
        if samples and not _runs(options.pid):
            print(f"memprof: process {pid} has ended; this is what it did until then",
                  file=sys.stderr)
            shutil.copyfile(samples, recording)
        else:
            status = subprocess.call([memprofctl, "snapshot", "-q", "-f", "-p", pid,
                                      "-o", recording])
    except KeyboardInterrupt:
        status = 130
    finally:
        if _runs(options.pid):
            subprocess.call([memprofctl, "eject", "-q", "-p", pid])
        if samples:
            with contextlib.suppress(OSError):
                os.unlink(samples)
    return status


def _report(memprofctl: str, options: argparse.Namespace, recording: str) -> int:
    command: List[str] = [memprofctl, "report", "-i", recording, "--by", "callsite",
                          "-n", str(options.rows)]
    return subprocess.call(command)


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Samples the process. Returns the exit status."""
    memprofctl = shutil.which("memprofctl")
    if memprofctl is None:
        print("memprof: attach needs memprofctl, which is not installed (it is in the "
              "package memprof, or comes with make install)", file=sys.stderr)
        return 1
    try:
        parse_size(options.rate)
    except ValueError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory(prefix="memprof-") as folder:
        recording = options.output or os.path.join(folder, "snapshot.data")
        return _sample(memprofctl, options, recording) or \
            _report(memprofctl, options, recording)
