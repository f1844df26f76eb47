#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""region.py FILE: a small region as include/memprof/region.h has it."""
import struct
import sys

PAGE = 4096
TALLY = struct.pack("<8Q", 9, 9 << 16, 900, 4, 4 << 16, 400, 700, 1)

counters = struct.pack("<40sQ", b"stacks_cut", 3)
maps = b"".join(struct.pack("<4Q2I24s448s", start, start + 0x1000, 0, 5, 20, 0,
                            b"\1" * 20, path)
                for start, path in ((0x400000, b"/bin/one"),
                                    (0x7f0000000000, b"/lib/two.so")))
stacks = b"".join(struct.pack("<QHHI64Q3Q", 77 + i, 3, flags, 0,
                              *([0x400010 + i, 0x7f0000000020, 0x400100] +
                                [0] * 61), 0, 0, 0)
                  for i, flags in enumerate((0, 4)))
entries = b"".join(struct.pack("<4Q", ptr, 0, seq, seq * 100)
                   for ptr, seq in ((0x1000, 1), (0, 0), (0x2000, 2)))
blocks = b"".join(struct.pack("<3Q2I", seq, 100, 300, stack, kind)
                  for seq, stack, kind in ((1, 0, 0), (0, 0, 0), (2, 1, 1)))
sections = [(counters, 48, 1), (maps, 512, 2), (TALLY * 2, 64, 2),
            (stacks, len(stacks) // 2, 2), (entries, 32, 3),
            (blocks, 32, 3)]
table = b"".join(struct.pack("<4Q", PAGE * (i + 1), stride, nr, nr)
                 for i, (_, stride, nr) in enumerate(sections))
head = struct.pack("<QIIIIQIIQQIIQQQ16s3Q", 0x676552666f727066,
                   0, 3, 2, 6, 7 * PAGE, 1, 0, 1, 4096, 4096, 1, 10, 20, 30,
                   b"program", 0, 0, 0)
control = struct.pack("<IIQ", 1, 1, 150)
size = len(head) + len(control) + 3 * len(TALLY) + len(table)
head = head[:8] + struct.pack("<I", size) + head[12:]
with open(sys.argv[1], "wb") as out:
    for part in [head + control + 3 * TALLY + table] + [s[0] for s in sections]:
        out.write(part.ljust(PAGE, b"\0"))
