"""Values nested deeper than is kept, as JSON text; without recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from traces.domain.records import Json

Opened = tuple[str, Sequence[tuple[str, Any]] | Json]
"""``[`` or ``{`` with keys ("" in lists) and values inside, or "" with a scalar."""
_CLOSING = {"[": "]", "{": "}"}


def text_of(value: Any, opened: Callable[[Any], Opened]) -> str:
    """A value as JSON text, however deep.

    Args:
        value: In whatever form its decoder has it.
        opened: What a value of that form holds.
    """
    parts: list[str] = []
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        text, value = waiting.pop()
        parts.append(text)
        if value is None:
            continue
        bracket, inside = opened(value)
        if not bracket:
            parts.append(orjson.dumps(inside).decode())
            continue
        parts.append(bracket)
        waiting.append((_CLOSING[bracket], None))
        waiting.extend(_inside(bracket, inside))
    return "".join(parts)


def _inside(bracket: str, members: Any) -> list[tuple[str, Any]]:
    """What is written before each member, and the member; the first one last."""
    found = []
    for number, (key, member) in enumerate(members):
        before = "," if number else ""
        if bracket == "{":
            before += f"{orjson.dumps(key).decode()}:"
        found.append((before if member is not None else f"{before}null", member))
    return found[::-1]
