"""Attribute values as what they mean, whatever their shape; never raises."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from traces.domain.records import Json

MAX_JSON = 8_000_000
"""Characters of a text that is read as JSON."""
MAX_BRACKETS = 200
"""Opening brackets in a row: deeper text is not read as JSON."""


def text(value: Json) -> str:
    """A scalar as text, "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    return str(value)


def first_text(attributes: Mapping[str, Json], *keys: str) -> str:
    """The first of several attributes that holds a text."""
    for key in keys:
        found = text(attributes.get(key))
        if found:
            return found
    return ""


def first(attributes: Mapping[str, Json], *keys: str) -> Json:
    """The first of several attributes that is set and not empty."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and value != "":
            return value
    return None


def whole(value: Json) -> int | None:
    """A whole number of at least zero; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isdigit() and len(value) < 19:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and value >= 0 else None


def first_whole(attributes: Mapping[str, Json], *keys: str) -> int | None:
    """The first of several attributes that holds a whole number."""
    for key in keys:
        found = whole(attributes.get(key))
        if found is not None:
            return found
    return None


def decimal(value: Json) -> float | None:
    """A finite number of at least zero; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        found = float(value) if isinstance(value, (int, float, str)) else -1.0
    except (ValueError, OverflowError):
        return None
    return found if 0 <= found < float("inf") else None


def parsed(value: Json) -> Json:
    """A text that holds a JSON object or array as that; all else as it is.

    Text that was encoded twice is read twice.
    """
    for _ in range(2):
        if not isinstance(value, str):
            return value
        found = _loads(value)
        if found is None:
            return value
        value = found
    return value


def _loads(value: str) -> Any:
    stripped = value.strip()
    if not 2 <= len(stripped) <= MAX_JSON or stripped[0] not in '[{"':
        return None
    if stripped[-1] not in ']}"' or not _shallow(stripped):
        return None
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, str) and found.strip()[:1] not in {"[", "{"}:
        return None
    return found if isinstance(found, (dict, list, str)) else None


def _shallow(value: str) -> bool:
    """Whether no more than ``MAX_BRACKETS`` brackets are ever open."""
    depth, quoted, escaped = 0, False, False
    if value.count("[") + value.count("{") <= MAX_BRACKETS:
        return True
    for char in value:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = quoted
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "[{":
            depth += 1
            if depth > MAX_BRACKETS:
                return False
        elif not quoted and char in "]}":
            depth -= 1
    return True


def dicts(value: Json) -> list[dict[str, Json]]:
    """The objects in a list (or the one object); [] for anything else."""
    if isinstance(value, dict):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if isinstance(one, dict)]
    return []


def strings(value: Json) -> tuple[str, ...]:
    """The texts in a list, or one text."""
    value = parsed(value)
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, (list, tuple)):
        return tuple(one for one in map(text, value) if one)
    return ()


def nested(attributes: Mapping[str, Json], prefix: str) -> Json:
    """Flat keys below a prefix as nested objects and lists.

    ``a.0.b`` = 1 and ``a.1.b`` = 2 with prefix ``a`` give ``[{"b": 1},
    {"b": 2}]``. An attribute with the very name of the prefix wins.
    """
    if prefix in attributes:
        return parsed(attributes[prefix])
    start = f"{prefix}."
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.startswith(start):
            _put(tree, key[len(start) :].split("."), value)
    return _listed(tree) if tree else None


def _put(tree: dict[str, Any], path: list[str], value: Json) -> None:
    for part in path[:-1]:
        below = tree.get(part)
        if not isinstance(below, dict):
            below = tree[part] = {}
        tree = below
    tree[path[-1]] = value


def _listed(tree: dict[str, Any]) -> Json:
    """Objects whose keys are all numbers become lists, bottom up."""
    order: list[tuple[dict[str, Any], dict[str, Any] | None, str]] = [(tree, None, "")]
    for node, _, _ in order:
        order.extend(
            (below, node, key) for key, below in node.items() if isinstance(below, dict)
        )
    result: Json = tree
    for node, above, key in reversed(order):
        made: Json = node
        if node and all(name.isdigit() for name in node):
            made = [node[name] for name in sorted(node, key=int)]
        if above is None:
            result = made
        else:
            above[key] = made
    return result


def under(value: Json, *keys: str) -> Json:
    """Walk down objects by key; None where there is no such key."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def joined(parts: Iterable[str]) -> str:
    """Non-empty texts on lines of their own."""
    return "\n".join(part for part in parts if part)
