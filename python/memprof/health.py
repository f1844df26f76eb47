# SPDX-License-Identifier: LGPL-2.1-or-later
"""How complete the stacks are."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FramePointerHealth:
    """Metrics for the quality of native stacks.

    shallow_stack_warnings: stacks whose walk ended before the outermost caller.
    total_native_stacks: stacks that were walked.
    avg_native_depth, min_native_depth: frames in a stack.
    truncation_rate: shallow_stack_warnings / total_native_stacks, from 0 to 1.
    """

    shallow_stack_warnings: int
    total_native_stacks: int
    avg_native_depth: float
    min_native_depth: int
    truncation_rate: float

    def __post_init__(self) -> None:
        if not 0 <= self.shallow_stack_warnings <= self.total_native_stacks:
            raise ValueError("shallow_stack_warnings is not from 0 to total_native_stacks")
        rate = self.shallow_stack_warnings / (self.total_native_stacks or 1)
        if abs(self.truncation_rate - rate) > 1e-9:
            raise ValueError("truncation_rate is not that of the stacks")

    @property
    def confidence(self) -> str:
        """'high' (below 5 % shallow stacks), 'medium' (5 to 20 %) or 'low'."""
        if self.truncation_rate < 0.05:
            return "high"
        return "medium" if self.truncation_rate <= 0.20 else "low"
