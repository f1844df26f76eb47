#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: compare.py WHAT EXPORT RECORDING [METRIC [PATTERN]]

What a reader makes of an export is what the report says of the recording. WHAT:

folded       lines of the strict grammar; sums by function
speedscope   the file's own rules; weights by function, of each metric
pprof        what `pprof -raw` printed; sums by function, of each sample type
pprof-top    what `pprof -top -unit=B` printed of METRIC
otlp         samples of a request; sums by function, of each metric
csv, json    rows of callsites, every metric of each
openmetrics  what `promtool tsdb dump` printed; sums of each metric
perf         what `perf script -F comm,pid,period,ip,sym` printed; functions that
             PATTERN is found in: of several names at an address perf takes another
"""
import collections
import csv
import functools
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from profiles import read_otlp
from report import read


@functools.lru_cache(maxsize=None)
def report(recording, *options):
    out = subprocess.run(["memprofctl", "report", "-i", recording, "--json",
                          *options], check=True, stdout=subprocess.PIPE).stdout
    return read(out.splitlines())


def total(recording, metric):
    """Of processes, or of their callsites where these held more when they ended."""
    return max(report(recording, *options)[-1]["totals"][metric]
               for options in ([], ["--by", "callsite"]))


@functools.lru_cache(maxsize=None)
def wrappers(recording):
    """Kept beside the recording: of a large one, this is a report of 160 MB."""
    kept = "%s.%d.wrappers" % (recording, os.stat(recording).st_mtime_ns)
    if not os.path.exists(kept):
        names = {frame.get("function")
                 for row in report(recording, "--by", "callsite", "--stack")
                 for frame in row.get("frames", ()) if "wrapper" in frame}
        with open("%s.%d" % (kept, os.getpid()), "w", encoding="utf-8") as file:
            json.dump(list(names), file)
        os.rename(file.name, kept)
    with open(kept, encoding="utf-8") as file:
        return set(json.load(file))


def functions(recording, metric):
    """By function, what happened in all that it called. Of functions that are a
    wrapper in some stack the report does not count that stack."""
    found = collections.Counter()
    for row in report(recording, "--by", "callsite", "--children", "--min",
                      "0", "--sort", metric):
        if row["type"] == "node" and "function" in row:
            found[row["function"]] += row["value"]
    return {name: value for name, value in found.items()
            if name not in wrappers(recording)}


def same(what, found, wanted):
    if found != wanted:
        sys.exit("# %s: %s, and the report says %s" % (what, found, wanted))


def compare_stacks(stacks, recording, metric):
    """Stacks of names, with their value."""
    inside = collections.Counter()
    for names, value in stacks:
        # the kernel's functions are marked
        for name in {name.removesuffix("_[k]") for name in names}:
            inside[name] += value
    if metric != "growth_space":
        same("total of " + metric, sum(value for _, value in stacks),
             total(recording, metric))
    wanted = functions(recording, metric)
    for name, value in wanted.items():
        same("%s of %s" % (metric, name), inside[name], value)
    print("# %s: %d stacks, %d functions, %d" % (
        metric, len(stacks), len(wanted), sum(v for _, v in stacks)))


def folded(path, recording, metric):
    text = open(path, encoding="utf-8", newline="").read()
    assert text.endswith("\n") and "\r" not in text
    stacks, lines = [], text.split("\n")[:-1]
    assert len(set(lines)) == len(lines)
    for line in lines:
        # names neither begin nor end with a blank, and have no control character
        match = re.fullmatch(r"((?:[^; \x00-\x1f\x7f](?:[^;\x00-\x1f\x7f]*"
                             r"[^; \x00-\x1f\x7f])?;?)+) ([1-9][0-9]*)", line)
        assert match and not match[1].endswith(";") and ";;" not in match[1], line
        names = [re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), name)
                 for name in match[1].split(";")]
        stacks.append((names, int(match[2])))
    compare_stacks(stacks, recording, metric)


def speedscope(path, recording):
    file = json.load(open(path, encoding="utf-8"))
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [frame["name"] for frame in file["shared"]["frames"]]
    assert 0 <= file["activeProfileIndex"] < len(file["profiles"])
    for profile in file["profiles"]:
        assert profile["type"] == "sampled"
        assert profile["unit"] in ("bytes", "none")
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(weight > 0 for weight in profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
        compare_stacks([([names[i] for i in sample], weight) for sample, weight
                        in zip(profile["samples"], profile["weights"])],
                       recording, profile["name"])


def pprof(path, recording):
    """The readers' view: samples, with the functions of their locations."""
    types, samples, locations, part = [], [], {}, None
    for line in open(path, encoding="utf-8"):
        if line.strip() in ("Samples:", "Locations", "Mappings"):
            part = line.strip()
        elif part == "Samples:" and not types:
            types = [t.split("/")[0] for t in line.replace("[dflt]", "").split()]
        elif part == "Samples:" and re.match(r"\s+-?\d+ .*:", line):
            values, ids = line.rsplit(":", 1)
            samples.append(([int(v) for v in values.split()], ids.split()))
        elif part == "Locations":
            match = re.match(r"\s+(\d+): 0x\w+ (?:M=\d+ )?(.*)", line)
            number, rest = match.groups() if match else (number, line.strip())
            # Python has files without a path: <frozen site>. Newer versions of
            # pprof print the column after the line
            name = (re.match(r"(.*) <[^<>]*>:\d+(?::\d+)? s=0", rest) or
                    re.match(r"(.*) \S*:\d+(?::\d+)? s=0", rest))
            locations.setdefault(number, []).append(name[1] if name else rest)
    for i, metric in enumerate(types):
        if metric == "peak_space":
            continue
        stacks = [([name for number in ids for name in locations[number]],
                   values[i]) for values, ids in samples if values[i]]
        if metric == "growth_space":
            same("total of growth_space", sum(v for _, v in stacks),
                 total(recording, metric))
        else:
            compare_stacks(stacks, recording, metric)


def pprof_top(path, recording, metric):
    inside = {}
    for line in open(path, encoding="utf-8"):
        match = re.match(r" *-?\d+B? +\S+% +\S+% +(-?\d+)B? +\S+%  (.*)", line)
        if match:
            inside[match[2].replace(" (inline)", "")] = int(match[1])
    wanted = functions(recording, metric)
    assert bool(inside) == any(wanted.values())
    for name, value in wanted.items():
        # what has nothing is not shown
        same(name, inside.get(name, 0), value)
    print("# %d functions" % len(wanted))


def rows_of(recording):
    return [row for row in report(recording, "--by", "callsite")
            if row["type"] == "site"]


def metrics_of(recording):
    return [key for key in report(recording)[0] if key in
            report(recording)[-1]["totals"] or key.startswith("peak_")]


def identity(row):
    return tuple(str(row.get(key, "")) for key in
                 ("comm", "function", "file", "line", "binary", "offset"))


def compare_rows(found, recording):
    metrics = metrics_of(recording)
    view = [sorted((identity(row), [int(row[m]) for m in metrics])
                   for row in rows) for rows in (found, rows_of(recording))]
    assert view[0]
    same("rows", *view)
    print("# %d rows of %d metrics" % (len(found), len(metrics)))


def read_csv(path, recording):
    raw = open(path, "rb").read()
    assert raw.endswith(b"\r\n") and raw.count(b"\n") == raw.count(b"\r\n")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert len({len(row) for row in rows}) == 1
    found = [dict(zip(rows[0], row)) for row in rows[1:]]
    for row in found:
        # an offset of something that is in no binary is an address
        row["offset"] = row["offset"] or "0"
        # the kernel counts for cgroups: not known of a callsite, which is not 0
        assert row["cgroup_current_space"] == ""
        # what would be a formula has an apostrophe
        for key, value in row.items():
            row[key] = re.sub("^'(?=[=+@-])", "", value)
    compare_rows(found, recording)


def read_json(path, recording):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    assert rows[0]["type"] == "header" and rows[0]["version"] == 1
    compare_rows([row for row in rows if row["type"] == "site"], recording)
    for kind, type_ in (("process", "process"), ("callsite", "site")):
        summary, = (row for row in rows if row["type"] == "summary" and
                    row["by"] == type_)
        same(kind, summary["totals"],
             report(recording, "--by", kind)[-1]["totals"])


def openmetrics(path, recording):
    sums = collections.Counter()
    for line in open(path, encoding="utf-8"):
        match = re.match(r'\{__name__="(\w+)".*\} (\S+) \d+$', line)
        sums[match[1]] += float(match[2])
    for kind in "process", "cgroup", "callsite":
        totals = report(recording, "--by", kind)[-1]["totals"]
        for key in ("alloc_objects", "alloc_space", "inuse_objects",
                    "inuse_space", "touched_space", "growth_space"):
            name = "memprof_%s_%s%s" % (kind, key, "_bytes" *
                                        key.endswith("_space"))
            found = sums[name] + sums[name + "_total"]
            same(name, found, totals[key])
            print("# %s %d" % (name, found))


def otlp(path, recording):
    by_metric = collections.defaultdict(list)
    for sample in read_otlp(open(path, "rb").read()):
        by_metric[sample.metric].append((sample.stack, sample.value))
    assert by_metric
    for metric, stacks in by_metric.items():
        if metric in ("resident_space", "growth_space"):
            same(metric, sum(value for _, value in stacks), total(recording, metric))
        elif metric != "peak_space":
            compare_stacks(stacks, recording, metric)


def perf(path, recording, metric, pattern=""):
    stacks = []
    for line in open(path, encoding="utf-8"):
        match = re.match(r"\s*(.*\S)\s+(\d+)\s+(\d+)\s*$", line)
        frame = re.match(r"\s+[0-9a-f]+ (\S.*)$", line)
        if frame:
            # a function that was split has a name for each part
            stacks[-1][0].append(re.sub(r"\.(constprop|part|isra|cold).*|@@.*",
                                        "", frame[1]))
        elif match:
            stacks.append(([], int(match[3])))
    assert stacks
    same("total of " + metric, sum(value for _, value in stacks),
         total(recording, metric))
    inside = collections.Counter()
    for names, value in stacks:
        for name in set(names):
            inside[name] += value
    wanted = functions(recording, metric)
    # inlined functions, and names that a debug file has, are not perf's
    known = [name for name in wanted
             if name in inside and re.search(pattern, name)]
    assert known
    for name in known:
        same(name, inside[name], wanted[name])
    print("# %d stacks, %d functions" % (len(stacks), len(known)))


if __name__ == "__main__":
    {"folded": folded, "speedscope": speedscope, "pprof": pprof,
     "pprof-top": pprof_top, "otlp": otlp, "csv": read_csv, "json": read_json,
     "openmetrics": openmetrics, "perf": perf}[sys.argv[1]](*sys.argv[2:])
