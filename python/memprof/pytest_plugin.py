# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Limits of memory for tests, and a list of the tests that need most.

    @pytest.mark.limit_memory("24 MB")   what the test has in use at once, at most
    @pytest.mark.limit_leaks("1 MB")     what a line has in use after the test
    pytest --memprof                     the tests with the highest peaks

Only these tests are sampled, and only their bodies: not their fixtures. Numbers are
estimates; --memprof-rate 1 makes them exact.
"""
from __future__ import annotations

import gc
from dataclasses import dataclass, field
from typing import Any, Dict, Generator, List, Optional

import pytest

from . import _memprof
from .errors import MemProfError
from .sampler import SAMPLER
from .sizes import format_size, parse_size
from .table import place_of

_PLUGIN = "memprof-measure"


@dataclass
class _Measure:
    """What a test needed, in bytes. top: the largest places after it."""

    peak: int
    allocated: int
    top: List[Dict[str, Any]] = field(default_factory=list)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("memprof", "memory of tests")
    group.addoption("--memprof", action="store_true",
                    help="list the tests that need most memory")
    group.addoption("--memprof-top", metavar="N", type=int, default=10,
                    help="how many tests to list (10)")
    group.addoption("--memprof-rate", metavar="BYTES", default="1K",
                    help="mean bytes between samples (1K; 1: each allocation)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "limit_memory(size): fail if the test has more "
                            "memory in use at once, such as '24 MB'")
    config.addinivalue_line("markers", "limit_leaks(size): fail if a line has more memory "
                            "in use after the test, such as '1 MB'")
    try:
        rate = parse_size(config.getoption("--memprof-rate"))
    except ValueError as error:
        raise pytest.UsageError(f"--memprof-rate: {error}") from None
    config.pluginmanager.register(_Plugin(config, rate), _PLUGIN)


def _limit(item: pytest.Item, name: str) -> Optional[int]:
    """The bytes of a marker; None if the test has no such marker."""
    marker = item.get_closest_marker(name)
    if marker is None:
        return None
    if len(marker.args) != 1 or marker.kwargs or not isinstance(marker.args[0], str):
        raise pytest.UsageError(f"{item.nodeid}: {name} takes a size, such as '24 MB'")
    try:
        return parse_size(marker.args[0])
    except ValueError as error:
        raise pytest.UsageError(f"{item.nodeid}: {name}: {error}") from None


class _Plugin:
    def __init__(self, config: pytest.Config, rate: int) -> None:
        self._lists = bool(config.getoption("--memprof"))
        self._nr_listed = int(config.getoption("--memprof-top"))
        self._rate = rate
        self._measures: Dict[str, _Measure] = {}

    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        """Wrong markers end the run before the first test."""
        for item in items:
            _limit(item, "limit_memory")
            _limit(item, "limit_leaks")

    def _is_measured(self, item: pytest.Item) -> bool:
        return (self._lists or item.get_closest_marker("limit_memory") is not None or
                item.get_closest_marker("limit_leaks") is not None)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
        if not self._is_measured(pyfuncitem):
            yield
            return
        try:
            SAMPLER.restart(self._rate)
        except MemProfError as error:
            pytest.fail(f"memory cannot be measured: {error}", pytrace=False)
        outcome = yield
        try:
            self._measures[pyfuncitem.nodeid] = self._finish(pyfuncitem)
        except MemProfError as error:
            if outcome.excinfo is None:
                pytest.fail(f"memory was not measured to the end: {error}", pytrace=False)

    def _finish(self, item: pytest.Item) -> _Measure:
        allocated, peak, _ = _memprof.totals()
        top: List[Dict[str, Any]] = []
        if item.get_closest_marker("limit_leaks") is not None:
            gc.collect()
            top = SAMPLER.snapshot().top_allocators(5)
        elif item.get_closest_marker("limit_memory") is not None:
            top = SAMPLER.snapshot().top_allocators(5)
        SAMPLER.stop()
        return _Measure(peak, allocated, top)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, None]:
        outcome = yield
        report = outcome.get_result()
        measure = self._measures.get(item.nodeid)
        if report.when != "call" or not report.passed or measure is None:
            return
        text = self._complaint(item, measure)
        if text:
            report.outcome = "failed"
            report.longrepr = text

    @staticmethod
    def _complaint(item: pytest.Item, measure: _Measure) -> str:
        """What is above its limit; empty if nothing is."""
        lines: List[str] = []
        most = _limit(item, "limit_memory")
        if most is not None and measure.peak > most:
            lines.append(f"The test had {format_size(measure.peak)} in use at once, "
                         f"more than its limit of {format_size(most)}.")
        most = _limit(item, "limit_leaks")
        leaks = [row for row in measure.top
                 if most is not None and row["estimated_bytes"] > most]
        if most is not None and leaks:
            lines.append(f"After the test, {len(leaks)} places have more in use than the "
                         f"limit of {format_size(most)}.")
        if lines:
            lines += [f"{format_size(row['estimated_bytes']):>8}  {place_of(row)}"
                      for row in leaks or measure.top]
        return "\n".join(lines)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._lists or not self._measures:
            return
        terminalreporter.section("memory of tests")
        terminalreporter.write_line(f"{'PEAK':>8}  {'ALLOCATED':>9}  TEST")
        largest = sorted(self._measures.items(), key=lambda one: -one[1].peak)
        for name, measure in largest[:max(self._nr_listed, 0)]:
            terminalreporter.write_line(f"{format_size(measure.peak):>8}  "
                                        f"{format_size(measure.allocated):>9}  {name}")
