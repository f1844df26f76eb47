# SPDX-License-Identifier: GPL-2.0-only
"""Reads profiles of OTLP and pprof: protoc decodes them, by the definitions beside this file."""
import ast
import collections
import gzip
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# One sample of one metric. stack: names of functions, innermost first
Sample = collections.namedtuple("Sample", "metric unit value stack labels resource")


def value_of(text):
    if text.startswith('"'):
        # bytes, as protoc escapes them
        return ast.literal_eval("b" + text)
    return {"true": True, "false": False}.get(text) if text[0] in "tf" else int(text)


def decode(schema, message, data):
    """A message as {field: [value, ...]}; fields that the schema lacks are an error."""
    text = subprocess.run(["protoc", "-I", HERE, "--decode=" + message, schema],
                          input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    root = collections.defaultdict(list)
    open_ones = [root]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            open_ones.pop()
            continue
        name, brace, value = re.fullmatch(r"(\w+)(?: (\{)|: (.*))", line).groups()
        assert not name.isdigit(), "unknown field %s of %s" % (name, message)
        if brace:
            inner = collections.defaultdict(list)
            open_ones[-1][name].append(inner)
            open_ones.append(inner)
        else:
            open_ones[-1][name].append(value_of(value))
    return root


def one(message, field, default=0):
    """The value of a field that is there once at most."""
    values = message.get(field, [default])
    assert len(values) == 1, field
    return values[0]


def any_value(value):
    return (one(value, "string_value").decode() if "string_value" in value
            else one(value, "int_value"))


def attributes(pairs):
    found = {one(pair, "key").decode(): any_value(one(pair, "value")) for pair in pairs}
    assert len(found) == len(pairs), "an attribute is there twice"
    return found


class Dictionary:
    """The tables of a request, whose rules are checked."""
    def __init__(self, message):
        for name in ("mapping", "location", "function", "link", "string", "attribute",
                     "stack"):
            table = message[name + "_table"]
            assert table and not table[0], "the first of %s is not empty" % name
            if name == "string":
                table = [text.decode() for text in table]
                assert len(set(table)) == len(table), "a string is there twice"
            setattr(self, name, table)
        # by location: stacks have the same ones again and again
        self.known_names = {}
        for mapping in self.mapping[1:]:
            assert self.string[one(mapping, "filename_strindex")]
            self.labels(mapping)

    def labels(self, message):
        return {self.string[one(self.attribute[i], "key_strindex")]:
                any_value(one(self.attribute[i], "value"))
                for i in message["attribute_indices"]}

    def names(self, location):
        if location not in self.known_names:
            self.known_names[location] = self.read_names(self.location[location])
        return self.known_names[location]

    def read_names(self, location):
        mapping = self.mapping[one(location, "mapping_index")]
        # a language has no addresses
        if mapping and not self.string[one(mapping, "filename_strindex")].startswith("["):
            assert (one(mapping, "memory_start") <= one(location, "address") <
                    one(mapping, "memory_limit"))
        assert location["lines"]
        names = [self.string[one(self.function[one(line, "function_index")],
                                 "name_strindex")] for line in location["lines"]]
        kind = self.labels(location).get("profile.frame.type")
        begins = {"py::": "cpython", "JS:": "v8js", "java::": "jvm"}
        wanted = [begins[begin] for begin in begins if names[0].startswith(begin)]
        if not names[0].startswith("["):
            assert kind in wanted or kind in ("native", "kernel") and not wanted, (names, kind)
        return names

    def frames(self, stack):
        assert stack > 0
        return [name for location in self.stack[stack]["location_indices"]
                for name in self.names(location)]


def read_otlp(data):
    """The samples of a request."""
    request = decode("otlp.proto", "otlp.ExportProfilesServiceRequest", data)
    tables = Dictionary(one(request, "dictionary"))
    ids, samples = set(), []
    for resource in request["resource_profiles"]:
        whose = attributes(one(resource, "resource")["attributes"])
        for scope in resource["scope_profiles"]:
            assert one(one(scope, "scope"), "name") == b"memprof"
            for profile in scope["profiles"]:
                ids.add(one(profile, "profile_id"))
                samples += read_profile(tables, profile, whose)
    assert len(ids) == sum(len(scope["profiles"])
                           for resource in request["resource_profiles"]
                           for scope in resource["scope_profiles"])
    assert all(len(i) == 16 for i in ids)
    return samples


def read_profile(tables, profile, whose):
    kind, seen = one(profile, "sample_type"), set()
    for sample in profile["samples"]:
        stack, = sample["stack_index"]
        key = (stack, tuple(sorted(sample["attribute_indices"])))
        assert key not in seen, "a sample is there twice"
        seen.add(key)
        value, = sample["values"]
        yield Sample(tables.string[one(kind, "type_strindex")],
                     tables.string[one(kind, "unit_strindex")], value,
                     tables.frames(stack), tables.labels(sample), whose)


def read_pprof(data):
    """The samples of a profile, of each of its metrics."""
    profile = decode("pprof.proto", "pprof.Profile", gzip.decompress(data))
    string = [text.decode() for text in profile["string_table"]]
    assert string[0] == ""
    functions = {one(f, "id"): string[one(f, "name")] for f in profile["function"]}
    locations = {one(location, "id"): [functions[one(line, "function_id")]
                                       for line in location["line"]]
                 for location in profile["location"]}
    mappings = {one(mapping, "id") for mapping in profile["mapping"]}
    assert all(one(location, "mapping_id") in mappings | {0}
               for location in profile["location"])
    samples = []
    for sample in profile["sample"]:
        labels = {string[one(label, "key")]: string[one(label, "str")] or one(label, "num")
                  for label in sample["label"]}
        stack = [name for i in sample["location_id"] for name in locations[i]]
        assert len(sample["value"]) == len(profile["sample_type"])
        for kind, value in zip(profile["sample_type"], sample["value"]):
            samples.append(Sample(string[one(kind, "type")], string[one(kind, "unit")],
                                  value, stack, labels, {}))
    return samples


def read_parca(data):
    """The samples of a request by gRPC-Web, and the labels of their series."""
    assert data[0] == 0 and int.from_bytes(data[1:5], "big") == len(data) - 5
    request = decode("pprof.proto", "pprof.WriteRawRequest", data[5:])
    series = one(request, "series")
    labels = {one(label, "name").decode(): one(label, "value").decode()
              for label in one(series, "labels")["labels"]}
    return [sample._replace(resource=labels)
            for sample in read_pprof(one(one(series, "samples"), "raw_profile"))]
