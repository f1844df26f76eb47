#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: pushed.py FORMAT FOLDER RECORDING COMM CGROUP

What a far end got in FOLDER (see receiver.py) is what the report says of RECORDING, the
agent's last snapshot: flows add up to it, and the last profile has its levels.
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from profiles import read_otlp, read_parca, read_pprof
from report import read

FLOWS = "alloc_objects", "alloc_space", "touched_space", "growth_space", "faults"
LEVELS = "inuse_objects", "inuse_space", "resident_space"

style, folder, recording, comm, cgroup = sys.argv[1:]
readers = {"otlp": lambda data: read_otlp(gzip.decompress(data)),
           "pyroscope": read_pprof, "parca": read_parca}
profiles = [readers[style](open(path, "rb").read())
            for path in sorted(glob.glob(folder + "/*.body"))]
heads = [json.load(open(path)) for path in sorted(glob.glob(folder + "/*.json"))]
assert len(profiles) > 2, "only %d profiles" % len(profiles)


def sums(samples):
    found = collections.Counter()
    for sample in samples:
        found[sample.metric] += sample.value
    return found


def check_heads():
    until = 0
    for head in heads:
        url = urllib.parse.urlparse(head["path"])
        if style == "pyroscope":
            query = {k: v[0] for k, v in urllib.parse.parse_qs(url.query).items()}
            assert url.path == "/ingest" and query["format"] == "pprof", query
            assert re.fullmatch(r"memprof\{host=.+\}", query["name"]), query
            assert int(query["from"]) <= int(query["until"])
            # one begins where the one before ended
            assert until in (0, int(query["from"])), query
            until = int(query["until"])
        elif style == "parca":
            assert url.path == "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
            assert head["headers"]["Content-Type"] == "application/grpc-web+proto"
        else:
            assert url.path == "/v1development/profiles"
            assert head["headers"]["Content-Type"] == "application/x-protobuf"
            assert head["headers"]["Content-Encoding"] == "gzip"


def check_labels(sample):
    if style == "otlp":
        assert sample.labels["process.executable.name"] == comm, sample
        assert sample.resource["process.linux.cgroup"] == cgroup, sample
        assert sample.resource["systemd.unit"] == "web.service", sample
        assert sample.resource["service.name"] == "web", sample
        assert sample.resource["host.name"] == os.uname().nodename
    else:
        assert sample.labels == {"comm": comm, "cgroup": cgroup,
                                 "unit": "web.service"}, sample
    if style == "parca":
        assert sample.resource == {"__name__": "memprof",
                                   "node": os.uname().nodename}, sample


out = subprocess.run(["memprofctl", "report", "-i", recording, "--json"], check=True,
                     stdout=subprocess.PIPE).stdout
totals = read(out.splitlines())[-1]["totals"]
check_heads()
for profile in profiles:
    for sample in profile:
        check_labels(sample)
for metric in FLOWS + LEVELS:
    # the recording of a session has the processes' own numbers
    found = sum(sums(profile)[metric] for profile in profiles) if metric in FLOWS \
        else sums(profiles[-1])[metric]
    assert found == totals[metric] and found, "%s: %d in %d profiles, and the report has %d" % (
        metric, found, len(profiles), totals[metric])
    print("# %s %d" % (metric, found))
assert any("keep_it" in sample.stack for profile in profiles for sample in profile)
