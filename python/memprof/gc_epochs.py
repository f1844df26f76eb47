# SPDX-License-Identifier: LGPL-2.1-or-later
"""When the garbage collector made its full collections."""
from __future__ import annotations

import bisect
import gc
import time
from typing import Any, Dict, List

# Collections that are kept: 64 KiB of memory. Of older ones the number is kept.
LIMIT = 8192


class GcEpochs:
    """Counts full collections from begin() to end(), with their times."""

    def __init__(self) -> None:
        self._times: List[int] = []
        self._nr_dropped = 0

    def begin(self) -> None:
        """Forgets the collections so far and counts from now on."""
        self.end()
        self._times.clear()
        self._nr_dropped = 0
        gc.callbacks.append(self._note)

    def end(self) -> None:
        """Counts no more."""
        if self._note in gc.callbacks:
            gc.callbacks.remove(self._note)

    def _note(self, phase: str, info: Dict[str, Any]) -> None:
        if phase != "stop" or info["generation"] != 2:
            return
        self._times.append(time.monotonic_ns())
        if len(self._times) > LIMIT:
            del self._times[:LIMIT // 2]
            self._nr_dropped += LIMIT // 2

    def at(self, timestamp_ns: int) -> int:
        """Returns the number of collections before a time of time.monotonic_ns()."""
        return self._nr_dropped + bisect.bisect_left(self._times, timestamp_ns)
