# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encodes fields of protobuf messages."""
from __future__ import annotations

from typing import Iterable


def varint(number: int) -> bytes:
    """Encodes a number from 0 to 2^64 - 1, seven bits in a byte, the lowest first."""
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(field: int, number: int) -> bytes:
    """Encodes a field with a number; 0 is left out, as protobuf does."""
    return varint(field << 3) + varint(number) if number else b""


def bytes_field(field: int, data: bytes) -> bytes:
    """Encodes a field with a text or a message."""
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed_field(field: int, numbers: Iterable[int]) -> bytes:
    """Encodes a field with a list of numbers."""
    return bytes_field(field, b"".join(map(varint, numbers)))
