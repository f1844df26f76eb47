#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""seeds.py TARGET FOLDER: small inputs of the form that a target expects

From these the corpus of the tree was learnt. Each begins with the bytes by which
its target chooses what it does.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

import recording
import region

HERE = os.path.dirname(os.path.abspath(__file__))

PROFILE = [
    b'{"type":"frame","number":0,"inode":3,"dev":1,"binary":"/bin/one","build_id":"01020304","offset":16}',
    b'{"type":"frame","number":1,"offset":4096,"pid":7}',
    b'{"type":"process","pid":7,"comm":"one","cgroup_id":5,"cgroup":"/a/b",'
    b'"start_ns":1,"resident_space":4096,"inuse_space":100,"alloc_space":300}',
    b'{"type":"cgroup","cgroup_id":5,"cgroup":"/a/b","processes":1}',
    b'{"type":"site","pid":7,"comm":"one","func":1,"binary":"/bin/one",'
    b'"build_id":"01020304","offset":16,"inuse_space":100,"alloc_objects":3,'
    b'"sizes":[1,2],"lifetimes":[3],"stack":[0,1],"end":1,"level":0}',
    b'{"type":"stack","pid":7,"comm":"one","stack":[0,1],"inuse_space":100}',
    b'{"type":"series","of":"inuse_space","start_ns":1,"step_ns":10,"values":[1,2]}',
    b'{"type":"summary","state":"running","source":"kmod","targets":"pid 7",'
    b'"counters":{"lost":3},"warnings":["a"],"alloc":true}',
]


def lines(*numbers):
    return b"\n".join(PROFILE[i] for i in numbers) + b"\n"


def of_profile():
    every = lines(*range(len(PROFILE)))
    for i, choice in enumerate((b"\1\0\0", b"\0\1\0", b"\3\2\1", b"\x10\3\7")):
        yield "all%d" % i, choice + every + b"\0main\nstd::f(int)\n"
    yield "two", b"\0\2\0" + lines(2, 4) + b"\n" + lines(0, 1, 2, 4)


def of_export():
    every = lines(*range(len(PROFILE)))
    for i in range(10):
        yield "json%d" % i, bytes([i, 2, 15]) + every + b"\0main\nf(int)\n"
    for name, data in recording.recordings():
        if not name.endswith(".cut"):
            yield name, b"\0\2\2" + data


def of_recording():
    for i, (name, data) in enumerate(recording.recordings()):
        for reader in (3,) if name.endswith(".cut") else (0, 1, 2):
            yield "%s%d" % (name, reader), bytes([reader | i % 8 << 2]) + data


def of_region():
    yield from region.regions()


def dictionary(name):
    """The entries of a dictionary that are lines."""
    text = open(os.path.join(HERE, name + ".dict")).read()
    return [line.replace('\\x0a', '').replace('\\"', '"').encode()
            for line in re.findall(r'^"({.*})\\x0a"$', text, re.M)]


def of_replay():
    for i, line in enumerate(dictionary("replay")):
        yield "line%d" % i, line + b"\n"


def of_log():
    for kind in range(10):
        yield "all%d" % kind, bytes([kind]) + b"\n".join(dictionary("log")) + b"\n"
        for i, line in enumerate(dictionary("log")):
            yield "line%d-%d" % (kind, i), bytes([kind]) + line + b"\n"


def of_scrape():
    request = b"GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: application/openmetrics-text\r\n\r\n"
    yield "openmetrics", b"\x20" + request
    yield "head", b"\x03" + request.replace(b"GET", b"HEAD")
    yield "query", b"\x09GET /metrics?a=b HTTP/1.0\r\n\r\n"
    yield "killed", (b"\xff4,1,1,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
                     b"cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,task=c,pid=7,uid=0")
    yield "global", (b"\xff4,1,1,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,"
                     b"mems_allowed=0,global_oom,task_memcg=/a,task=c,pid=7,uid=0")


def of_push():
    yield "taken", b"\x01\xff\x80\x00\x00\x00\x0fgrpc-status:0\r\n"
    yield "busy", b"\x01\x07\x80\x00\x00\x00\x10grpc-status: 14\r\n"
    yield "partial", b"\x02\xff\x0a\x02\x08\x01"
    yield "words", b"\x00\x03out of order: mtime 7\n"


def of_perf_map():
    spots = struct.pack("<HHHQ", 0x1000, 0x1010, 0x1100, 1 << 40)
    yield "map", spots + b"1000 20 one\n10f0 0x20 two [a]\n10000000000 1 three\n"


def of_container():
    ident = b"0123456789abcdef" * 4
    yield "docker", (b'\0{"Name":"/shop","Config":{"Image":"shop/web:1","Labels":'
                     b'{"io.kubernetes.container.name":"web"}}}')
    yield "oci", (b'\0{"annotations":{"io.kubernetes.cri.container-name":"web",'
                  b'"io.kubernetes.cri.sandbox-name":"shop-0","io.kubernetes.cri-o.Labels":'
                  b'"{\\"io.kubernetes.pod.name\\":\\"a\\"}"}}')
    yield "podman", (b'\0[{"id":"' + ident + b'","names":["till"],"metadata":'
                     b'"{\\"image-name\\":\\"docker.io/web:1\\"}"}]')
    yield "machine", b"\0NAME=guest\nSERVICE=systemd-nspawn\n"
    yield "answer", (b"\1" + struct.pack("<IHH", 0, 1, 3) + b"web" +
                     struct.pack("<IHH", 3, 5, 0))
    yield "path", (b"\2kubepods.slice/kubepods-burstable-pod1234abcd_0000_1111_2222_3333444455"
                   b"55.slice:cri-containerd:" + ident + b"/user-1000.slice/a\\x2db.service")


def symbols(nr_spots, nr_lines, texts, watched=()):
    """As symbol-answer.c writes them."""
    spots = b"".join(struct.pack("<QII", 16 * i + 16, i % nr_lines, 1)
                     for i in range(nr_spots))
    rows = b"".join(struct.pack("<IIIIQ", i % len(texts), 0, 5, 0, 3)
                    for i in range(nr_lines))
    return (struct.pack("<4Q", nr_spots, nr_lines, len(texts), len(watched)) +
            spots + rows + b"".join(t + b"\0" for t in (*texts, *watched)))


def of_cache():
    yield "plain", b"\0" + symbols(2, 2, [b"main", b"a.c"])
    yield "watched", b"\1" + b"\0" * 24 + symbols(1, 1, [b"f"], [b"/gone/a"])


def of_answer():
    spots = struct.pack("<4Q", 3, 1, 1, 0) + b"".join(
        struct.pack("<QII", at, 0, 1) for at in (0x10, 0x20, 0x1000))
    yield "symbols", (b"\0" + struct.pack("<Q", 0) + spots +
                      struct.pack("<IIIIQ", 0, 0, 5, 0, 3) + b"main\0")
    yield "map", b"\1" + struct.pack("<iIIQ", 0, 1, 4, 8) + b"name"
    yield "ranges", b"\2" + struct.pack("<4Q", 1, 5, 8, 9)
    tables = b"".ljust(128, b"\0") + struct.pack("<IHHII", 1, 62, 3, 1, 0)
    tables += struct.pack("<QQQQQII", 0, 0, 4096, 4096, 4096, 5, 0)
    tables = tables.ljust(128 + 16 + 64 * 48, b"\0")
    yield "frames", (b"\3" + tables + struct.pack("<6Q", 0x1000, 0x2000, 0x3000,
                     0, len(EH_FRAME), 0) + EH_FRAME)
    yield "scan", b"\4" + struct.pack("<I", 1) + b"\0" * 240 + struct.pack("<4I", 1, 0, 0, 0)


def entry(body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack("<I", len(body)) + body


def frames(at, hdr_at):
    """.eh_frame at @at and its table at @hdr_at, for code at 0x100."""
    cie = entry(struct.pack("<IB", 0, 1) + b"zR\0\1\x78\x10\1\x1b"
                b"\x0c\x07\x08\x90\x01")
    place = len(cie)
    fde = entry(struct.pack("<Iii", place + 4, 0x100 - (at + place + 8), 0x40) +
                b"\0\x41\x0e\x10\x86\x02\x43\x0d\x06\x0a\x45\x0c\x07\x08\x0b")
    table = b"\1\x1b\3\x3b" + struct.pack("<iIii", at - hdr_at - 4, 1,
                                          0x100 - hdr_at, at + place - hdr_at)
    return cie + fde + struct.pack("<I", 0), table


EH_FRAME, EH_TABLE = frames(0x2000, 0x1000)


def of_unwind():
    for name, parts in (("table", (EH_TABLE, EH_FRAME, b"")),
                        ("plain", (b"", EH_FRAME, b"")),
                        ("debug", (b"", b"", EH_FRAME.replace(b"\0\0\0\0", b"\xff" * 4, 1)))):
        for at in (0x101, 0x110):
            yield "%s%x" % (name, at), struct.pack("<HB", at, 16) + b"".join(
                struct.pack("<H", len(p)) + p for p in parts) + struct.pack(
                    "<8Q", *[0x400110, 0x20] * 4)


def of_cfi():
    start = 64 + 56                     # behind the program's headers
    for at in (0x100, 0x110, 0x13f):
        eh, table = frames(start + 64, start)
        yield "at%x" % at, struct.pack("<HB", at, 0) + (
            table.ljust(64, b"\0") + eh).ljust(0x140 - start, b"\0")


def of_control():
    for verb in ("report", "status", "targets", "reset", "stop"):
        yield verb, b"\4" + verb.encode() + b"\n"
    yield "answer", b"\0" + lines(0, 1, 2, 4, 7) + b'{"type":"end"}\n'
    yield "error", b'\0{"type":"error","errno":16,"message":"m"}\n{"type":"end"}\n'


CODE = """
.globl malloc, free, _start
.type malloc,@function
.type free,@function
.type _start,@function
malloc: .cfi_startproc
 .loc 1 1
 push %rbp
 .cfi_def_cfa_offset 16
 mov %rsp,%rbp
 pop %rbp
 ret
 .cfi_endproc
.size malloc, .-malloc
free: nop
 ret
.size free, .-free
_start: call malloc
 ret
.size _start, .-_start
.section .note.stapsdt,"",@note
.long 8, 1f-0f, 3
.asciz "stapsdt"
0: .quad malloc, 0, 0
.asciz "memprof"
.asciz "section"
.asciz "8@%rdi"
.balign 4
1:
.text
"""


def program(folder, *options):
    source, to = os.path.join(folder, "a.c"), os.path.join(folder, "a")
    with open(source, "w") as file:
        file.write("static inline int in(int a) { return a * 3; }\n"
                   "int out(int a) { return in(a) + 1; }\n"
                   'asm(".text\\n"\n' + "".join(
                       '"%s\\n"\n' % line.replace('"', '\\"').replace(" .loc 1 1", "")
                       for line in CODE.splitlines()) + ");\n")
    subprocess.run(["gcc", "-nostdlib", "-Os", "-Wl,-z,noseparate-code",
                    "-Wl,-z,max-page-size=16", "-Wl,--hash-style=gnu", "-o", to,
                    source, *options], check=True)
    return open(to, "rb").read()


def of_elf():
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("static", ["-static"]), ("stripped", ["-static", "-s"]),
                              ("lines", ["-static", "-g", "-O1"]),
                              ("shared", ["-shared", "-s"])):
            data = program(folder, *options)
            for reader in range(4):
                yield "%s%d" % (name, reader), struct.pack("<BH", reader, 0x1c1) + data


def main():
    target, folder = sys.argv[1:]
    for name, data in globals()["of_" + target.replace("-", "_")]():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


main()
