# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tree of a flame graph."""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from ..sample import StackFrame
from ..snapshot import HeapSnapshot
from .stacks import place, sum_by_stack


class Node:
    """A frame under its callers. bytes: of it and of what it calls."""

    __slots__ = ("frame", "bytes", "_callees")

    def __init__(self, frame: Optional[StackFrame]) -> None:
        self.frame = frame
        self.bytes = 0
        self._callees: Dict[Tuple[str, str, int], "Node"] = {}

    def callee(self, frame: StackFrame) -> "Node":
        """Returns the node of a frame that this one calls."""
        node = self._callees.get(place(frame))
        if node is None:
            node = self._callees[place(frame)] = Node(frame)
        return node

    def callees(self) -> List["Node"]:
        """Returns the nodes below, the largest first."""
        return sorted(self._callees.values(), key=lambda node: -node.bytes)

    def without_start(self) -> "Node":
        """Returns a root without the native frames with which each stack begins."""
        node = self
        while True:
            callees = node.callees()
            frame = callees[0].frame if callees else None
            if len(callees) != 1 or callees[0].bytes != self.bytes or not frame or \
                    frame.is_python:
                break
            node = callees[0]
        root = Node(None)
        root.bytes = self.bytes
        root._callees = node._callees
        return root


def make_tree(snapshot: HeapSnapshot) -> Node:
    """Returns the root, which has no frame and all bytes."""
    root = Node(None)
    for total in sum_by_stack(snapshot):
        node = root
        node.bytes += total.bytes
        for frame in total.frames:
            node = node.callee(frame)
            node.bytes += total.bytes
    return root
