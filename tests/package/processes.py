# SPDX-License-Identifier: GPL-2.0-only
"""usage: processes.py KIND

Sampling goes on in children by fork, with threads, in subinterpreters, and until the
interpreter has ended.
"""
import asyncio
import atexit
import os
import sys
import threading

import memprof

kept = []


def put(size):
    kept.append(bytearray(size))


def in_child(function):
    """Runs it in a child by fork; returns its exit status."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def fork():
    memprof.start(sampling_rate=1)
    put(300000)

    def child():
        # the blocks of the parent are the parent's
        assert memprof.snapshot().estimated_heap_bytes < 100000
        put(500000)
        snapshot = memprof.snapshot()
        assert 500000 <= snapshot.estimated_heap_bytes < 600000, snapshot
        assert snapshot.top_allocators(1)[0]["function"] == "put"
        kept.pop(0)
        memprof.stop()
        memprof.start(sampling_rate=2)
        put(500000)
        assert memprof.snapshot().estimated_heap_bytes >= 500000
        assert in_child(memprof.shutdown) == 0
        memprof.shutdown()

    assert in_child(child) == 0
    snapshot = memprof.snapshot()
    assert 300000 <= snapshot.estimated_heap_bytes < 400000, snapshot
    memprof.stop()
    # a child of a stopped one, and one that begins by itself
    assert in_child(lambda: memprof.start()) == 0


def fork_in_threads():
    """Forks while other threads start, stop and take snapshots."""
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            try:
                memprof.stop()
                memprof.start()
                memprof.snapshot()
            except memprof.MemProfError:
                pass

    memprof.start(sampling_rate=4096)
    threads = [threading.Thread(target=work) for i in range(3)]
    for thread in threads:
        thread.start()

    def child():
        try:
            memprof.stop()
        except memprof.NotRunningError:
            pass
        memprof.start()
        put(1 << 20)
        assert memprof.snapshot().estimated_heap_bytes > 1 << 19
        memprof.stop()

    try:
        assert [in_child(child) for i in range(10)] == [0] * 10
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def threads():
    """Snapshots are taken while threads allocate and free."""
    is_over = threading.Event()

    def work(number):
        own = []
        while not is_over.is_set():
            own.append(b"%d" % number * 40)
            if len(own) > 500:
                del own[::2]

    memprof.start(sampling_rate=256)
    some = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in some:
        thread.start()
    try:
        for i in range(10):
            snapshot = memprof.snapshot()
            assert snapshot.live_samples == len(snapshot.samples)
    finally:
        is_over.set()
        for thread in some:
            thread.join()
    assert any(row["function"] == "threads.<locals>.work"
               for row in snapshot.top_allocators(20)), snapshot.top_allocators()
    memprof.shutdown()


def tasks():
    async def one(name):
        await asyncio.sleep(0)
        kept.append(bytes(400) + name)
        return memprof.snapshot()

    async def all_of_them():
        return await asyncio.gather(*(one(b"%d" % n) for n in range(20)))

    with memprof.profile(sampling_rate=1) as profile:
        asyncio.run(all_of_them())
    row = next(row for row in profile.snapshot().top_allocators(40)
               if row["function"] == "tasks.<locals>.one")
    assert row["estimated_bytes"] > 20 * 400


def subinterpreters():
    """Each has the package; they share the library, and the first one's sampler."""
    import _testcapi
    code = ("import memprof, sys\n"
            "sys.path[:] = %r\n" % sys.path)
    joins = code + (
        "memprof.start()\n"
        "kept = [bytearray(250000) for i in range(4)]\n"
        "snapshot = memprof.snapshot()\n"
        "assert memprof.stats().sampling_rate_bytes == 512\n"
        "row = next(r for r in snapshot.top_allocators(9) if r['file'] == '<string>')\n"
        "assert row['estimated_bytes'] >= 1000000, row\n"
        "memprof.stop()\n"
        "memprof.shutdown()\n")
    memprof.start(sampling_rate=512)
    put(300000)
    for i in range(2):
        assert _testcapi.run_in_subinterp(joins) == 0
    # it left the sampler as it was
    put(300000)
    assert memprof.snapshot().estimated_heap_bytes >= 600000
    memprof.shutdown()
    assert _testcapi.run_in_subinterp(code + (
        "try:\n"
        "    memprof.start()\n"
        "except memprof.TerminatedError:\n"
        "    pass\n"
        "else:\n"
        "    raise AssertionError\n")) == 0


def own_gil():
    """An interpreter with a lock of its own runs beside the first one."""
    import _interpreters
    number = _interpreters.create("isolated")
    code = ("import sys\n"
            "sys.path[:] = %r\n"
            "import memprof\n"
            "memprof.start()\n"
            "for i in range(20):\n"
            "    kept = [bytearray(2500) for i in range(400)]\n"
            "    snapshot = memprof.snapshot()\n"
            "memprof.stop()\n" % sys.path)
    memprof.start(sampling_rate=4096)
    failed = []
    thread = threading.Thread(
        target=lambda: failed.append(_interpreters.exec(number, code)))
    thread.start()
    while thread.is_alive():
        put(5000)
        memprof.snapshot()
    thread.join()
    assert failed == [None], failed
    memprof.shutdown()


def at_exit():
    """The interpreter ends while threads allocate and the sampler runs."""
    def work():
        while True:
            kept.append(bytearray(600))
            del kept[:-100]

    def last():
        kept.append(memprof.snapshot())
        assert kept[-1].live_samples

    atexit.register(last)
    memprof.start(sampling_rate=1)
    for i in range(3):
        threading.Thread(target=work, daemon=True).start()
    put(100000)


globals()[sys.argv[1]]()
print("done")
