# SPDX-License-Identifier: LGPL-2.1-or-later
"""The file format of pprof: profile.proto of github.com/google/pprof, in gzip."""
from __future__ import annotations

import gzip
import time
from typing import Dict, List, Tuple

from ..sample import StackFrame
from ..snapshot import HeapSnapshot
from .protobuf import bytes_field, number_field, packed_field
from .stacks import place, sum_by_stack

# Fields of Profile, and of the messages in it
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_TIME_NANOS, _DEFAULT_SAMPLE_TYPE = 9, 14


class _Strings:
    def __init__(self) -> None:
        self._numbers: Dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def encode(self) -> bytes:
        return b"".join(bytes_field(_STRING, text.encode("utf-8", "replace"))
                        for text in self._numbers)


class _Locations:
    """Locations, and a function for each name and file. Numbers begin with 1.

    Python is a mapping, and each library is one.
    """

    def __init__(self, strings: _Strings) -> None:
        self._strings = strings
        self._numbers: Dict[Tuple[str, str, int], int] = {}
        self._functions: Dict[Tuple[str, str], int] = {}
        self._mappings: Dict[str, int] = {}
        self.encoded: List[bytes] = []

    def number(self, frame: StackFrame) -> int:
        known = self._numbers.get(place(frame))
        if known is None:
            known = self._numbers[place(frame)] = len(self._numbers) + 1
            line = number_field(1, self._function(frame)) + number_field(2, frame.line)
            self.encoded.append(bytes_field(_LOCATION, number_field(1, known) +
                                            number_field(2, self._mapping(frame)) +
                                            bytes_field(4, line)))
        return known

    def _mapping(self, frame: StackFrame) -> int:
        file = "[python]" if frame.is_python else frame.file
        known = self._mappings.get(file) if file else 0
        if known is None:
            known = self._mappings[file] = len(self._mappings) + 1
            # 7: it has names of functions
            self.encoded.append(bytes_field(_MAPPING, number_field(1, known) +
                                            number_field(5, self._strings.number(file)) +
                                            number_field(7, 1)))
        return known

    def _function(self, frame: StackFrame) -> int:
        key = frame.function, frame.file
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = len(self._functions) + 1
            name = self._strings.number(frame.function)
            self.encoded.append(bytes_field(_FUNCTION, number_field(1, known) +
                                            number_field(2, name) + number_field(3, name) +
                                            number_field(4, self._strings.number(frame.file))))
        return known


def _real_time_ns(monotonic_ns: int) -> int:
    return max(time.time_ns() - time.monotonic_ns() + monotonic_ns, 0)


def write_pprof(snapshot: HeapSnapshot) -> bytes:
    """Returns the file, with inuse_objects and inuse_space."""
    strings = _Strings()
    locations = _Locations(strings)
    space = strings.number("inuse_space")
    parts = [
        bytes_field(_SAMPLE_TYPE, number_field(1, strings.number(kind)) +
                    number_field(2, strings.number(unit)))
        for kind, unit in (("inuse_objects", "count"), ("inuse_space", "bytes"))
    ]
    for total in sum_by_stack(snapshot):
        stack = [locations.number(frame) for frame in reversed(total.frames)]
        parts.append(bytes_field(_SAMPLE, packed_field(1, stack) +
                                 packed_field(2, (round(total.objects), total.bytes))))
    parts += locations.encoded
    parts.append(strings.encode())
    parts.append(number_field(_TIME_NANOS, _real_time_ns(snapshot.timestamp_ns)))
    parts.append(number_field(_DEFAULT_SAMPLE_TYPE, space))
    return gzip.compress(b"".join(parts), mtime=0)
