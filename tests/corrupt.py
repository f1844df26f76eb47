#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""corrupt.py RECORDING FOLDER: the same recording, wrong in as many ways

Prints the name of each file that it makes.
"""
import os
import struct
import sys

SIZE, ATTR_SIZE, ATTRS, DATA, FEATURES = 8, 16, 24, 40, 72
SAMPLE, CALLCHAIN, RAW = 9, 1 << 5, 1 << 10
HUGE = 2 ** 64 - 8


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


class Variants:
    def __init__(self, whole, folder):
        self.whole = whole
        self.folder = folder
        self.data = u64(whole, DATA)
        self.data_size = u64(whole, DATA + 8)

    def put(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)
        print(name)

    # poke NAME, at OFFSET: FORMAT and VALUE, ...
    def poke(self, name, *pokes):
        data = bytearray(self.whole)
        for at, form, value in pokes:
            struct.pack_into("<" + form, data, at, value)
        self.put(name, data)

    def records(self):
        at, end = self.data, self.data + self.data_size
        while at < end:
            kind, misc, size = struct.unpack_from("<IHH", self.whole, at)
            yield at, kind, size
            at += size

    # the offsets of the first sample that has both, and where its parts are
    def sample(self):
        types = {}
        attr_size = u64(self.whole, ATTR_SIZE)
        at, size = u64(self.whole, ATTRS), u64(self.whole, ATTRS + 8)
        for attr in range(at, at + size, attr_size):
            ids, ids_size = struct.unpack_from("<QQ", self.whole,
                                               attr + attr_size - 16)
            for i in range(ids, ids + ids_size, 8):
                types[u64(self.whole, i)] = u64(self.whole, attr + 24)
        for at, kind, size in self.records():
            if kind != SAMPLE:
                continue
            bits = types[u64(self.whole, at + 8)]
            if not bits & CALLCHAIN or not bits & RAW:
                continue
            # identifier, ip, tid, time, addr, cpu, period
            fixed = [1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8]
            chain = at + 8 + 8 * sum(bool(bits & bit) for bit in fixed)
            return at, chain, chain + 8 + 8 * u64(self.whole, chain)
        return None

    def truncate(self):
        size = len(self.whole)
        places = [0, 7, 8, 16, 103, 104, 105, self.data + 8,
                  self.data + self.data_size // 2,
                  self.data + self.data_size // 2 + 3,
                  self.data + self.data_size - 1,
                  self.data + self.data_size, size - 1]
        for place in places:
            self.put("cut-%d" % place, self.whole[:place])

    def header(self):
        whole = self.whole
        self.put("text", b"This is not a recording.\n" * 100)
        self.put("zeros", bytes(len(whole)))
        self.put("magic-swapped", whole[7::-1] + whole[8:])
        self.put("magic-old", b"PERFFILE" + whole[8:])
        self.poke("header-size-0", (SIZE, "Q", 0))
        self.poke("header-size-huge", (SIZE, "Q", HUGE))
        for value in (0, 1, 17, 64, 1 << 20, HUGE):
            self.poke("attr-size-%x" % value, (ATTR_SIZE, "Q", value))
        self.poke("attrs-beyond", (ATTRS, "Q", len(whole)))
        self.poke("attrs-wrap", (ATTRS, "Q", HUGE), (ATTRS + 8, "Q", 1 << 10))
        self.poke("attrs-huge", (ATTRS + 8, "Q", HUGE))
        self.poke("attrs-none", (ATTRS + 8, "Q", 0))
        self.poke("data-beyond", (DATA, "Q", len(whole) + 1))
        self.poke("data-wrap", (DATA, "Q", HUGE))
        self.poke("data-huge", (DATA + 8, "Q", HUGE))
        self.poke("data-0", (DATA + 8, "Q", 0))
        self.poke("features-all", *[(FEATURES + 8 * i, "Q", 2 ** 64 - 1)
                                    for i in range(4)])

    def events(self):
        at = u64(self.whole, ATTRS)
        ids = at + u64(self.whole, ATTR_SIZE) - 16
        self.poke("ids-beyond", (ids, "Q", len(self.whole)))
        self.poke("ids-wrap", (ids, "Q", HUGE), (ids + 8, "Q", 1 << 10))
        self.poke("ids-huge", (ids + 8, "Q", HUGE))
        self.poke("sample-type-all", (at + 24, "Q", 2 ** 64 - 1))
        self.poke("sample-type-0", (at + 24, "Q", 0))

    def features(self):
        table = self.data + self.data_size
        for i in range(3):
            at = table + 16 * i
            self.poke("feature-%d-beyond" % i, (at, "Q", len(self.whole)))
            self.poke("feature-%d-wrap" % i, (at, "Q", HUGE))
            self.poke("feature-%d-huge" % i, (at + 8, "Q", HUGE))
            self.poke("feature-%d-empty" % i, (at + 8, "Q", 0))

    def samples(self):
        found = self.sample()
        if not found:
            return
        at, chain, raw = found
        for value in (0, 7, 8, 9, 65535):
            self.poke("record-size-%d" % value, (at + 6, "H", value))
        self.poke("record-type-huge", (at, "I", 2 ** 32 - 1))
        self.poke("record-compressed", (at, "I", 81))
        self.poke("record-auxtrace", (at, "I", 71), (at + 8, "Q", HUGE))
        self.poke("sample-id", (at + 8, "Q", 12345))
        self.poke("sample-time", (at + 32, "Q", 2 ** 64 - 1))
        self.poke("nr-frames-huge", (chain, "Q", 2 ** 61))
        self.poke("nr-frames-wrap", (chain, "Q", 2 ** 64 - 1))
        self.poke("raw-size-huge", (raw, "I", 2 ** 32 - 1))
        self.poke("raw-size-wrap", (raw, "I", 2 ** 32 - 4))
        self.poke("raw-size-0", (raw, "I", 0))


def main():
    with open(sys.argv[1], "rb") as file:
        variants = Variants(file.read(), sys.argv[2])
    variants.truncate()
    variants.header()
    variants.events()
    variants.features()
    variants.samples()


main()
