"""JSON that stands as text in an attribute."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from traces.domain.cutting import CUT, MARK_LENGTH
from traces.domain.records import Json
from traces.domain.storable import REPLACEMENT, UNSTORABLE, depth, has_digits

MAX_JSON = 64 * 1024**2
"""Characters of a text that is read as JSON."""
MAX_DEPTH = 100
"""Deepest nesting of lists and objects; what is deeper stays text."""
MAX_ENCODED = 3
"""How often one and the same value may have been encoded as text."""

_OPENING = frozenset('[{" \t\r\n')
_LONG_NUMBER = 19


def parsed(value: Json) -> Json:
    """A text that holds a JSON object or list as that; all else as it is.

    Text that was encoded several times is read as often.
    """
    if isinstance(value, str) and value[:1] not in _OPENING:
        return value
    found = value
    for _ in range(MAX_ENCODED):
        if not isinstance(found, str):
            break
        found = _container(found)
    return found if isinstance(found, (dict, list)) else value


def _container(text: str) -> Json:
    """The object, list or text of objects that a text holds; else None."""
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] not in '[{"':
        return None
    if stripped[-1] not in ']}"':
        return None
    if CUT.search(stripped, max(len(stripped) - MARK_LENGTH, 0)):
        return _cut_off(stripped)
    try:
        found = loads(stripped, strict=False)
    except ValueError:
        return None
    return found if isinstance(found, (dict, list, str)) else None


def loads(text: str, *, strict: bool = True) -> Json:
    """The JSON value of a text; what no store takes in it becomes U+FFFD.

    Args:
        text: JSON, with nothing around it.
        strict: Whether control characters, NaN and Infinity are refused.

    Raises:
        ValueError: If it isn't JSON, too long or nested too deep.
    """
    if len(text) > MAX_JSON:
        raise ValueError(f"longer than {MAX_JSON} characters")
    data = text.encode("utf-8", "replace")
    # Larger numbers would lose digits.
    exact = has_digits(data, _LONG_NUMBER)
    try:
        value = _exact(text, strict=strict) if exact else orjson.loads(data)
    except orjson.JSONDecodeError:
        value = _exact(text, strict=strict)
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_DEPTH and depth(value) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return _clean(value) if "\\u" in text else value


def _exact(text: str, *, strict: bool) -> Json:
    try:
        return json.loads(
            text, strict=strict, parse_constant=_refuse if strict else str
        )
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(word: str) -> Json:
    raise ValueError(f"{word} is no JSON number")


def _clean(value: Json) -> Json:
    """The value without NUL and halves of surrogate pairs, changed in place."""
    if isinstance(value, str):
        return UNSTORABLE.sub(REPLACEMENT, value)
    stack: list[Any] = [value] if isinstance(value, (dict, list)) else []
    while stack:
        parent = stack.pop()
        pairs = list(parent.items() if isinstance(parent, dict) else enumerate(parent))
        for key, child in pairs:
            if isinstance(child, (dict, list)):
                stack.append(child)
            elif isinstance(child, str) and UNSTORABLE.search(child):
                parent[key] = UNSTORABLE.sub(REPLACEMENT, child)
        for key, _ in pairs:
            if isinstance(key, str) and UNSTORABLE.search(key):
                parent[UNSTORABLE.sub(REPLACEMENT, key)] = parent.pop(key)
    return value


def _cut_off(text: str) -> Json:
    """What stands before the cut in JSON text that was cut, None if nothing."""
    mark = CUT.search(text)
    kept = text[: mark.start()] if mark else text
    closing, quoted, commas = _open(kept)
    if quoted and mark:
        try:
            # The mark stays at the end of the text that was cut within.
            return loads(f'{kept}{mark.group()}"{closing}', strict=False)
        except ValueError:
            pass
    for at, ends in reversed(commas):
        try:
            return loads(kept[:at] + ends, strict=False)
        except ValueError:
            continue
    return None


_TOKEN = re.compile(r'[\[\]{},]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def _open(text: str) -> tuple[str, bool, list[tuple[int, str]]]:
    """What is open at the end of cut JSON.

    Returns:
        The brackets that would close it, whether it ends within a text, and
        the last commas with the brackets that would close it there.
    """
    stack: list[str] = []
    commas: list[tuple[int, str]] = []
    quoted = False
    for token in _TOKEN.finditer(text):
        char = token.group()[0]
        if char in "[{" and len(stack) <= MAX_DEPTH:
            stack.append("]" if char == "[" else "}")
        elif char in "]}" and stack:
            stack.pop()
        elif char == ",":
            commas = [*commas[-3:], (token.start(), "".join(reversed(stack)))]
        quoted = char == '"' and not _ended(token.group())
    return "".join(reversed(stack)), quoted, commas


def _ended(token: str) -> bool:
    """Whether a quoted text has its closing quote."""
    if len(token) < 2 or token[-1] != '"':
        return False
    before = token[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def dumps(value: Json) -> str:
    """A value as compact JSON text; text stays as it is, nothing is ""."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
