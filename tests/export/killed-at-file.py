#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: killed-at-file.py FOLDER COMMAND...

Runs COMMAND, and sends it SIGTERM when it has created a file in FOLDER. Both run on
one CPU, this program before all others: COMMAND cannot finish the file meanwhile.
Fails if COMMAND ended by anything but this signal.
"""
import ctypes
import os
import signal
import sys

IN_CREATE = 0x100

folder, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init()
if libc.inotify_add_watch(watch, os.fsencode(folder), IN_CREATE) < 0:
    sys.exit("# " + os.strerror(ctypes.get_errno()))
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
pid = os.fork()
if not pid:
    os.execvp(command[0], command)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
signal.signal(signal.SIGALRM, lambda *_: sys.exit("# no file was created"))
signal.alarm(60)
os.read(watch, 4096)
os.kill(pid, signal.SIGTERM)
status = os.waitpid(pid, 0)[1]
if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGTERM:
    sys.exit("# it ended with status %#x" % status)
