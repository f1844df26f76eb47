# SPDX-License-Identifier: GPL-2.0-only
"""A snapshot's samples are the blocks that are in use, with their numbers and stacks."""
import gc
import time

import memprof

gc.collect()
kept = []


class Store:
    def put(self, size):
        kept.append(bytearray(size))  # here


def fill(size):
    Store().put(size)


before_ns = time.monotonic_ns()
memprof.start(sampling_rate=1)
fill(100000)
gc.collect()
gc.collect()
# the clock of blocks is up to 10 ms late
time.sleep(0.02)
fill(200000)
fill(1 << 25)
snapshot = memprof.snapshot()
after_ns = time.monotonic_ns()
memprof.stop()

by_size = {one.size: one for one in snapshot.samples}
first, second, large = (by_size[size] for size in (100001, 200001, (1 << 25) + 1))
# 2^25 bytes do not fit into the packed numbers of the library's table
assert large.weight == large.estimated_bytes == large.size
assert second.gc_epoch == first.gc_epoch + 2
for one in snapshot.samples:
    assert one.size > 0 and one.weight == one.estimated_bytes > 0
    assert one.lifetime_ns is None
    assert before_ns - 10000000 <= one.timestamp_ns <= after_ns
names = [frame.function for frame in first.stack if frame.is_python]
assert names == ["Store.put", "fill", "<module>"], names
here = next(n for n, line in enumerate(open(__file__), 1) if line.endswith("# here\n"))
place = next(frame for frame in first.stack if frame.is_python)
assert (place.file, place.line) == (__file__, here), place
assert first.stack[-1].function == "_start" and not first.stack[-1].is_python
assert any(frame.file.endswith(".so.6") for frame in first.stack)
assert snapshot.live_samples == len(snapshot.samples) <= snapshot.total_samples
assert snapshot.estimated_heap_bytes == sum(one.weight for one in snapshot.samples)
assert snapshot.frame_pointer_health.confidence == "high"
assert before_ns < snapshot.timestamp_ns < after_ns

stats = memprof.stats()
assert stats.total_samples >= stats.live_samples + stats.freed_samples > 0
assert stats.unique_stacks > 1 and stats.sampling_rate_bytes == 1

# blocks of a sampled rate stand for more than themselves
memprof.start(sampling_rate=4096)
many = [bytes(100) + b"%d" % i for i in range(100000)]
snapshot = memprof.snapshot()
is_one = max(snapshot.samples, key=lambda one: one.weight / one.size)
assert is_one.weight > 20 * is_one.size
size = sum(map(lambda one: one.__sizeof__(), many))
top = snapshot.top_allocators(1)[0]
assert abs(top["estimated_bytes"] - size - many.__sizeof__()) < size * 0.05
assert abs(top["estimated_objects"] - len(many)) < len(many) * 0.05
