#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: check-dhat.py FILE FUNCTION TOTAL-BYTES END-BYTES

The rules of Firefox Profiler's importer of DHAT files, and stricter: what it would
take for granted is checked. A function has these bytes in what it called."""
import json
import re
import sys

# as the importer reads a frame: address, function, file, line, column
FRAME = re.compile(r"^0x([0-9a-f]+): (.+) \((?:in )?(.+?)(?::(\d+))?(?::(\d+))?\)$",
                   re.I)
HEAD = {"dhatFileVersion": int, "mode": str, "verb": str, "bklt": bool,
        "bkacc": bool, "tu": str, "Mtu": str, "tuth": int, "cmd": str,
        "pid": int, "te": int, "tg": int, "pps": list, "ftbl": list}
POINT = ["tb", "tbk", "tl", "mb", "mbk", "gb", "gbk", "eb", "ebk"]


def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def check_point(dhat, point):
    assert set(point) == set(POINT) | {"fs"}, point
    for key in POINT:
        assert type(point[key]) is int and 0 <= point[key] < 2 ** 53, point
    assert point["eb"] <= point["mb"] and point["gb"] <= point["mb"], point
    assert point["eb"] <= point["tb"], point
    assert point["fs"], point
    for frame in point["fs"]:
        assert type(frame) is int and 0 < frame < len(dhat["ftbl"]), point


def functions(dhat, point):
    found = set()
    for frame in point["fs"]:
        match = FRAME.match(dhat["ftbl"][frame])
        found.add(match[2] if match else dhat["ftbl"][frame])
    return found


def main(path, name, total, end):
    dhat = json.load(open(path, encoding="utf-8"), object_pairs_hook=once)
    assert set(dhat) == set(HEAD), set(dhat) ^ set(HEAD)
    for key, kind in HEAD.items():
        assert type(dhat[key]) is kind, key
    assert dhat["dhatFileVersion"] == 2 and dhat["mode"] == "heap"
    assert dhat["bklt"] and not dhat["bkacc"] and dhat["tg"] <= dhat["te"]
    assert all(type(frame) is str and frame for frame in dhat["ftbl"])
    assert len(set(dhat["ftbl"])) == len(dhat["ftbl"])
    stacks = {tuple(point["fs"]) for point in dhat["pps"]}
    assert len(stacks) == len(dhat["pps"]), "a stack comes twice"
    sums = {"tb": 0, "eb": 0}
    for point in dhat["pps"]:
        check_point(dhat, point)
        if name == "[root]" or name in functions(dhat, point):
            for key in sums:
                sums[key] += point[key]
    print("#", name, sums, len(dhat["pps"]), "stacks")
    assert sums["tb"], "nobody calls " + name
    assert (sums["tb"], sums["eb"]) == (int(total), int(end))


main(*sys.argv[1:])
