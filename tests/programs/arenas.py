# SPDX-License-Identifier: GPL-2.0-only
"""
Fills 60 MB of Python's arenas with objects of 480 bytes, and keeps one in each MB. Says how
many these are, then "ready", and waits for a line.
"""
import sys


def fill():
    return [bytes(440) for _ in range(128 * 1024)]


def keep_one_of_each():
    kept = {}
    for x in fill():
        kept.setdefault(id(x) >> 20, x)
    return list(kept.values())


kept = keep_one_of_each()
print("kept", len(kept))
print("ready", flush=True)
sys.stdin.readline()
