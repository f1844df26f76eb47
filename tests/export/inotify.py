# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command until it opens or creates a file, with no chance to get further.

Both run on one CPU, this program before all others: when the event comes, the command
does not run until this program waits again.
"""
import ctypes
import os
import signal
import sys

IN_OPEN = 0x20
IN_CREATE = 0x100


def watch(path, event):
    """Returns a descriptor that is readable when EVENT has happened to PATH."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init()
    if libc.inotify_add_watch(fd, os.fsencode(path), event) < 0:
        sys.exit("# " + os.strerror(ctypes.get_errno()))
    return fd


def share_cpu():
    """Call it before the fork of the command."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def wait(fd):
    """Waits for the event, at most a minute. Call it after the fork."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("# nothing happened to the file"))
    signal.alarm(60)
    os.read(fd, 4096)
    signal.alarm(0)
