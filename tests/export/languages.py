#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: languages.py RECORDING BEGIN LANGUAGE

Each function whose name begins with BEGIN has the language in exports of the recording for
pprof, for speedscope and as a page, and no other function has it.
"""
import gzip
import json
import re
import subprocess
import sys

from profiles import decode, one

recording, begin, language = sys.argv[1:]


def read(name):
    return subprocess.run(["memprofctl", "export", "-q", "-i", recording, "--format", name],
                          stdout=subprocess.PIPE, check=True).stdout


def of_pprof():
    profile = decode("pprof.proto", "pprof.Profile", gzip.decompress(read("pprof")))
    string = [text.decode() for text in profile["string_table"]]
    names = {one(f, "id"): string[one(f, "name")] for f in profile["function"]}
    files = {one(m, "id"): string[one(m, "filename")] for m in profile["mapping"]}
    for location in profile["location"]:
        file = files.get(one(location, "mapping_id"), "")
        assert not file.startswith("[") or not one(location, "address")
        for line in location["line"]:
            yield names[one(line, "function_id")], file == "[%s]" % language.lower()


def of_speedscope():
    for frame in json.loads(read("speedscope"))["shared"]["frames"]:
        known = frame.get("language")
        # processes and "[truncated]" are no functions
        assert known in (None, "native", "kernel", language.lower()), frame
        yield frame["name"], known == language.lower()


def of_html():
    page = read("html").decode()
    flame = page[page.index('"flame":{'):]
    numbers = json.loads(re.search(r'"frames":(\[[^]]*\])', flame)[1])
    texts, _ = json.JSONDecoder().raw_decode(flame, flame.index('"texts":') + len('"texts":'))
    for i in range(0, len(numbers), 4):
        yield texts[numbers[i]], texts[numbers[i + 3]] == language


for name, functions in ("pprof", of_pprof), ("speedscope", of_speedscope), ("html", of_html):
    found = list(functions())
    wrong = [function for function, has in found if has != function.startswith(begin)]
    assert not wrong, (name, wrong[:5])
    nr = sum(has for _, has in found)
    assert 0 < nr < len(found), (name, nr, len(found))
    print("# %s: %d of %d functions are %s" % (name, nr, len(found), language))
