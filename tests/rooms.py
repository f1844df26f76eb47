#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
rooms: checks who includes and who calls whom

usage: tests/rooms.py [BUILD]      BUILD: where user space was built (build/user)

Reads the rule from user/rooms.mk. Reports, and exits with 1 on:
- an #include of, or a call into, a room that is not below the caller's room;
- a circle among the folders of one room (out/report, out/json, ...), by includes
  or calls;
- a circle among files by calls: of user space, of a library, of the module;
- two headers, or two structures in headers, of the same name.

Calls are read from the object files with nm, so they are what the linker sees.
"""
import collections
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USER = os.path.join(TOP, "user")
problems = []


def report(text):
    if text not in problems:
        problems.append(text)


def read_rule():
    """{room: set of the rooms below it}, from rooms.mk by make itself."""
    text = subprocess.run(
        ["make", "-s", "-f", "-", "print"], check=True, text=True,
        capture_output=True, input="include %s/rooms.mk\nprint:\n"
        "\t@$(foreach r,$(rooms),echo $(r): $(below-$(r));)\n" % USER).stdout
    rule = {}
    for line in text.splitlines():
        room, below = line.split(":")
        rule[room] = set(below.split())
    # the libraries are no rooms of memprofctl: they share some
    rule["lib"] = {"base", "python", "sections"}
    return rule


def sources(top, endings):
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(folder, name)


def room_of(folder):
    return folder.split("/")[0]


def find_headers():
    """{name of a header: its folder below user/}"""
    headers = {}
    for path in sources(USER, ".h"):
        name = os.path.basename(path)
        folder = os.path.relpath(os.path.dirname(path), USER)
        if name in headers:
            report("two headers are called %s: in %s and %s" %
                   (name, headers[name], folder))
        headers[name] = folder
    return headers


def check_structures():
    """A structure's or an enumeration's name stands for one thing."""
    known = {}
    for path in sources(USER, ".h"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name in re.findall(r"^(?:struct|enum|union) (\w+) \{", text, re.M):
            if name in known:
                report("two structures are called %s: in %s and %s" %
                       (name, known[name], os.path.relpath(path, TOP)))
            known[name] = os.path.relpath(path, TOP)


def include_arrows(headers):
    """(folder, folder, why) of each include"""
    for path in sources(USER, (".c", ".h")):
        folder = os.path.relpath(os.path.dirname(path), USER)
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
                if name not in headers:
                    report("%s includes %s, which is not there" %
                           (os.path.relpath(path, TOP), name))
                    continue
                yield (folder, headers[name], "%s includes %s" %
                       (os.path.relpath(path, USER), name))


def read_symbols(objects):
    """({symbol: object that defines it}, {object: symbols it needs})"""
    defined, needed = {}, collections.defaultdict(set)
    text = subprocess.run(["nm", "-A", *objects], check=True, text=True,
                          capture_output=True).stdout
    for line in text.splitlines():
        where, rest = line.split(":", 1)
        kind, symbol = rest.split()[-2:]
        if kind == "U":
            needed[where].add(symbol)
        elif kind in "TDBRCV":
            defined[symbol] = where
    return defined, needed


def is_current(path, build):
    """Whether an object is of a room, and its source is still there."""
    name = os.path.relpath(path, build)
    made = path[:-2] + ".c"
    source = os.path.join(USER, name[:-2] + ".c")
    return (room_of(name) in RULE and not name.startswith("lib/") and
            (os.path.exists(source) or os.path.exists(made)))


def call_arrows(objects, build):
    """(object, object, why) of each reference from object to object"""
    defined, needed = read_symbols(objects)
    for where, symbols in sorted(needed.items()):
        for symbol in sorted(symbols & defined.keys()):
            yield (os.path.relpath(where, build),
                   os.path.relpath(defined[symbol], build),
                   "%s calls %s" % (os.path.relpath(where, build), symbol))


def check_rooms(arrows):
    for source, target, why in arrows:
        a, b = room_of(source), room_of(target)
        if a != b and b not in RULE.get(a, set()):
            report("%s must not know %s: %s" % (a, b, why))


def find_circle(graph):
    """The nodes of a circle in {node: {node: why}}, or None."""
    done, path = set(), []

    def walk(node):
        if node in path:
            return path[path.index(node):]
        if node in done:
            return None
        path.append(node)
        for other in sorted(graph.get(node, {})):
            circle = walk(other)
            if circle:
                return circle
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        circle = walk(node)
        if circle:
            return circle
    return None


def check_circle(arrows, what):
    graph = collections.defaultdict(dict)
    for source, target, why in arrows:
        if source != target:
            graph[source].setdefault(target, why)
    circle = find_circle(graph)
    if circle:
        report("a circle of %s: %s" % (what, "; ".join(
            graph[a][b] for a, b in zip(circle, circle[1:] + circle[:1]))))


def check_module(build):
    """The module's files, where it was built."""
    for folder, _, names in os.walk(build):
        objects = [os.path.join(folder, n) for n in names
                   if n.endswith(".o") and not n.startswith("memprof.") and
                   not n.endswith(".mod.o")]
        if "main.o" in names:
            check_circle(call_arrows(objects, folder), "the module's files")


RULE = read_rule()


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                            os.path.join(TOP, "build/user"))
    headers = find_headers()
    check_structures()
    objects = [o for o in sources(build, ".o") if is_current(o, build)]
    if not objects:
        sys.exit("rooms: no objects in %s: build user space first" % build)
    calls = list(call_arrows(objects, build))
    arrows = list(include_arrows(headers)) + [
        (os.path.dirname(a), os.path.dirname(b), why) for a, b, why in calls]
    check_rooms(arrows)
    check_circle([(a, b, w) for a, b, w in arrows
                  if room_of(a) == room_of(b) and room_of(a) != "lib"],
                 "folders")
    check_circle(calls, "files")
    for library in "lib/memprof", "lib/sections":
        folder = os.path.join(build, library)
        check_circle(call_arrows(sources(folder, ".o"), folder),
                     "files of " + library)
    check_module(os.path.join(build, "../kmod"))
    for problem in problems:
        print(problem)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
