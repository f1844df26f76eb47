#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""corpus.py BUILD TARGET...: makes the corpus of the tree anew

It merges what the tree has, the seeds, and what was learnt in BUILD/corpus.TARGET,
and keeps at most MOST files for a target: those that reach the most code. Inputs
of former findings, found-*, are always kept.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = 60


def merge(program, folders, to):
    """Writes the fewest files that reach all code, the best ones first."""
    subprocess.run([program, "-set_cover_merge=1", "-use_counters=0",
                    "-use_cmp=0", "-max_len=4096", to, *folders], check=True,
                   stderr=subprocess.DEVNULL)


def order(entry):
    info = entry.stat()
    return info.st_mtime_ns, info.st_ino


def remake(build, target):
    tree = os.path.join(HERE, "corpus", target)
    learnt = os.path.join(build, "corpus." + target)
    os.makedirs(tree, exist_ok=True)
    os.makedirs(learnt, exist_ok=True)
    found = sorted(n for n in os.listdir(tree) if n.startswith("found-"))
    with tempfile.TemporaryDirectory() as seeds, tempfile.TemporaryDirectory() as to:
        subprocess.run([os.path.join(HERE, "seeds.py"), target, seeds], check=True)
        merge(os.path.join(build, "fuzz-" + target), [seeds, tree, learnt], to)
        best = sorted(os.scandir(to), key=order)[:MOST - len(found)]
        for name in os.listdir(tree):
            if name not in found:
                os.remove(os.path.join(tree, name))
        for entry in best:
            shutil.copy(entry.path, os.path.join(tree, entry.name[:12]))
    sizes = [e.stat().st_size for e in os.scandir(tree)]
    print("%-10s %2d files, %6d bytes" % (target, len(sizes), sum(sizes)))


def main():
    for target in sys.argv[2:]:
        remake(sys.argv[1], target)


main()
