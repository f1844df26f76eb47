# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sampler's statistics."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MemProfStats:
    """Statistics since the start.

    total_samples, live_samples, freed_samples: sampled allocations, those of them that
    are in use, and those that were freed.
    unique_stacks: different stacks of them.
    estimated_heap_bytes: bytes in use: an unbiased estimate.
    heap_map_load_percent: how full the table of blocks in use is, from 0 to 100.
    collisions: how often a search in that table met another block.
    sampling_rate_bytes: mean bytes between samples; 0 before the first start.
    """

    total_samples: int
    live_samples: int
    freed_samples: int
    unique_stacks: int
    estimated_heap_bytes: int
    heap_map_load_percent: float
    collisions: int
    sampling_rate_bytes: int
