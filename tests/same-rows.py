# SPDX-License-Identifier: GPL-2.0-only
# same-rows.py WANTED GOT: whether each row of WANTED (JSON lines of a report) is in GOT,
# with all its keys and values, and no other row. GOT may have more keys. A number
# that is not known has no key today; it was 0. Names, and how far a place is from a name,
# depend on the files and the debugging information of the machine: they are not compared.
# The order of rows is compared where the number that they are sorted by differs.
import json
import sys

NAMES = {"function", "distance", "file", "line", "frames", "symbol", "source"}
PLACE = ("pid", "start_ns", "binary", "build_id", "address", "offset")
SORTED_BY = ("inuse_space", "peak_space", "alloc_space")


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


def numbers(row):
    return [-(row.get(key) or 0) for key in SORTED_BY]


def in_order(rows):
    """Rows whose numbers are equal may stand in any order: they are put in that of places."""
    return sorted(rows, key=lambda row: (numbers(row), [str(row.get(key)) for key in PLACE]))


wanted, got = read(sys.argv[1]), read(sys.argv[2])
other_order = [numbers(row) for row in wanted] != [numbers(row) for row in got]
wanted, got = in_order(wanted), in_order(got)
found = [f"row {i}{text}" for i, rows in enumerate(zip(wanted, got))
         for text in differences(*rows)]
if other_order:
    found.append("the rows are in another order")
if len(wanted) != len(got):
    found.append(f"{len(wanted)} rows expected, {len(got)} found")
for line in found[:20]:
    print("#", line)
sys.exit(bool(found))
