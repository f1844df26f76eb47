# SPDX-License-Identifier: LGPL-2.1-or-later
"""A part of a program that is sampled."""
from __future__ import annotations

from types import TracebackType
from typing import Optional, Type

from .errors import AlreadyRunningError, NotRunningError
from .sampler import SAMPLER
from .snapshot import HeapSnapshot


class Profile:
    """Samples the body of a with statement, in all threads.

    If the sampler runs already, it goes on after the body, and sampling_rate has to be
    None or the one in use; so profiles can be nested.
    """

    def __init__(self, sampling_rate: Optional[int] = None) -> None:
        self._sampling_rate = sampling_rate
        self._first: Optional[int] = None
        self._has_started = False
        self._last: Optional[HeapSnapshot] = None

    def __enter__(self) -> "Profile":
        if not SAMPLER.is_running:
            SAMPLER.start(self._sampling_rate)
            self._has_started = True
        elif self._sampling_rate not in (None, SAMPLER.stats().sampling_rate_bytes):
            raise AlreadyRunningError("the sampler runs already, at another sampling_rate")
        self._last = None
        self._first = SAMPLER.sequence()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]],
                 error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._last = self.snapshot()
        if self._has_started and SAMPLER.is_running:
            SAMPLER.stop()
        self._has_started = False

    def snapshot(self) -> HeapSnapshot:
        """Returns the blocks that the body allocated and has in use: now, or after the
        body at its end. Raises NotRunningError before the body.
        """
        if self._last is not None:
            return self._last
        if self._first is None:
            raise NotRunningError("the profile has not begun: use it in a with statement")
        return SAMPLER.snapshot(after=self._first)


def profile(sampling_rate: Optional[int] = None) -> Profile:
    """Returns a Profile for a with statement; sampling_rate is that of start()."""
    return Profile(sampling_rate)
