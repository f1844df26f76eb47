#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: damage.py PROGRAM LIBRARY FOLDER RUNS: damages the unwind tables of copies of
PROGRAM, always the same ones, and runs each copy with LIBRARY preloaded. Names the copies
that do not print "done" with it, but do without it, and exits 1 if there is one."""
import os, random, struct, subprocess, sys

program, library, folder, runs = sys.argv[1:4] + [int(sys.argv[4])]
data = open(program, "rb").read()
EDGES = (0, 1, 0x7f, 0x80, 0xff)
WORDS = (0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc)


def sections():
    """Offset and size of each section, by name."""
    at, = struct.unpack_from("<Q", data, 0x28)
    size, nr, names = struct.unpack_from("<HHH", data, 0x3a)
    heads = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(nr)]
    for head in heads:
        begin = heads[names][4] + head[0]
        yield data[begin:data.index(b"\0", begin)].decode(), head[4], head[5]


def damage(number):
    r = random.Random(number)
    copy = bytearray(data)
    for _ in range(r.choice((1, 2, 8, 32))):
        offset, size = r.choice(tables)
        if r.random() < 0.5:
            at = offset + r.randrange(size)
            copy[at] = r.choice(EDGES) if r.random() < 0.5 else r.randrange(256)
        else:
            at = offset + r.randrange(size // 4) * 4
            word = r.choice(WORDS) if r.random() < 0.5 else r.getrandbits(32)
            struct.pack_into("<I", copy, at, word)
    return copy


def run(path, **more):
    done = subprocess.run([path], env=dict(os.environ, **more), capture_output=True)
    return done.returncode == 0 and done.stdout == b"done\n"


tables = [(at, size) for name, at, size in sections()
          if name in (".eh_frame", ".eh_frame_hdr")]
assert len(tables) == 2
bad = 0
for number in range(runs):
    path = "%s/%d" % (folder, number)
    with open(path, "wb", opener=lambda p, f: os.open(p, f, 0o700)) as f:
        f.write(damage(number))
    out = path + ".region"
    if (run(path, LD_PRELOAD=library, MEMPROF_RATE="1", MEMPROF_OUT=out)
            and os.path.exists(out)):
        os.unlink(path)
        os.unlink(out)
    elif run(path):
        print("#", path)
        bad += 1
print("# %d of %d" % (bad, runs))
sys.exit(bad != 0)
