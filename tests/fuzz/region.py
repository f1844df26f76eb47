#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A small region as include/memprof/region.h has it, in the parts of fuzz-region."""
import struct

PAGE = 4096
TALLY = struct.pack("<8Q", 9, 9 << 16, 900, 4, 4 << 16, 400, 700, 1)


COUNTERS = struct.pack("<40sQ", b"stacks_cut", 3)
MAPS = b"".join(struct.pack("<4Q2I24s448s", start, start + 0x1000, 0, 5, 20, 0,
                            b"\1" * 20, path)
                for start, path in ((0x400000, b"/bin/one"),
                                    (0x7f0000000000, b"/lib/two.so")))
STACKS = b"".join(struct.pack("<QHHI64Q3Q", 77 + i, 3, flags, 0,
                              *([0x400010 + i, 0x7f0000000020, 0x400100] +
                                [0] * 61), 0, 0, 0)
                  for i, flags in enumerate((0, 4)))
ENTRIES = b"".join(struct.pack("<4Q", ptr, 0, seq, seq * 100)
                   for ptr, seq in ((0x1000, 1), (0, 0), (0x2000, 2)))
BLOCKS = b"".join(struct.pack("<3Q2I", seq, 100, 300, stack, kind)
                  for seq, stack, kind in ((1, 0, 0), (0, 0, 0), (2, 1, 1)))
FUNCTION = struct.pack("<QII496s", 0x400011, 3, 0, b"py:work:/srv/work.py")
PEAKS = struct.pack("<4Q", 3, 300, 2, 200)
# a heap, with a page that a block keeps, and one that none keeps
SMAPS = b"".join(b"%s\nSize: %d kB\nRss: 8 kB\nPss: 8 kB\nSwap: 0 kB\n"
                 b"VmFlags: rd wr mr mw me ac\n" % (line, size) for line, size in
                 ((b"1000-5000 rw-p 00000000 00:00 0 [heap]", 16),
                  (b"7f0000000000-7f0000001000 r-xp 00000000 00:05 20 /lib/two.so", 4),
                  (b"7ff000000000-7ff000008000 rw-p 00000000 00:00 0 [stack]", 32)))
PAGES = struct.pack("<6Q", 0x1000, 0x2000, 8, 0x3000, 0x4000, 16)
SECTIONS = [(COUNTERS, 48, 1), (MAPS, 512, 2), (TALLY * 2, 64, 2),
            (STACKS, len(STACKS) // 2, 2), (ENTRIES, 32, 3), (BLOCKS, 32, 3),
            (FUNCTION, 512, 1), (PEAKS, 16, 2), (SMAPS, 1024, 1), (PAGES, 24, 2)]


def header(used):
    """@used: how many elements of each array hold data."""
    table = b"".join(struct.pack("<4Q", PAGE * (i + 1), stride, nr, nr)
                     for i, ((_, stride, _), nr) in enumerate(zip(SECTIONS, used)))
    head = struct.pack("<QIIIIQIIQQIIQQQ16s9Q", 0x676552666f727066,
                       0, 3, 2, len(used), (1 + len(used)) * PAGE, 1, 0, 1, 4096, 4096,
                       1, 10, 20, 30, b"program", 3, *[0] * 8)
    control = struct.pack("<IIQ", 1, 1, 150)
    size = len(head) + len(control) + 3 * len(TALLY) + len(table)
    return (head[:8] + struct.pack("<I", size) + head[12:] + control +
            3 * TALLY + table)


def regions():
    """Yields a name and the bytes of each region."""
    # the first versions had six arrays
    for name, used in (("one", [1] * 6), ("six", [s[2] for s in SECTIONS[:6]]),
                       ("none", [0] * 6), ("all", [s[2] for s in SECTIONS])):
        parts = [header(used)] + [content[:stride * nr].rstrip(b"\0")
                                  for (content, stride, _), nr
                                  in zip(SECTIONS, used)]
        data = b"".join(struct.pack("<H", len(part)) + part for part in parts)
        for choice in range(16):
            yield "%s%d" % (name, choice), bytes([choice]) + data
