#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: report.py QUERY [where CONDITION...]   <rows of `report --json`

Answers a question on the rows of a report. QUERY:

value COLUMN...    of the only row that fits, on one line
list COLUMN...     of each row that fits, a line each
sum COLUMN...      over the rows that fit, on one line
max COLUMN
count              of rows that fit
total COLUMN...    of the report's last row
holds EXPRESSION   true of each row that fits, and at least one fits; EXPRESSION
                   is python's, with columns as names, and near() and parts below
stacks             a line per stack: "ALLOCS BYTES LIVE: FUNCTION < FUNCTION < ..."
lines              a line per stack: "ALLOCS: FUNCTION FILE:LINE < ..."

A CONDITION is COLUMN=VALUE, COLUMN!=VALUE or COLUMN~REGEX. A column that a row
does not have is empty, in an expression 0. COLUMN.KEY is a key of a column.
"""
import builtins
import json
import os
import re
import signal
import sys

MIB = 1 << 20
PARTS = ("stack_resident_space", "file_mapped_space", "shmem_mapped_space",
         "unattributed_space")


def read(lines):
    return [json.loads(line) for line in lines]


def column(row, name):
    for key in name.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return row


def text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def fits(row, condition):
    name, how, wanted = re.fullmatch(r"([\w.]+)(!=|=|~)(.*)", condition,
                                     re.S).groups()
    found = text(column(row, name))
    if how == "~":
        return re.search(wanted, found) is not None
    return (found == wanted) == (how == "=")


def near(value, mib, more):
    """At least so many MiB, and not more than so many above them."""
    return mib * MIB <= value <= (mib + more) * MIB


def parts(row):
    """Those that RSS is made of."""
    return row.get("allocator_space", 0) + sum(row.get(key, 0) for key in PARTS)


class Missing(dict):
    """Columns that a row lacks are 0."""
    def __missing__(self, name):
        if hasattr(builtins, name):
            raise KeyError(name)
        return 0


def holds(rows, expression):
    for row in rows:
        names = dict(row, near=near, MIB=MIB, parts=parts(row))
        if not eval("(%s)" % expression, names,
                    Missing(names)):
            print("# not so: %s; %s" % (
                " ".join(expression.split()),
                {name: names[name] for name in names
                 if re.search(r"\b%s\b" % name, expression)}))
            return False
    if not rows:
        print("# no row fits")
    return bool(rows)


def frames(row):
    return [frame for frame in row["frames"] if "wrapper" not in frame]


def stack(row):
    return "%d %d %d: %s" % (
        row["alloc_objects"], row["alloc_space"], row["inuse_space"],
        " < ".join(frame.get("function", "?") for frame in frames(row)))


def place(frame):
    for word in "truncated", "missing":
        if word in frame:
            return "[%s]" % word
    return "%s %s:%d" % (frame.get("function", "?"),
                         os.path.basename(frame.get("file", "?")),
                         frame.get("line", 0))


def lines(row):
    return "%d: %s" % (row["alloc_objects"],
                       " < ".join(place(frame) for frame in frames(row)))


def values(row, names):
    print(*(text(column(row, name)) for name in names))


def main():
    # who reads the answer may have read enough
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    query, args, conditions = sys.argv[1], sys.argv[2:], []
    if "where" in args:
        at = args.index("where")
        args, conditions = args[:at], args[at + 1:]
    everything = read(sys.stdin)
    rows = [row for row in everything
            if all(fits(row, condition) for condition in conditions)]
    if query == "value":
        if len(rows) != 1:
            sys.exit("# %d rows fit: %s" % (len(rows), " ".join(conditions)))
        values(rows[0], args)
    elif query == "list":
        for row in rows:
            values(row, args)
    elif query == "sum":
        print(*(sum(column(row, name) or 0 for row in rows) for name in args))
    elif query == "max":
        print(max((column(row, args[0]) or 0 for row in rows), default=0))
    elif query == "count":
        print(len(rows))
    elif query == "total":
        values(everything[-1]["totals"], args)
    elif query == "holds":
        return not holds(rows, args[0])
    elif query in ("stacks", "lines"):
        for row in rows:
            if row["type"] == "stack" and "frames" in row:
                print((stack if query == "stacks" else lines)(row))
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
