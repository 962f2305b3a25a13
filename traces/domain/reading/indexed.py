"""Flat keys with running numbers as lists and objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.reading.jsontext import parsed
from traces.domain.records import Json

MAX_LEVELS = 12
"""Levels of a key; the rest stays one level, dots and all."""


def nested(attributes: Mapping[str, Json], prefix: str) -> Json:
    """Flat keys below a prefix as objects and lists, None if there are none.

    ``a.0.b`` = 1 and ``a.1.b`` = 2 give ``[{"b": 1}, {"b": 2}]`` for ``a``.
    Numbers need not be without gaps. Values below an attribute that has the
    name of the prefix itself win.
    """
    whole = attributes.get(prefix)
    if whole is not None:
        return unfold(parsed(whole))
    start = f"{prefix}."
    below = {
        key[len(start) :]: value
        for key, value in attributes.items()
        if key.startswith(start)
    }
    return unfold(below) if below else None


def unfold(value: Json, levels: int = MAX_LEVELS) -> Json:
    """Dotted keys of objects, also within lists, as levels of their own."""
    if isinstance(value, list) and levels > 0:
        return [unfold(one, levels - 1) if _dotted(one) else one for one in value]
    if not isinstance(value, dict):
        return value
    tree: dict[str, Any] = {}
    for key, below in value.items():
        inner = unfold(below, levels - 1) if isinstance(below, list) else below
        _put(tree, str(key).split(".", MAX_LEVELS), inner)
    return _listed(tree)


def _dotted(value: Json) -> bool:
    return isinstance(value, dict) and any("." in str(key) for key in value)


class _Level(dict[str, Any]):
    """An object that a dotted key made, as against one that was a value."""


def _put(tree: dict[str, Any], path: list[str], value: Json) -> None:
    for part in path[:-1]:
        below = tree.get(part)
        if not isinstance(below, _Level):
            # What stood here keeps its place under the empty key.
            below = _Level() if below is None else _Level({"": below})
            tree[part] = below
        tree = below
    known = tree.get(path[-1])
    if isinstance(known, _Level):
        known[""] = value
    else:
        tree[path[-1]] = value


def _listed(tree: dict[str, Any]) -> Json:
    """Levels whose keys are all numbers become lists, innermost first."""
    order: list[tuple[dict[str, Any], dict[str, Any] | None, str]] = [(tree, None, "")]
    for level, _, _ in order:
        order.extend(
            (below, level, key)
            for key, below in level.items()
            if isinstance(below, _Level)
        )
    made: Json = tree
    for level, above, key in reversed(order):
        made = level
        if level and all(name.isascii() and name.isdigit() for name in level):
            made = [level[name] for name in sorted(level, key=_number)]
        if above is not None:
            above[key] = made
    return made


def _number(name: str) -> tuple[int, str]:
    digits = name.lstrip("0")
    return (len(digits), digits)
