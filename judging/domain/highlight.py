"""Mark the words a check fired on, in place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CONTEXT = 2_000
"""Characters kept around a mark in a text that is too long to show whole."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text; ``cut`` counts characters left out before it."""

    text: str
    marked: bool = False
    cut: int = 0


def segments(
    text: str, marks: Iterable[tuple[int, int]], limit: int = 20_000
) -> tuple[Segment, ...]:
    """Split a text at its marks; of a long text keep what is near them.

    Args:
        text: The whole text.
        marks: (start, length) in characters; those outside the text are
            ignored, overlapping ones joined.
        limit: A longer text is cut to its beginning and the marks' contexts.

    Returns:
        Segments in order; without cuts their texts join to ``text``.
    """
    spans = _joined(marks, len(text))
    windows = _windows(spans, len(text), limit)
    found: list[Segment] = []
    shown = 0
    for start, end in windows:
        found += _window(text, spans, start, end, start - shown)
        shown = end
    if shown < len(text):
        found.append(Segment("", cut=len(text) - shown))
    return tuple(found)


def _joined(marks: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, length in sorted(marks):
        end = min(start + length, size)
        if start < 0 or start >= end:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def _windows(
    spans: list[tuple[int, int]], size: int, limit: int
) -> list[tuple[int, int]]:
    if size <= limit:
        return [(0, size)]
    wanted = [(0, limit // 2)]
    wanted += [(max(0, a - CONTEXT), min(size, b + CONTEXT)) for a, b in spans]
    windows: list[tuple[int, int]] = []
    for start, end in sorted(wanted):
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(windows[-1][1], end))
        else:
            windows.append((start, end))
    return windows


def _window(
    text: str, spans: list[tuple[int, int]], start: int, end: int, cut: int
) -> list[Segment]:
    found: list[Segment] = []
    at = start
    for first, last in spans:
        if last <= start or first >= end:
            continue
        if first > at:
            found.append(Segment(text[at:first]))
        found.append(Segment(text[first:last], marked=True))
        at = last
    if at < end:
        found.append(Segment(text[at:end]))
    if found and cut:
        found[0] = Segment(found[0].text, found[0].marked, cut)
    return found
