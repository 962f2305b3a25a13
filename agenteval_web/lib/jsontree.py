"""A JSON value as a tree that folds, without any script.

Values come from strangers: depth, number of nodes and text are bounded, and
nothing here recurses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

Json: TypeAlias = Any

MAX_NODES = 2_000
MAX_DEPTH = 40
MAX_TEXT = 5_000
"""Longest piece of text inside the tree; the whole is one click away, raw."""
LONG_TEXT = 200
OPEN_LEVELS = 2


def read(text: str) -> Json | None:
    """The object or list that a text holds; None if it holds neither."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) and value else None


def render(value: Json) -> SafeString:
    """HTML of a value: nested ``details`` for objects and lists.

    What lies beyond the bounds is named in its place ("1,200 more").
    """
    out: list[str] = []
    stack = [_frame("", value, out, 0)] if _folds(value) else []
    if not stack:
        out.append(_leaf("", value))
    left = MAX_NODES
    while stack:
        left = _next(stack, out, left)
    return mark_safe("".join(out))  # noqa: S308 (every piece is escaped)


@dataclass(slots=True)
class _Frame:
    """An open object or list, and what of it is still to be written."""

    items: Iterator[tuple[str, Json]]
    left: int


def _next(stack: list[_Frame], out: list[str], budget: int) -> int:
    """Write one child of the innermost frame, or close it."""
    frame = stack[-1]
    item = next(frame.items, None) if budget > 0 else None
    if item is None:
        more = f'<li class="json-more">{frame.left:,} more</li>' if frame.left else ""
        out.append(f"{more}</ul></details>")
        stack.pop()
        out.append("</li>" if stack else "")
        return budget
    frame.left -= 1
    key, value = item
    value = _unpacked(value)
    out.append("<li>")
    if _folds(value) and len(stack) < MAX_DEPTH:
        stack.append(_frame(key, value, out, len(stack)))
    else:
        out.append(_leaf(key, value) + "</li>")
    return budget - 1


def _unpacked(value: Json) -> Json:
    """JSON inside a text, as tool arguments often come, is shown as JSON."""
    if isinstance(value, str) and len(value) <= MAX_TEXT:
        found = read(value)
        return value if found is None else found
    return value


def _folds(value: Json) -> bool:
    return isinstance(value, (dict, list)) and bool(value)


def _frame(key: str, value: Json, out: list[str], depth: int) -> _Frame:
    size = len(value)
    unit = ("field" if isinstance(value, dict) else "item") + "s" * (size != 1)
    is_open = " open" if depth < OPEN_LEVELS else ""
    out.append(
        f'<details class="json-node"{is_open}><summary>{key}'
        f'<span class="json-size">{size:,} {unit}</span></summary><ul>'
    )
    return _Frame(_items(value), size)


def _items(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return ((_key(str(key)), item) for key, item in value.items())
    return ((_key(str(index)), item) for index, item in enumerate(value))


def _key(text: str) -> str:
    cut = text if len(text) <= LONG_TEXT else text[:LONG_TEXT] + "…"
    return f'<span class="json-key">{escape(cut)}</span> '


def _leaf(key: str, value: Json) -> str:
    if isinstance(value, str):
        return _text(key, value)
    if isinstance(value, (dict, list)):
        word = json.dumps(type(value)()) if not value else "… (too deep, see raw)"
        return f'{key}<span class="json-atom">{word}</span>'
    word = escape(json.dumps(value, default=str))
    return f'{key}<span class="json-atom">{word}</span>'


def _text(key: str, text: str) -> str:
    if len(text) <= LONG_TEXT and "\n" not in text:
        return f'{key}<span class="json-text">{escape(text)}</span>'
    head = escape(text[:LONG_TEXT].split("\n", 1)[0])
    rest = len(text) - MAX_TEXT
    more = f'<p class="json-more">{rest:,} more characters, see raw</p>'
    return (
        f'<details class="json-long"><summary>{key}{head} …</summary>'
        f"<pre>{escape(text[:MAX_TEXT])}</pre>{more if rest > 0 else ''}</details>"
    )
