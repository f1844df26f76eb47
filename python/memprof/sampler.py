# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The sampler of this process: start(), stop(), snapshot(), stats(), mark(), shutdown().

There is one libmemprof in a process. If LD_PRELOAD, memprofctl inject or another
interpreter has started it before, it is shared: start() joins it, stop() and shutdown()
leave it, and it goes on for those who started it.
"""
from __future__ import annotations

import errno
import os
import threading
from typing import Optional

from . import _memprof
from .errors import (AlreadyRunningError, MemProfError, NotRunningError, TerminatedError,
                     UnsupportedError)
from .exclusion import not_sampled
from .gc_epochs import GcEpochs
from .library import open_library
from .reading import read_snapshot, read_stats
from .snapshot import HeapSnapshot
from .stats import MemProfStats

DEFAULT_SAMPLING_RATE = 512 * 1024
MAX_SAMPLING_RATE = 1 << 35

# States of the library: MemProfState in memprof.h
UNINITIALIZED, INITIALIZED, ACTIVE, STOPPED, TERMINATED = range(5)


def check_rate(rate: Optional[int]) -> Optional[int]:
    """Returns the rate. Raises TypeError and ValueError."""
    if rate is None:
        return None
    if isinstance(rate, bool) or not isinstance(rate, int):
        raise TypeError("sampling_rate is not a whole number of bytes")
    if not 1 <= rate <= MAX_SAMPLING_RATE:
        raise ValueError(f"sampling_rate must be a number from 1 to {MAX_SAMPLING_RATE} of bytes")
    return rate


class Sampler:
    """What this interpreter knows about the library's sampler."""

    def __init__(self) -> None:
        self._state = UNINITIALIZED
        self._is_shared = False
        self._epochs = GcEpochs()
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether start() was called, and stop() was not called after it."""
        return self._state == ACTIVE

    @property
    def is_shared(self) -> bool:
        """Whether something else has started the sampler."""
        return self._is_shared

    def start(self, sampling_rate: Optional[int]) -> None:
        rate = check_rate(sampling_rate)
        with self._lock:
            if self._state == TERMINATED:
                raise TerminatedError("shutdown() is final: start a new process to sample")
            if self._state == ACTIVE:
                raise AlreadyRunningError("the sampler runs already: call stop() first")
            open_library()
            self._begin(rate)
            self._state = ACTIVE

    def _begin(self, rate: Optional[int]) -> None:
        state = _memprof.state()
        if state == TERMINATED:
            raise TerminatedError("memprof_shutdown() was called: it is final")
        is_own = self._state == STOPPED and not self._is_shared
        if state == STOPPED and is_own and rate in (None, read_stats()[0].sampling_rate_bytes):
            self._go_on()
        elif state in (ACTIVE, STOPPED) and not is_own:
            self._join(rate)
        else:
            self._attach(rate)

    def _go_on(self) -> None:
        error = _memprof.start()
        if error:
            raise MemProfError(f"the sampler cannot go on: {os.strerror(-error)}")

    def _join(self, rate: Optional[int]) -> None:
        is_rate = read_stats()[0].sampling_rate_bytes
        if rate not in (None, is_rate):
            raise MemProfError(
                f"this process is sampled already, every {is_rate} bytes: "
                "call start() without sampling_rate")
        self._is_shared = True
        self._epochs.begin()

    def _attach(self, rate: Optional[int]) -> None:
        """Begins with empty tables."""
        if _memprof.state() in (ACTIVE, STOPPED):
            _memprof.detach()
        error = _memprof.attach(rate or DEFAULT_SAMPLING_RATE)
        if error == -errno.ENOSYS:
            raise UnsupportedError("this process has no allocator that can be followed")
        if error:
            raise MemProfError(f"the sampler cannot begin: {os.strerror(-error)}")
        self._is_shared = False
        self._epochs.begin()

    def restart(self, sampling_rate: int) -> None:
        """Begins again, with empty tables. Raises MemProfError if others sample."""
        rate = check_rate(sampling_rate)
        with self._lock:
            if self._state == TERMINATED:
                raise TerminatedError("shutdown() is final: start a new process to sample")
            open_library()
            is_own = self._state in (ACTIVE, STOPPED) and not self._is_shared
            if not is_own and _memprof.state() in (ACTIVE, STOPPED, TERMINATED):
                raise MemProfError("this process is sampled by LD_PRELOAD or memprofctl "
                                   "already")
            self._attach(rate)
            self._state = ACTIVE

    def stop(self) -> None:
        with self._lock:
            self._need(ACTIVE)
            if not self._is_shared and _memprof.stop():
                self._state = STOPPED
                raise NotRunningError("something else has stopped the sampler before")
            self._state = STOPPED

    def _need(self, *states: int) -> None:
        if self._state == TERMINATED:
            raise TerminatedError("shutdown() was called before")
        if self._state not in states:
            raise NotRunningError("the sampler does not run: call start() first")

    def mark(self) -> None:
        self._need(ACTIVE, STOPPED)
        error = _memprof.mark()
        if error:
            raise MemProfError(f"no mark can be set: {os.strerror(-error)}")

    def sequence(self) -> int:
        """Returns the number of the last sampled block."""
        self._need(ACTIVE, STOPPED)
        number: int = _memprof.sequence()
        return number

    def snapshot(self, since_mark: bool = False, after: int = 0) -> HeapSnapshot:
        self._need(ACTIVE, STOPPED)
        with not_sampled():
            since_ns = _memprof.totals()[2] if since_mark else 0
            if since_mark and not since_ns:
                raise MemProfError("there is no mark: call mark() first")
            return read_snapshot(after, since_ns, self._epochs.at)

    def stats(self) -> MemProfStats:
        open_library()
        with not_sampled():
            return read_stats()[0]

    def shutdown(self) -> None:
        with self._lock:
            if self._state in (ACTIVE, STOPPED) and not self._is_shared:
                _memprof.detach()
                _memprof.shutdown()
            self._epochs.end()
            self._state = TERMINATED


SAMPLER = Sampler()


def start(sampling_rate: Optional[int] = None) -> None:
    """Samples allocations from now on. Blocks that are older are unknown.

    sampling_rate: mean bytes between samples, 512 KiB by default; 1: each allocation.
    After stop(), start() goes on with what was sampled before; with another rate, it
    begins with empty tables. Costs a nanosecond for each allocation, and one or two
    microseconds for a sample.

    Raises AlreadyRunningError, TerminatedError after shutdown(), UnsupportedError, and
    MemProfError if the process is sampled already at another rate.
    """
    SAMPLER.start(sampling_rate)


def stop() -> None:
    """Samples no more allocations. Frees are still followed, so a later snapshot() has
    what is in use then. Raises NotRunningError, TerminatedError.
    """
    SAMPLER.stop()


def snapshot(since_mark: bool = False) -> HeapSnapshot:
    """Returns the sampled blocks in use; with since_mark those of after the last mark().

    Raises NotRunningError before the first start(), TerminatedError, and MemProfError if
    there is no mark. Costs about two microseconds for each block.
    """
    return SAMPLER.snapshot(since_mark)


def stats() -> MemProfStats:
    """Returns statistics; zeros before the first start(). Raises UnsupportedError."""
    return SAMPLER.stats()


def mark() -> None:
    """Sets a mark for snapshot(since_mark=True), and for memprofctl snapshot --since-mark.

    Raises NotRunningError, TerminatedError.
    """
    SAMPLER.mark()


def shutdown() -> None:
    """Ends the sampler for good. The interpreter gets its allocators back. It can be
    called at any time, and again.
    """
    SAMPLER.shutdown()
