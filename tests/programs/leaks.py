# SPDX-License-Identifier: GPL-2.0-only
"""usage: leaks.py KIND [traced|memray|waits]

Leaks some megabytes in one way. The lines that leak have the comment "KIND leaks".
With traced, it prints what tracemalloc says: "LINE BYTES" for each line of this file, and
"total BYTES"; with memray, what memray says. With waits, it waits for a line of input before and after the leak, and
prints a line when it waits. Then it kills itself, so that everything stays as it is.
tests/package imports it.
"""
import os
import signal
import sys

kept = []


def a_list():
    for i in range(60000):
        kept.append('entry %d of a list that grows' % i)  # list leaks


def lookup(cache, key):
    if key not in cache:
        cache[key] = [key]  # cache leaks
    return cache[key]


def a_cache():
    cache = {}
    kept.append(cache)
    for key in range(60000):
        lookup(cache, key)


def work(number):
    own = []
    kept.append(own)
    for i in range(15000):
        own.append((number, i, 'x'))  # threads leaks


def threads():
    import threading
    some = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in some:
        thread.start()
    for thread in some:
        thread.join()


async def one(number):
    import asyncio
    await asyncio.sleep(0)
    kept.append(b'%d' % number * 50)  # tasks leaks


async def many():
    import asyncio
    for step in range(100):
        await asyncio.gather(*(one(n) for n in range(200)))


def tasks():
    import asyncio
    asyncio.run(many())


def numbers(count):
    for i in range(count):
        yield [i]  # generator leaks


def generator():
    kept.extend(numbers(60000))


def comprehension():
    kept.append([str(i) * 20 for i in range(40000)])  # comprehension leaks


class Buffer:
    def __init__(self, size):
        self.data = bytearray(size)  # buffers leaks


def buffers():
    for i in range(2000):
        kept.append(Buffer(5000))


def resized():
    for i in range(10000):
        text = bytearray(40)
        text.extend(b'y' * 600)  # resized leaks
        kept.append(text)
        small = list(range(200))
        del small[20:]
        kept.append(small)


def extension():
    import leaking_extension
    for i in range(2000):
        leaking_extension.leak(3000)  # extension leaks


def numpy():
    import numpy as module
    for i in range(500):
        kept.append(module.arange(2000))  # numpy leaks


KINDS = {'list': a_list, 'cache': a_cache, 'threads': threads, 'tasks': tasks,
         'generator': generator, 'comprehension': comprehension, 'buffers': buffers,
         'resized': resized, 'extension': extension, 'numpy': numpy}


def pause():
    print('waits', flush=True)
    sys.stdin.readline()


def trace(leak):
    import tracemalloc
    tracemalloc.start()
    leak()
    snapshot = tracemalloc.take_snapshot()
    own = [tracemalloc.Filter(True, __file__)]
    for line in snapshot.filter_traces(own).statistics('lineno'):
        print(line.traceback[0].lineno, line.size)
    print('total', sum(trace.size for trace in snapshot.traces))


def trace_by_memray(leak):
    import collections
    import memray
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/memray'
        with memray.Tracker(path, trace_python_allocators=True):
            leak()
        lines, total = collections.Counter(), 0
        for some in memray.FileReader(path).get_leaked_allocation_records():
            total += some.size
            for _, file, line in some.stack_trace(max_stacks=1):
                if file == __file__:
                    lines[line] += some.size
    for line, size in lines.most_common():
        print(line, size)
    print('total', total)


def main(kind, how=''):
    if how == 'traced':
        return trace(KINDS[kind])
    if how == 'memray':
        return trace_by_memray(KINDS[kind])
    if how == 'waits':
        pause()
    KINDS[kind]()
    if how == 'waits':
        pause()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == '__main__':
    main(*sys.argv[1:])
