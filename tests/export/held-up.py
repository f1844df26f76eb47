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

HELD_UP_S = 2.2


def reads(pid, path):
    try:
        return any(os.path.samefile("/proc/%d/fd/%s" % (pid, fd), path)
                   for fd in os.listdir("/proc/%d/fd" % pid)
                   if os.path.exists("/proc/%d/fd/%s" % (pid, fd)))
    except FileNotFoundError:
        return False


recording, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if not pid:
    os.environ["PAGER"] = "cat"
    os.execvp(command[0], command)
while not reads(pid, recording):
    if os.waitpid(pid, os.WNOHANG)[0]:
        sys.exit("# it was too fast")
os.kill(pid, signal.SIGSTOP)
time.sleep(HELD_UP_S)
os.kill(pid, signal.SIGCONT)
while True:
    try:
        sys.stdout.buffer.write(os.read(terminal, 65536))
    except OSError:  # the other end is closed
        break
sys.exit(os.waitpid(pid, 0)[1] != 0)
