# SPDX-License-Identifier: GPL-2.0-only
"""usage: formats.py FOLDER

What save() writes has the snapshot's bytes, and names with strange characters do no harm.
Leaves heap.json, heap.pb.gz, heap.folded and heap.html in the folder.
"""
import gzip
import html.parser
import json
import os
import sys

import memprof
from memprof.writers import format_of

folder = sys.argv[1]
EVIL = "<script>alert('x')</script>;&\"\n\u202e\x1b[31m \udc80"
kept = []


def put():
    kept.append(bytearray(600000))


def evil():
    kept.append(bytearray(300000))


names = {"co_name": EVIL}
if hasattr(evil.__code__, "co_qualname"):
    names["co_qualname"] = EVIL
evil.__code__ = evil.__code__.replace(co_filename="/tmp/a;b<i> c.py", **names)
with memprof.profile(sampling_rate=1) as profile:
    put()
    evil()
snapshot = profile.snapshot()
total = snapshot.estimated_heap_bytes
assert total > 900000


def path(name):
    return os.path.join(folder, name)


for name in "heap.json", "heap.pb.gz", "heap.folded", "heap.html":
    snapshot.save(path(name), format_of(name))
snapshot.save(path("default"))
assert open(path("default"), "rb").read() == open(path("heap.json"), "rb").read()
for wrong in "heap.svg", "speedscope":
    try:
        format_of(wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
for format, error, name in ("xml", ValueError, "x"), ("html", OSError, "no/such/folder/x"):
    try:
        snapshot.save(path(name), format)
    except error:
        continue
    raise AssertionError(format)

# speedscope
document = json.load(open(path("heap.json")))
profile, = document["profiles"]
assert profile["unit"] == "bytes" and profile["type"] == "sampled"
assert sum(profile["weights"]) == profile["endValue"] == total
frames = document["shared"]["frames"]
largest = max(zip(profile["weights"], profile["samples"]))
assert [frames[i]["name"] for i in largest[1]] == ["<module>", "put"], largest
assert frames[largest[1][1]]["line"] and frames[largest[1][1]]["file"] == __file__
assert {frame["language"] for frame in frames} <= {"python", "native"}
assert frames[largest[1][1]]["language"] == "python"

# folded: a stack and its bytes in each line
lines = open(path("heap.folded"), encoding="utf-8").read().split("\n")
assert lines.pop() == ""
assert sum(int(line.rpartition(" ")[2]) for line in lines) == total
assert lines[0].startswith("<module> formats.py:"), lines[0]
assert lines[0].split(";")[1].startswith("put formats.py:")
is_evil = [line for line in lines if "alert" in line]
assert len(is_evil) == 1 and is_evil[0].count(";") == 1 and "\x1b" not in is_evil[0]

# pprof: a gzip file whose strings have the names
data = gzip.open(path("heap.pb.gz")).read()
assert b"inuse_space" in data and b"put" in data and b"[python]" in data

# html: markup of the names is text, and nothing is loaded
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.titles = []
        self.texts = []

    def handle_starttag(self, tag, attributes):
        assert tag in ("html", "head", "meta", "title", "style", "body", "div", "p",
                       "table", "tr", "th", "td"), tag
        for key, value in attributes:
            assert key in ("lang", "charset", "http-equiv", "content", "style", "title",
                           "class"), key
            assert key != "style" or "url" not in value and "expression" not in value
            if key == "title":
                self.titles.append(value)

    def handle_data(self, text):
        self.texts.append(text)


for text in open(path("heap.html"), encoding="utf-8").read(), snapshot._repr_html_():
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert any(title.startswith("put formats.py:") for title in reader.titles)
    assert any("<script>" in title for title in reader.titles)
    assert not any(c in title for title in reader.titles for c in "\n\x1b\u202e")
assert snapshot._repr_html_() in open(path("heap.html"), encoding="utf-8").read()

# nothing in use
empty = memprof.HeapSnapshot([], 0, 0, 0, 1, memprof.FramePointerHealth(0, 0, 0.0, 0, 0.0))
for format in "speedscope", "pprof", "folded", "html":
    empty.save(path("empty"), format)
assert "0 in use" in empty._repr_html_()
