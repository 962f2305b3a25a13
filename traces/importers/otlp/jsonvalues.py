"""Values of OTLP/JSON: texts, 64-bit numbers, ``AnyValue`` and attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from traces.domain.records import Json
from traces.importers.otlp.checks import number_of
from traces.importers.otlp.deep import Opened, text_of
from traces.importers.otlp.ledger import Ledger

NO_FIELDS: Mapping[str, Json] = {}
KINDS = (
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "arrayValue",
    "kvlistValue",
    "bytesValue",
)
_WORDS = {"true": True, "false": False}
_NOT_FINITE = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
}
LOWEST, HIGHEST, LONGEST_INTEGER = -(2**63), 2**63 - 1, 20


def dict_at(message: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """An object within a message; an empty one if there is none."""
    value = message.get(name)
    return value if isinstance(value, dict) else NO_FIELDS


def list_at(message: Mapping[str, Json], name: str, ledger: Ledger) -> Sequence[Json]:
    """A list within a message; an empty one if there is none."""
    value = message.get(name)
    if isinstance(value, list):
        return value
    if value is not None:
        ledger.attribute(name, f"{name} is not a list; it was left out.", "not_a_list")
    return ()


def text_at(message: Mapping[str, Json], name: str, where: str, ledger: Ledger) -> str:
    """A text within a message; "" if there is none."""
    value = message.get(name)
    if isinstance(value, str):
        return ledger.text(value, where)
    if value is not None:
        reason = f"{where} is not a text; it was left out."
        ledger.attribute(where, reason, "not_a_text")
    return ""


def integer(value: Json) -> int | None:
    """A 64-bit number, given as number or as text; None if it isn't one."""
    if isinstance(value, str) and len(value) <= LONGEST_INTEGER:
        digits = value.removeprefix("-")
        value = int(value) if digits.isdecimal() and digits.isascii() else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    good = isinstance(value, int) and not isinstance(value, bool)
    return value if good else None


def attributes_of(pairs: Json, where: str, ledger: Ledger) -> dict[str, Json]:
    """Attributes by key; of two with one key the last counts."""
    found: dict[str, Json] = {}
    if not isinstance(pairs, list):
        if pairs is not None:
            reason = f"{where} is not a list of keys and values; it was left out."
            ledger.attribute(where, reason, "not_a_list")
        return found
    if len(pairs) > ledger.bounds.attributes:
        pairs = ledger.first_attributes(pairs, where)
    keys, short, quick = ledger.keys, ledger.surely_short, not ledger.tolerant
    for number, pair in enumerate(pairs):
        # Nearly every attribute is a text with a key seen before.
        try:
            text, key = pair["value"]["stringValue"], keys[pair["key"]]
        except (KeyError, TypeError):
            text = key = ""
        if (
            quick
            and key
            and type(text) is str
            and len(text) <= short
            and "\0" not in text
        ):
            found[key] = text
        else:
            _add(found, pair, f"{where}[{number}]", ledger)
    return found


def _add(found: dict[str, Json], pair: Json, where: str, ledger: Ledger) -> None:
    if not isinstance(pair, dict) or not isinstance(pair.get("key", ""), str):
        reason = "An attribute is an object with key and value; this was left out."
        ledger.attribute(where, reason, "not_an_object")
        return
    key = ledger.known_key(pair.get("key", ""), where)
    if not key:
        return
    value = pair.get("value")
    if value is None or value == {}:
        ledger.empty(key, where)
        return
    special = _not_finite(value)
    if special:
        ledger.not_finite(found, key, special, where)
    else:
        found[key] = value_of(value, where, ledger)


def _not_finite(value: Json) -> str:
    """The text of a number that JSON can't hold, "" for all else."""
    number = value.get("doubleValue") if isinstance(value, dict) else None
    if isinstance(number, float):
        return number_of(number)[1]
    return _NOT_FINITE.get(number, "") if isinstance(number, str) else ""


def value_of(value: Json, where: str, ledger: Ledger, depth: int = 0) -> Json:
    """An ``AnyValue`` as JSON; bytes stay base64, an empty value is null."""
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        reason = "The value isn't an AnyValue object; it was kept as text."
        ledger.attribute(where, reason, "not_an_object")
        return ledger.text(value if isinstance(value, str) else _text_of(value), where)
    kind = next((kind for kind in KINDS if kind in value), "")
    if not kind:
        reason = "The kind of the value is unknown; it was left out."
        ledger.attribute(where, reason, "unknown_value")
        return None
    if kind in {"arrayValue", "kvlistValue"}:
        return _container(value, kind, where, ledger, depth)
    return _scalar(kind, value[kind], where, ledger)


def _scalar(kind: str, value: Json, where: str, ledger: Ledger) -> Json:
    read: Json = None
    if kind == "boolValue":
        read = value if isinstance(value, bool) else _WORDS.get(str(value).lower())
    elif kind == "intValue":
        read = integer(value)
        if read is not None and not LOWEST <= read <= HIGHEST:
            read = None
    elif kind == "doubleValue":
        read = _double(value)
    elif isinstance(value, str):
        return ledger.text(value, where)
    if read is None and value is not None:
        reason = f"This is not a {kind}; it was kept as text."
        ledger.attribute(where, reason, "bad_value")
        return ledger.text(_text_of(value), where)
    return read


def _double(value: Json) -> Json:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number, text = number_of(value)
    return text or number


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)[:1000]


def _container(
    value: Mapping[str, Json], kind: str, where: str, ledger: Ledger, depth: int
) -> Json:
    if depth >= ledger.depth:
        text = text_of(value, lambda inner: _opened(inner, where, ledger))
        return ledger.deep_text(text, where)
    items = _items(value[kind])
    if isinstance(items, str):
        # Nested so deep that the parser of JSON gave it back as text.
        return ledger.deep_text(items, where)
    if kind == "arrayValue":
        return [value_of(item, where, ledger, depth + 1) for item in items]
    return {
        key: value_of(inner, where, ledger, depth + 1)
        for key, inner in _members(items, where, ledger)
    }


def _items(inner: Json) -> list[Json] | str:
    """What a list or map holds; text where the parser couldn't go so deep."""
    items = inner.get("values") if isinstance(inner, dict) else inner
    return items if isinstance(items, list | str) else []


def _members(
    items: Sequence[Json], where: str, ledger: Ledger
) -> Iterator[tuple[str, Json]]:
    for pair in items:
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            key = ledger.known_key(pair["key"], where)
            if key:
                yield key, pair.get("value")


def _opened(value: Json, where: str, ledger: Ledger) -> Opened:
    """What a value holds, for its JSON text."""
    given = value if isinstance(value, dict) else NO_FIELDS
    kind = next((kind for kind in KINDS if kind in given), "")
    items = _items(given[kind]) if kind in {"arrayValue", "kvlistValue"} else None
    if isinstance(items, str):
        return "", items
    if items is None:
        return "", value_of(value, where, ledger)
    if kind == "arrayValue":
        return "[", [("", item) for item in items]
    return "{", list(_members(items, where, ledger))
