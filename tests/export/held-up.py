#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: held-up.py RECORDING COMMAND...

Runs COMMAND on a terminal and stops it, once it reads RECORDING, for longer than
memprofctl is patient. Prints what came to the terminal, as it came.
"""
import os
import pty
import signal
import sys
import time

import inotify

HELD_UP_S = 2.2

recording, command = sys.argv[1], sys.argv[2:]
event = inotify.watch(recording, inotify.IN_OPEN)
inotify.share_cpu()
pid, terminal = pty.fork()
if not pid:
    os.environ["PAGER"] = "cat"
    os.execvp(command[0], command)
inotify.wait(event)
os.kill(pid, signal.SIGSTOP)
time.sleep(HELD_UP_S)
os.kill(pid, signal.SIGCONT)
while True:
    try:
        sys.stdout.buffer.write(os.read(terminal, 65536))
    except OSError:  # the other end is closed
        break
sys.exit(os.waitpid(pid, 0)[1] != 0)
