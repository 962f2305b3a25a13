"""The messages of an OTLP traces request, as far as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.importers.otlp.wire import FIXED64, LENGTH, VARINT


@dataclass(frozen=True)
class Shape:
    """The fields of a message that are read, by number.

    Attributes:
        scalars: Name and kind.
        messages: Name and name of the shape; ``repeated`` ones are lists.
        repeated: Names of the fields that are lists.
        choice: Whether at most one of the fields is set.
    """

    scalars: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    messages: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    choice: bool = False


_ATTRIBUTES = frozenset({"attributes"})
SHAPES: Mapping[str, Shape] = {
    "Span": Shape(
        {
            1: ("trace_id", "bytes"),
            2: ("span_id", "bytes"),
            3: ("trace_state", "text"),
            4: ("parent_span_id", "bytes"),
            5: ("name", "text"),
            6: ("kind", "int"),
            7: ("start_time_unix_nano", "fixed"),
            8: ("end_time_unix_nano", "fixed"),
            10: ("dropped_attributes_count", "int"),
            12: ("dropped_events_count", "int"),
            14: ("dropped_links_count", "int"),
        },
        {
            9: ("attributes", "KeyValue"),
            11: ("events", "Event"),
            13: ("links", "Link"),
            15: ("status", "Status"),
        },
        frozenset({"attributes", "events", "links"}),
    ),
    "Event": Shape(
        {
            1: ("time_unix_nano", "fixed"),
            2: ("name", "text"),
            4: ("dropped_attributes_count", "int"),
        },
        {3: ("attributes", "KeyValue")},
        _ATTRIBUTES,
    ),
    "Link": Shape(
        {
            1: ("trace_id", "bytes"),
            2: ("span_id", "bytes"),
            3: ("trace_state", "text"),
            5: ("dropped_attributes_count", "int"),
        },
        {4: ("attributes", "KeyValue")},
        _ATTRIBUTES,
    ),
    "Status": Shape({2: ("message", "text"), 3: ("code", "int")}),
    "Resource": Shape({}, {1: ("attributes", "KeyValue")}, _ATTRIBUTES),
    "Scope": Shape(
        {1: ("name", "text"), 2: ("version", "text")},
        {3: ("attributes", "KeyValue")},
        _ATTRIBUTES,
    ),
    "KeyValue": Shape({1: ("key", "text")}, {2: ("value", "AnyValue")}),
    "AnyValue": Shape(
        {
            1: ("string_value", "text"),
            2: ("bool_value", "bool"),
            3: ("int_value", "int"),
            4: ("double_value", "double"),
            7: ("bytes_value", "bytes"),
        },
        {5: ("array_value", "ArrayValue"), 6: ("kvlist_value", "KeyValueList")},
        choice=True,
    ),
    "ArrayValue": Shape({}, {1: ("values", "AnyValue")}, frozenset({"values"})),
    "KeyValueList": Shape({}, {1: ("values", "KeyValue")}, frozenset({"values"})),
}

WIRE_TYPES = {
    "text": LENGTH,
    "bytes": LENGTH,
    "int": VARINT,
    "bool": VARINT,
    "fixed": FIXED64,
    "double": FIXED64,
}
_EMPTY: Mapping[str, Any] = {
    "text": "",
    "bytes": b"",
    "int": 0,
    "bool": False,
    "fixed": 0,
    "double": 0.0,
}


class Lenient:
    """A message that answers like one of the protobuf library."""

    def __init__(self, shape: Shape) -> None:
        """An empty message: every field has its default."""
        self.which: str | None = None
        for name, kind in shape.scalars.values():
            setattr(self, name, _EMPTY[kind])
        for name, below in shape.messages.values():
            repeated = name in shape.repeated
            setattr(self, name, [] if repeated else _default(below, shape))

    def put(self, name: str, value: Any) -> None:
        """Set a field; of several that exclude each other the last counts."""
        setattr(self, name, value)
        self.which = name

    def WhichOneof(self, group: str) -> str | None:  # noqa: N802 - protobuf's name
        """Name of the one field of ``group`` that is set."""
        return self.which if group else None


def _default(name: str, around: Shape) -> Lenient | None:
    """An empty message, where reading goes on without asking if it is set."""
    return None if around.choice else Lenient(SHAPES[name])
