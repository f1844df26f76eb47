#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: killed-at-file.py FOLDER COMMAND...

Runs COMMAND, and sends it SIGTERM when it has created a file in FOLDER. Fails if COMMAND ended by anything but this signal.
"""
import os
import signal
import sys

import inotify

folder, command = sys.argv[1], sys.argv[2:]
event = inotify.watch(folder, inotify.IN_CREATE)
inotify.share_cpu()
pid = os.fork()
if not pid:
    os.execvp(command[0], command)
inotify.wait(event)
os.kill(pid, signal.SIGTERM)
status = os.waitpid(pid, 0)[1]
if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGTERM:
    sys.exit("# it ended with status %#x" % status)
