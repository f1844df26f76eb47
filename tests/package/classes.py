# SPDX-License-Identifier: GPL-2.0-only
"""The classes have their fields in their order, cannot be changed, and refuse numbers that
contradict each other.
"""
import dataclasses

from memprof import (AllocationSample, FramePointerHealth, HeapSnapshot, MemProfStats,
                     StackFrame)

FIELDS = {
    AllocationSample: "address size weight estimated_bytes timestamp_ns lifetime_ns stack "
                      "gc_epoch",
    StackFrame: "address function file line is_python",
    HeapSnapshot: "samples total_samples live_samples estimated_heap_bytes timestamp_ns "
                  "frame_pointer_health",
    FramePointerHealth: "shallow_stack_warnings total_native_stacks avg_native_depth "
                        "min_native_depth truncation_rate",
    MemProfStats: "total_samples live_samples freed_samples unique_stacks "
                  "estimated_heap_bytes heap_map_load_percent collisions "
                  "sampling_rate_bytes",
}


def refuses(make, **change):
    try:
        make(**change)
    except ValueError:
        return
    raise AssertionError("accepted %r" % change)


def sample(**change):
    return AllocationSample(**{**dict(
        address=4096, size=10, weight=20, estimated_bytes=20, timestamp_ns=5,
        lifetime_ns=None, stack=[], gc_epoch=0), **change})


def health(**change):
    return FramePointerHealth(**{**dict(
        shallow_stack_warnings=0, total_native_stacks=100, avg_native_depth=9.0,
        min_native_depth=2, truncation_rate=0.0), **change})


def snapshot(**change):
    return HeapSnapshot(**{**dict(
        samples=[sample(), sample()], total_samples=3, live_samples=2,
        estimated_heap_bytes=40, timestamp_ns=9, frame_pointer_health=health()), **change})


for kind, names in FIELDS.items():
    assert [field.name for field in dataclasses.fields(kind)] == names.split(), kind
for one in sample(), health(), snapshot(), StackFrame(1, "f", "x.py", 2, True), \
        MemProfStats(1, 1, 0, 1, 5, 0.1, 0, 512):
    name = dataclasses.fields(one)[0].name
    try:
        setattr(one, name, 7)
    except dataclasses.FrozenInstanceError:
        continue
    raise AssertionError("%r can be changed" % one)

refuses(sample, size=0)
refuses(sample, weight=0, estimated_bytes=0)
refuses(sample, estimated_bytes=200)
refuses(sample, lifetime_ns=0)
sample(lifetime_ns=1)
refuses(snapshot, total_samples=1)
refuses(snapshot, live_samples=1)
refuses(snapshot, estimated_heap_bytes=41)
# a freed sample is not in use
snapshot(samples=[sample(), sample(), sample(lifetime_ns=8)])
refuses(health, truncation_rate=0.5)
refuses(health, shallow_stack_warnings=101, truncation_rate=1.01)
for shallow, wanted in (0, "high"), (4, "high"), (5, "medium"), (20, "medium"), (21, "low"):
    is_one = health(shallow_stack_warnings=shallow, truncation_rate=shallow / 100)
    assert is_one.confidence == wanted, is_one
empty = FramePointerHealth(0, 0, 0.0, 0, 0.0)
assert empty.confidence == "high"

# the places, the largest first
frames = {name: StackFrame(1, name, "/x/a.py", 3, True) for name in "abc"}
outer = StackFrame(2, "<module>", "/x/a.py", 9, True)
frozen = StackFrame(3, "_load", "<frozen importlib._bootstrap>", 5, True)
native = StackFrame(4, "PyObject_Malloc", "/usr/bin/python3", 0, False)
is_one = snapshot(
    samples=[sample(stack=[native, frames["a"], outer]),
             sample(weight=70, estimated_bytes=70, stack=[native, frozen, frames["b"]]),
             sample(stack=[frames["a"]]), sample(stack=[native, native]), sample()],
    total_samples=9, live_samples=5, estimated_heap_bytes=150)
rows = is_one.top_allocators()
assert [(row["function"], row["estimated_bytes"], row["estimated_objects"], row["samples"])
        for row in rows] == [("b", 70, 7, 1), ("a", 40, 4, 2), ("PyObject_Malloc", 20, 2, 1),
                             ("[no stack]", 20, 2, 1)], rows
assert rows[1]["line"] == 3 and rows[1]["file"] == "/x/a.py" and rows[1]["is_python"]
assert is_one.top_allocators(1) == rows[:1]
assert is_one.top_allocators(0) == []
