#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: held-up.py RECORDING COMMAND...

Runs COMMAND on a terminal and stops it, once it reads RECORDING, for longer than
memprofctl is patient. Prints what came to the terminal, as it came.
"""
import ctypes
import os
import pty
import signal
import sys
import time

HELD_UP_S = 2.2
IN_OPEN = 0x20

recording, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init()
if libc.inotify_add_watch(watch, os.fsencode(recording), IN_OPEN) < 0:
    sys.exit("# " + os.strerror(ctypes.get_errno()))
# both on one CPU, this program before all others: COMMAND cannot read on meanwhile
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
pid, terminal = pty.fork()
if not pid:
    os.environ["PAGER"] = "cat"
    os.execvp(command[0], command)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
signal.signal(signal.SIGALRM, lambda *_: sys.exit("# it read nothing"))
signal.alarm(60)
os.read(watch, 4096)
os.kill(pid, signal.SIGSTOP)
signal.alarm(0)
time.sleep(HELD_UP_S)
os.kill(pid, signal.SIGCONT)
while True:
    try:
        sys.stdout.buffer.write(os.read(terminal, 65536))
    except OSError:  # the other end is closed
        break
sys.exit(os.waitpid(pid, 0)[1] != 0)
