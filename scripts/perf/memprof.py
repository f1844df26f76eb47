# SPDX-License-Identifier: GPL-2.0-only
"""
memprof: sums up memprof's events by command and callsite

For perf script, see bin/memprof-report. The name of a callsite comes from the
call chains of the events, because perf's interface for scripts has no symbols
of other addresses. Memory: a dictionary entry per callsite and per live block.
"""

import collections
import os
import sys

PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
COLUMNS = ("LIVE", "ALLOC'D", "ALLOCS", "GROWTH", "TOUCHED")


class Callsite:
    """The sums of one address in one process."""

    def __init__(self):
        self.live = 0           # bytes, each sample with its weight
        self.allocated = 0
        self.allocs = 0.0
        self.growth = 0
        self.touched = 0

    def add(self, other):
        self.live += other.live
        self.allocated += other.allocated
        self.allocs += other.allocs
        self.growth += other.growth
        self.touched += other.touched


callsites = collections.defaultdict(Callsite)   # by command, process, address
names = {}                                      # by process, address
blocks = {}                                     # live ones: callsite, weight
sessions = set()
counts = collections.Counter()
estimated = set()
only = sys.argv[1] if len(sys.argv) > 1 else None


def learn_names(pid, address, chain):
    """Takes the callsite's name from a call chain that contains it."""
    for frame in chain or ():
        if frame["ip"] == address:
            symbol = frame.get("sym", {}).get("name")
            place = os.path.basename(frame.get("dso", ""))
            names[pid, address] = symbol or (
                "0x%x (%s)" % (address, place) if place else None)


def callsite_of(fields):
    """Returns the callsite to which an event is charged; address 0: none."""
    address = fields["callsite"]
    key = fields["common_comm"], fields["pid"], address
    if address and not names.get((fields["pid"], address)):
        learn_names(fields["pid"], address, fields["common_callchain"])
    return key


def forget_block(place):
    key, weight = blocks.pop(place, (None, 0))
    if key:
        callsites[key].live -= weight


def on_alloc(fields):
    size, weight = fields["size"], fields["weight"]
    place = fields["session"], fields["pid"], fields["ptr"]
    key = callsite_of(fields)
    forget_block(place)         # freed unseen
    site = callsites[key]
    site.live += weight
    site.allocated += weight
    site.allocs += weight / size if size else 1
    blocks[place] = key, weight
    if weight != size:
        estimated.add("allocations")


def on_free(fields):
    forget_block((fields["session"], fields["pid"], fields["ptr"]))


def on_growth(fields):
    site = callsites[callsite_of(fields)]
    site.growth += fields["after"] - fields["before"]


def on_fault(fields):
    site = callsites[callsite_of(fields)]
    site.touched += fields["weight"] * PAGE_SIZE
    if fields["weight"] != 1:
        estimated.add("faults")


HANDLERS = {
    "memprof__alloc": on_alloc,
    "memprof__free": on_free,
    "memprof__growth": on_growth,
    "memprof__fault": on_fault,
}


def trace_unhandled(event, context, fields, sample):
    """perf calls this for every event, with its fields by name."""
    handler = HANDLERS.get(event)
    if not handler or (only and fields["common_comm"] != only):
        return
    counts[event] += 1
    sessions.add(fields["session"])
    handler(fields)


def human(value):
    """Formats a number like memprofctl: three digits and a unit."""
    sign, value, unit = "-" if value < 0 else "", abs(value), ""
    for next_unit in "KMGTPE":
        if value < 1024:
            break
        value, unit = value / 1024, next_unit
    if not unit or value >= 99.95:
        return "%s%.0f%s" % (sign, value, unit)
    return "%s%.1f%s" % (sign, value, unit)


def printable(name):
    """Escapes control characters: names are untrusted, and go to a terminal."""
    return "".join(c if c.isprintable() else "\\x%02x" % ord(c) for c in name)


def cells(site):
    return (human(site.live), human(site.allocated), "%.0f" % site.allocs,
            human(site.growth), human(site.touched))


def name_of(pid, address):
    if not address:
        return "[no callsite]"
    return printable(names.get((pid, address)) or "0x%x" % address)


def rows():
    """Merges callsites with the same name and command; the largest is first."""
    merged = collections.defaultdict(Callsite)
    for (comm, pid, address), site in callsites.items():
        merged[printable(comm), name_of(pid, address)].add(site)
    return sorted(merged.items(), reverse=True, key=lambda row: (
        row[1].live, row[1].allocated, row[1].growth, row[1].touched, row[0]))


def print_table(table):
    width = max([4] + [len(comm) for (comm, _), _ in table])
    line = "%9s %9s %9s %9s %9s  %-*s  %s"
    total = Callsite()
    print(line % (COLUMNS + (width, "COMM", "CALLSITE")))
    for (comm, name), site in table:
        total.add(site)
        print(line % (cells(site) + (width, comm, name)))
    print(line % (cells(total) + (width, "", "total: %d callsites" %
                                  len(table))))


def print_footer():
    unnamed = {address for _, pid, address in callsites
               if address and not names.get((pid, address))}
    print()
    print("events: " + (", ".join(
        "%d %s" % (n, event.split("__")[1])
        for event, n in sorted(counts.items())) or "none"))
    if estimated:
        print("sampled: %s, so their numbers are estimates" %
              " and ".join(sorted(estimated)))
    if len(sessions) > 1:
        print("warning: %d sessions (%s): what several watched counts for each"
              % (len(sessions), ", ".join(map(str, sorted(sessions)))))
    if unnamed:
        print("warning: %d callsites are in no call chain, so have no name"
              % len(unnamed))


def trace_end():
    if "MEMPROF_REPORT_FD" in os.environ:
        sys.stdout = os.fdopen(int(os.environ["MEMPROF_REPORT_FD"]), "w")
    if counts:
        print_table(rows())
        print_footer()
    else:
        print("no event of memprof: a session has to run while perf records; "
              "start one with memprofctl start -a")
    sys.stdout.flush()
