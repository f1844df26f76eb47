#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Small recordings, so that a mutation hits something.

About a thousand bytes each, where perf writes a hundred thousand: every kind of
event that means something here. A recording has only the events that it needs,
because the format of an event takes 50 us to parse.
"""
import struct

IDENTIFIER, IP, TID, TIME, ADDR, CHAIN = 1 << 16, 1, 2, 4, 8, 1 << 5
PERIOD, RAW, CGROUP = 1 << 8, 1 << 10, 1 << 21
TYPE = IDENTIFIER | IP | TID | TIME | ADDR | PERIOD | CHAIN | RAW | CGROUP

# system, name, fields: each u64 behind the common eight bytes, if nothing is said
TRACEPOINTS = [
    ("p", "malloc", ["size", "ra", "sp"]),
    ("p", "malloc__return", ["ret", "sp"]),
    ("p", "realloc", ["old", "size", "ra", "sp"]),
    ("p", "realloc__return", ["ret", "sp"]),
    ("p", "posix_memalign", ["size", "ra"]),
    ("p", "posix_memalign__return", ["ret"]),
    ("p", "free", ["ptr", "sp"]),
    ("memprof", "alloc", ["ptr", "size", "weight", "callsite", "cgroup"]),
    ("memprof", "free", ["ptr", "cgroup"]),
    ("memprof", "fault", ["addr", "weight", "kind", "callsite", "size"]),
    ("memprof", "growth", ["before", "after", "kind", "callsite", "size"]),
    ("syscalls", "sys_enter_brk", ["nr", "brk"]),
    ("syscalls", "sys_exit_brk", ["nr", "ret"]),
    ("syscalls", "sys_enter_mremap", ["nr", "addr", "old_len", "new_len"]),
    ("syscalls", "sys_exit_mremap", ["nr", "ret"]),
    ("memprof", "site", ["live"]),
    ("memprof", "section", ["index", "net_cu", "start_seq", "end_seq", "left",
                            "id_len", ("__data_loc char[] id", 4)]),
    ("memprof_9", "section_0", [("u64 record[49]", 392)]),
]
FAULTS = len(TRACEPOINTS)
FIRST = 100


# What the first perf_event_open() knew: enough, and half of what perf writes.
ATTR = 64


def attr(kind, config):
    flags = 1 << 18                     # sample_id_all
    return struct.pack("<IIQQQQQ", kind, ATTR, config, 1, TYPE, 4,
                       flags).ljust(ATTR, b"\0")


def format_text(number, name, fields):
    lines = ["name: %s\nID: %d\nformat:\n" % (name, FIRST + number)]
    offset = 8
    for field in fields:
        field, size = field if isinstance(field, tuple) else ("u64 " + field, 8)
        lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;\n" %
                     (field, offset, size))
        offset += size
    return "".join(lines).encode()


EVENTS = [(2, FIRST + i) for i in range(len(TRACEPOINTS))] + [(1, 2), (1, 6)]
NAMES = [s + ":" + n for s, n, f in TRACEPOINTS] + ["page-faults", "major"]


def tracing(used):
    points = [i for i in used if i < FAULTS]
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    out += b"header_page\0" + struct.pack("<Q", 0)
    out += b"header_event\0" + struct.pack("<Q", 0)
    out += struct.pack("<II", 0, len(points))
    for i in points:
        system, name, fields = TRACEPOINTS[i]
        text = format_text(i, name, fields)
        out += system.encode() + b"\0" + struct.pack("<IQ", 1, len(text))
        out += text
    return out + struct.pack("<IIQ", 0, 0, 0)


def description(used):
    out = struct.pack("<II", len(used), ATTR)
    for i in used:
        name = NAMES[i].encode() + b"\0"
        out += attr(*EVENTS[i]) + struct.pack("<II", 1, len(name)) + name
        out += struct.pack("<Q", i + 1)
    return out


def record(kind, body, misc=2):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def piece(what, data):
    head = b"memprof1" + struct.pack("<IIQQ", what, len(data), 0, len(data))
    return record(65, head + data)


class Recording:
    def __init__(self):
        self.data = b""
        self.time = 1000
        self.used = []

    def put(self, what):
        self.data += what

    def trailer(self, pid):
        self.time += 10
        return struct.pack("<IIQQ", pid, pid, self.time, 1)

    def sample(self, event, values=(), pid=7, addr=0, frames=(0x1010, 0x1020),
               tail=b"\0" * 4):
        self.time += 10
        if event not in self.used:
            self.used.append(event)
        raw = struct.pack("<HBBi", FIRST + event, 0, 0, pid)
        raw += struct.pack("<%dQ" % len(values), *values) + tail
        chain = (2 ** 64 - 512,) + tuple(frames)
        self.put(record(9, struct.pack("<QQIIQQQQ", event + 1, 0x1000, pid,
                                       pid, self.time, addr, 1, len(chain)) +
                        struct.pack("<%dQ" % len(chain), *chain) +
                        struct.pack("<I", len(raw)) + raw +
                        struct.pack("<Q", 5)))

    def begin(self):
        self.put(record(19, struct.pack("<Q", 5) + b"/group\0\0" +
                        self.trailer(7)))
        self.put(record(3, struct.pack("<II", 7, 7) + b"name\0\0\0\0" +
                        self.trailer(7), 1 << 13))
        self.put(record(10, struct.pack("<IIQQQIIQQII", 7, 7, 0x1000, 0x1000,
                                        0, 8, 1, 99, 0, 5, 2) +
                        b"/bin/true\0".ljust(16, b"\0") + self.trailer(7)))
        self.put(record(10, struct.pack("<IIQQQB3x20sII", 7, 7, 0x3000, 0x1000,
                                        0, 20, b"b" * 20, 5, 2) +
                        b"/lib/c\0\0" + self.trailer(7), 1 << 14))

    def task(self, kind, pid, parent):
        self.put(record(kind, struct.pack("<IIIIQ", pid, parent, pid, parent,
                                          self.time) + self.trailer(pid)))

    def round(self):
        self.put(record(68, b""))

    def file(self):
        features = {1: tracing(self.used), 12: description(self.used)}
        head = 104
        at = head + len(self.data)
        bits = [0] * 4
        table, payload = b"", b""
        where = at + 16 * len(features)
        for bit in sorted(features):
            bits[bit // 64] |= 1 << bit % 64
            table += struct.pack("<QQ", where + len(payload),
                                 len(features[bit]))
            payload += features[bit]
        where += len(payload)
        ids = b"".join(struct.pack("<Q", i + 1) for i in self.used)
        attrs = b"".join(attr(*EVENTS[event]) + struct.pack("<QQ", where + 8 * i, 8)
                         for i, event in enumerate(self.used))
        header = b"PERFILE2" + struct.pack(
            "<QQQQQQQQ4Q", head, ATTR + 16, where + len(ids), len(attrs), head,
            len(self.data), 0, 0, *bits)
        return header + self.data + table + payload + ids + attrs

    def cut(self):
        """What a recorder leaves that was killed."""
        pieces = piece(12, description(self.used)) + piece(1, tracing(self.used))
        return (b"PERFILE2" + struct.pack("<QQ", 104, ATTR + 16)).ljust(
            104, b"\0") + pieces + self.data


def blocks(r):
    r.sample(0, (100, 0x1010, 0x7000))
    r.sample(1, (0x5000, 0x7008))
    r.sample(FAULTS, addr=0x5010)
    r.round()
    r.sample(6, (0x5000, 0x7000))
    r.sample(FAULTS + 1, addr=0x9999)


def resized(r):
    r.sample(2, (0x5000, 200, 0x1010, 0x7000))
    r.sample(3, (0x5100, 0x7008))


def aligned(r):
    r.sample(4, (8192, 0x1010))
    r.sample(5, (0,))


def module(r):
    r.sample(7, (0x6000, 100, 1000, 0x1010, 5))
    r.sample(9, (0x6010, 1, 0, 0x1010, 100))
    r.sample(10, (4096, 8192, 0, 0x1010, 100))
    r.round()
    r.sample(8, (0x6000, 5))
    r.put(piece(1000, b'{"type":"process","pid":7}\n'))


def growth(r):
    r.sample(11, (12, 0))
    r.sample(12, (12, 0x10000))
    r.sample(11, (12, 0x20000))
    r.sample(12, (12, 0x20000))


def moved(r):
    r.sample(13, (25, 0x20000, 4096, 8192))
    r.sample(14, (25, 0x20000))


SMAPS = (b"5000-9000 rw-p 00000000 00:00 0 [heap]\nSize: 16 kB\nRss: 8 kB\nPss: 8 kB\n"
         b"Swap: 4 kB\nVmFlags: rd wr mr mw me ac\n")


# The pages of a moment, and of the end, which has other runs
def paged(r):
    r.sample(0, (100, 0x1010, 0x7000))
    r.sample(1, (0x5000, 0x7008))
    for what, runs in ((1009, ((0x5000, 0x6000, 8),)),
                       (1007, ((0x5000, 0x6000, 8), (0x7000, 0x8000, 16)))):
        pages = struct.pack("<IIQQQ", 7, 0, r.time, len(runs), len(SMAPS))
        pages += b"".join(struct.pack("<QQQ", *run) for run in runs) + SMAPS
        r.put(piece(what, pages))
        r.sample(FAULTS, addr=0x5010)
    r.round()
    r.put(piece(1005, struct.pack("<QQ", 900, r.time + 100)))
    r.task(4, 7, 1)


def tasks(r):
    r.task(7, 8, 7)
    r.sample(6, (0x5100, 0x7000), pid=8)
    r.task(4, 8, 7)
    r.put(record(2, struct.pack("<QQ", 1, 5) + r.trailer(7)))


# Two that cross in one flush, and a thread whose flush lacks its end.
def sections(r):
    r.sample(16, (1, 10, 1, 3, 1, 2), tail=struct.pack("<HH4s", 60, 3, b"ab"))
    r.round()
    r.sample(16, (2, 20, 2, 4, 0, 0), tail=struct.pack("<HH4s", 60, 1, b""))
    r.sample(17, (1, 5, 5, 0, 0, 0, 9, 12, 100, 200, 1) + (0,) * 4 +
             (0, 2 << 32, 0x6261) + (0,) * 31, pid=8)


def recordings():
    """Yields a name and the bytes of each recording."""
    for part in (blocks, resized, aligned, module, growth, moved, paged, tasks, sections):
        r = Recording()
        r.begin()
        part(r)
        yield part.__name__, r.file()
        yield part.__name__ + ".cut", r.cut()
