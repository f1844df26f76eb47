# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A flame graph in HTML, for notebooks and as a page.

There is no script in it and nothing is loaded. All text is escaped. Widths are in
percent, so it fits any page. A frame shows its name if there is room, and its line and
bytes when the pointer is on it. Frames narrower than 0.1 % are left out, and chains of
native frames that lead to the program are one line.
"""
from __future__ import annotations

import html
import zlib
from typing import List

from ..sizes import format_size
from ..snapshot import HeapSnapshot
from .stacks import label
from .tree import Node, make_tree

_LEAST_SHARE = 0.001
_ROW_PX = 18
# Width of a character, and of a usual page, for the names that fit
_CHARACTER_PX = 6.6
_PAGE_PX = 1000
_STYLE = ("position:absolute;height:{height}px;left:{left:.3f}%;width:{width:.3f}%;"
          "top:{top}px;background:{colour};overflow:hidden;white-space:nowrap;"
          "box-sizing:border-box;border:1px solid #fff;color:#111;"
          "font:11px/16px monospace;text-align:left")
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>memprof</title>
<style>body{{font:14px sans-serif;margin:1em}}td,th{{padding:0 .7em;text-align:right}}
td:last-child,th:last-child{{text-align:left;font-family:monospace}}</style>
</head><body>{body}{table}</body></html>
"""


def _escape(text: str) -> str:
    """Escapes markup, and characters that no document may have."""
    safe = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return html.escape(safe)


def _colour(node: Node) -> str:
    """Python is warm, native code is grey; a file always has the same colour."""
    frame = node.frame
    if frame is None:
        return "#ddd"
    number = zlib.crc32(frame.file.encode("utf-8", "replace"))
    if frame.is_python:
        return f"hsl({number % 50 + 10},80%,{68 + number // 50 % 10}%)"
    return f"hsl(210,10%,{78 + number % 10}%)"


class _Drawing:
    def __init__(self, total: int) -> None:
        self._total = total
        self.parts: List[str] = []
        self.rows = 0

    def draw(self, root: Node) -> None:
        # a list and not recursion: stacks of programs are deep
        waiting = [(root, 0.0, 0)]
        while waiting:
            node, left, row = waiting.pop()
            self._put(node, left, row)
            for callee in node.callees():
                share = callee.bytes / self._total
                if share >= _LEAST_SHARE:
                    waiting.append((callee, left, row + 1))
                left += share

    def _put(self, node: Node, left: float, row: int) -> None:
        share = node.bytes / self._total
        name = label(node.frame) if node.frame else "all"
        title = f"{name}: {format_size(node.bytes)}, {share:.1%}"
        if node.frame and node.frame.file:
            title += f" ({node.frame.file})"
        fits = int(share * _PAGE_PX / _CHARACTER_PX)
        self.parts.append('<div title="{}" style="{}">{}</div>'.format(
            _escape(title),
            _STYLE.format(height=_ROW_PX, left=left * 100, width=share * 100,
                          top=row * _ROW_PX, colour=_colour(node)),
            _escape(name if len(name) <= fits else name[:fits - 1] + "…")
            if fits > 3 else ""))
        self.rows = max(self.rows, row + 1)


def write_fragment(snapshot: HeapSnapshot) -> str:
    """Returns the flame graph as an element of a document."""
    head = (f"<p>{format_size(snapshot.estimated_heap_bytes)} in use, "
            f"{snapshot.live_samples} samples</p>")
    if not snapshot.estimated_heap_bytes:
        return f'<div class="memprof">{head}</div>'
    drawing = _Drawing(snapshot.estimated_heap_bytes)
    drawing.draw(make_tree(snapshot).without_start())
    return (f'<div class="memprof">{head}<div style="position:relative;'
            f'height:{drawing.rows * _ROW_PX}px">{"".join(drawing.parts)}</div></div>')


def _table(snapshot: HeapSnapshot) -> str:
    rows = [f"<tr><td>{format_size(row['estimated_bytes'])}</td>"
            f"<td>{row['estimated_objects']}</td><td>"
            + _escape(f"{row['function']} {row['file']}"
                      + (f":{row['line']}" if row["line"] else "")) + "</td></tr>"
            for row in snapshot.top_allocators(30)]
    return ("<table><tr><th>bytes</th><th>objects</th><th>allocated at</th></tr>"
            + "".join(rows) + "</table>")


def write_html(snapshot: HeapSnapshot) -> bytes:
    """Returns a page with the flame graph and the largest places."""
    page = _PAGE.format(body=write_fragment(snapshot), table=_table(snapshot))
    return page.encode("utf-8", "replace")
