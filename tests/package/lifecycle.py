# SPDX-License-Identifier: GPL-2.0-only
"""The states of the sampler, and the error of each call that a state does not permit."""
import memprof


def fails(error, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except error as is_raised:
        assert str(is_raised), "without a sentence"
        assert "\n" not in str(is_raised)
        return
    raise AssertionError("%s did not raise %s" % (function.__name__, error.__name__))


def enter(profile):
    with profile:
        pass


kept = []
for error in (memprof.AlreadyRunningError, memprof.NotRunningError,
              memprof.TerminatedError, memprof.UnsupportedError):
    assert issubclass(error, memprof.MemProfError)

# not started
fails(memprof.NotRunningError, memprof.stop)
fails(memprof.NotRunningError, memprof.snapshot)
fails(memprof.NotRunningError, memprof.mark)
fails(memprof.NotRunningError, memprof.profile().snapshot)
assert memprof.stats().total_samples == 0
for rate in 0, -1, 2 ** 36:
    fails(ValueError, memprof.start, rate)
for rate in 1.5, "1", True:
    fails(TypeError, memprof.start, rate)

# active
memprof.start(sampling_rate=1)
fails(memprof.AlreadyRunningError, memprof.start)
fails(memprof.AlreadyRunningError, enter, memprof.profile(2))
fails(memprof.MemProfError, memprof.snapshot, since_mark=True)
kept.append(bytearray(100000))
assert memprof.snapshot().estimated_heap_bytes >= 100000
memprof.mark()
assert memprof.snapshot(since_mark=True).estimated_heap_bytes < 100000
kept.append(bytearray(200000))
is_since = memprof.snapshot(since_mark=True)
assert 200000 <= is_since.estimated_heap_bytes < 300000, is_since

# stopped: frees are still followed
memprof.stop()
fails(memprof.NotRunningError, memprof.stop)
before = memprof.stats()
kept.append(bytearray(400000))
assert memprof.stats().total_samples == before.total_samples
assert memprof.snapshot().estimated_heap_bytes >= 300000
kept.pop(1)
assert memprof.snapshot().estimated_heap_bytes < 200000
assert memprof.stats().freed_samples > before.freed_samples

# it goes on, with what was there; another rate begins with nothing
memprof.start()
assert memprof.stats().sampling_rate_bytes == 1
assert memprof.snapshot().estimated_heap_bytes >= 100000
memprof.stop()
memprof.start(sampling_rate=4096)
assert memprof.stats().sampling_rate_bytes == 4096
assert memprof.snapshot().estimated_heap_bytes < 100000
memprof.stop()

# a profile has what its body allocated, and stops what it has started
with memprof.profile(sampling_rate=1) as outer:
    kept.append(bytearray(300000))
    with memprof.profile() as inner:
        kept.append(bytearray(500000))
    assert 500000 <= inner.snapshot().estimated_heap_bytes < 550000
    kept.append(bytearray(700000))
assert 500000 <= inner.snapshot().estimated_heap_bytes < 550000
assert 1500000 <= outer.snapshot().estimated_heap_bytes < 1600000
fails(memprof.NotRunningError, memprof.stop)
try:
    with memprof.profile(1) as raising:
        kept.append(bytearray(300000))
        raise KeyError("passes through")
except KeyError:
    assert raising.snapshot().estimated_heap_bytes >= 300000
fails(memprof.NotRunningError, memprof.stop)

# the package's own memory is not in it
memprof.start(sampling_rate=2)
memprof.stop()
memprof.start(sampling_rate=1)
some = [memprof.snapshot() for i in range(20)]
is_left = memprof.snapshot()
assert is_left.estimated_heap_bytes < 10000, is_left.top_allocators()

# terminated
memprof.shutdown()
memprof.shutdown()
for function in memprof.start, memprof.stop, memprof.snapshot, memprof.mark:
    fails(memprof.TerminatedError, function)
assert memprof.stats().sampling_rate_bytes == 1
