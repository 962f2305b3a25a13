"""Spans out of a body that the protobuf parser refuses as a whole.

One text that isn't UTF-8, or one value nested too deep, makes the parser
refuse everything around it. Here the frame of the request is walked by hand,
each span is parsed alone, and a span that still is refused is read leniently:
bad bytes are replaced, a broken attribute is left out, and each is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from traces.domain.storable import REPLACEMENT
from traces.importers.otlp.ledger import Ledger
from traces.importers.otlp.shapes import SHAPES, WIRE_TYPES, Lenient, Shape
from traces.importers.otlp.wire import Field, WireError, double, fields, signed

RESOURCE_SPANS = 1
FRAME, ITEMS = 1, 2
"""Numbers of the resource (or scope) and of what it holds."""


@dataclass(frozen=True)
class Salvaged:
    """A resource with its scopes, or a scope with its spans."""

    resource: Any = None
    scope_spans: tuple[Salvaged, ...] = ()
    scope: Any = None
    spans: tuple[Any, ...] = ()


def salvage(body: bytes, ledger: Ledger) -> Iterator[Salvaged]:
    """The resources of a request; None stands for a span that can't be read.

    Raises:
        WireError: If the frame around the spans is broken.
    """
    chunks = [value for number, value in _parts(body) if number == RESOURCE_SPANS]
    frames = [_frame(chunk) for chunk in chunks]
    return _resources(frames, ledger)


_Frame = tuple[bytes, list[tuple[bytes, list[bytes]]]]


def _frame(chunk: bytes) -> _Frame:
    resource, scopes = _split(chunk)
    return resource, [_split(scope) for scope in scopes]


def _split(chunk: bytes) -> tuple[bytes, list[bytes]]:
    """The resource or scope of a chunk, and the items in it."""
    frame, items = b"", []
    for number, value in _parts(chunk):
        if number == FRAME:
            frame += value
        elif number == ITEMS:
            items.append(value)
    return frame, items


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, _, value in fields(data):
        if isinstance(value, bytes):
            yield number, value


def _resources(frames: list[_Frame], ledger: Ledger) -> Iterator[Salvaged]:
    for ledger.resource, (resource, scopes) in enumerate(frames):
        ledger.scope = ledger.span = -1
        yield Salvaged(
            resource=_message(Resource, "Resource", resource, "resource", ledger),
            scope_spans=tuple(_scopes(scopes, ledger)),
        )


def _scopes(
    scopes: list[tuple[bytes, list[bytes]]], ledger: Ledger
) -> Iterator[Salvaged]:
    for ledger.scope, (scope, spans) in enumerate(scopes):
        ledger.span = -1
        yield Salvaged(
            scope=_message(InstrumentationScope, "Scope", scope, "scope", ledger),
            spans=tuple(_spans(spans, ledger)),
        )


def _spans(spans: list[bytes], ledger: Ledger) -> Iterator[Any]:
    for ledger.span, data in enumerate(spans):
        yield _message(Span, "Span", data, "", ledger)


def _message(
    known: type[Any], shape: str, data: bytes, where: str, ledger: Ledger
) -> Any:
    """The message, read by the library or leniently; None for a broken span."""
    try:
        return known.FromString(data)
    except ProtobufError:
        reader = _Reader(ledger)
    try:
        return reader.read(shape, data, where, 0)
    except WireError as error:
        if shape != "Span":
            ledger.attribute(where, f"Broken protobuf: {error}.", "broken_protobuf")
            return Lenient(SHAPES[shape])
        ledger.refuse("span", "", f"Broken protobuf: {error}.", "broken_span")
        return None


class _Reader:
    """Reads messages leniently; recursion ends at the depth allowed."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def read(self, name: str, data: bytes, where: str, depth: int) -> Lenient:
        shape = SHAPES[name]
        message = Lenient(shape)
        for number, kind, value in fields(data):
            if number in shape.scalars:
                self._scalar(message, shape, (number, kind, value), where)
            elif number in shape.messages and isinstance(value, bytes):
                self._inner(message, shape, number, value, where, depth)
        return message

    def _scalar(self, message: Lenient, shape: Shape, found: Field, where: str) -> None:
        number, kind, value = found
        name, wanted = shape.scalars[number]
        if kind != WIRE_TYPES[wanted]:
            return
        if isinstance(value, int):
            read: Any = _NUMBERS[wanted](value)
        else:
            read = value if wanted == "bytes" else self._text(value, _path(where, name))
        message.put(name, read)

    def _text(self, value: bytes, where: str) -> str:
        try:
            return value.decode()
        except UnicodeDecodeError:
            text = value.decode("utf-8", "replace")
        bad = text.count(REPLACEMENT)
        reason = f"{bad} place(s) that aren't UTF-8 were replaced by U+FFFD."
        self.ledger.attribute(where, reason, "text_cleaned")
        return text

    def _inner(
        self,
        message: Lenient,
        shape: Shape,
        number: int,
        value: bytes,
        where: str,
        depth: int,
    ) -> None:
        name, below = shape.messages[number]
        if shape.choice and depth >= self.ledger.depth:
            message.put("string_value", self.ledger.too_deep(where))
        elif name in shape.repeated:
            listed = getattr(message, name)
            path = f"{_path(where, name)}[{len(listed)}]"
            listed.extend(self._try(below, value, path, depth))
        else:
            path, deeper = _path(where, name), depth + shape.choice
            message.put(name, self.read(below, value, path, deeper))

    def _try(self, name: str, data: bytes, where: str, depth: int) -> list[Lenient]:
        """One item of a list; nothing, and noted, if it is broken."""
        try:
            return [self.read(name, data, where, depth)]
        except WireError as error:
            level = _LEVELS.get(name, "attribute")
            reason = f"Broken protobuf: {error}."
            self.ledger.refuse(level, where, reason, "broken_protobuf")
            return []


def _path(where: str, name: str) -> str:
    first, *rest = name.split("_")
    camel = first + "".join(part.title() for part in rest)
    return f"{where}.{camel}" if where else camel


_NUMBERS: Mapping[str, Callable[[int], Any]] = {
    "int": signed,
    "bool": bool,
    "fixed": int,
    "double": double,
}
_LEVELS = {"Event": "event", "Link": "link"}
