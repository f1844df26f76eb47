# SPDX-License-Identifier: GPL-2.0-only
# same-rows.py WANTED GOT: whether each row of WANTED (JSON lines of a report) is in GOT,
# in the same order, with all its keys and values. GOT may have more keys. A number
# that is not known has no key today; it was 0. Names, and how far a place is from a name,
# depend on the files and the debugging information of the machine: they are not compared.
import json
import sys

NAMES = {"function", "distance", "file", "line", "frames", "symbol", "source"}


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def differences(wanted, got, path=""):
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key, value in wanted.items():
            if key not in NAMES and (key in got or value not in (0, {})):
                yield from differences(value, got.get(key), path + "." + key)
    elif wanted != got:
        yield f"{path}: {wanted} expected, {got} found"


wanted, got = read(sys.argv[1]), read(sys.argv[2])
found = [f"row {i}{text}" for i, rows in enumerate(zip(wanted, got))
         for text in differences(*rows)]
if len(wanted) != len(got):
    found.append(f"{len(wanted)} rows expected, {len(got)} found")
for line in found[:20]:
    print("#", line)
sys.exit(bool(found))
