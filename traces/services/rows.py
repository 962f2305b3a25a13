"""From span records to rows, before any database is touched.

This is the expensive half of taking spans in (encoding, compressing, digests);
it runs in the thread of the request, so that the one writer only writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from traces.domain.records import Reject, Scope, SpanRecord
from traces.services.blobs import (
    STATUS_NUMBER,
    compress,
    digest_of,
    encode,
    scope_content,
    span_content,
)
from traces.services.cleaning import clean_text

ID_LENGTH, NAME_LENGTH = 128, 200
INT16, INT32, INT64 = 2**15, 2**31, 2**63


class SpanRow(NamedTuple):
    """A span as its row will be; the trace and the scope still by name.

    Attributes:
        trace_id: The sender's id of the trace.
        scope: Digest of the scope.
        finished: Whether the sender gave an end.
        values: The other columns, in the order of ``COLUMNS``.
    """

    trace_id: str
    span_id: str
    scope: str
    finished: bool
    digest: bytes
    values: tuple[Any, ...]


COLUMNS = (
    *("span_id", "parent_id", "name", "kind", "status", "start_ns", "end_ns"),
    *("position", "digest", "payload"),
)


class ScopeRow(NamedTuple):
    """A scope as its row will be."""

    digest: str
    name: str
    payload: bytes


@dataclass(slots=True)
class Prepared:
    """What one request brings.

    Attributes:
        rows: Spans in the order sent.
        scopes: By digest.
        rejects: Spans that can't be stored, and notes on text replaced.
        size: Bytes of all payloads.
    """

    rows: list[SpanRow] = field(default_factory=list)
    scopes: dict[str, ScopeRow] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    size: int = 0


def prepare(spans: Sequence[SpanRecord]) -> Prepared:
    """Make rows of spans; a span that can't be one costs no other."""
    made = Prepared()
    scopes: dict[int, str] = {}
    cleaned: Counter[str] = Counter()
    for place, record in enumerate(spans):
        wrong = _unusable(record)
        if wrong:
            made.rejects.append(_refused(place, record, wrong))
            continue
        known = scopes.get(id(record.scope))
        if known is None:
            known = scopes[id(record.scope)] = _add_scope(made, record.scope)
        row, changed = _span_row(record, known)
        made.rows.append(row)
        made.size += len(row.values[-1])
        cleaned[record.trace_id] += changed
    made.rejects += _notes(cleaned)
    return made


def _unusable(record: SpanRecord) -> str:
    """Why a span can't be stored, "" if it can."""
    for name, value in (("trace id", record.trace_id), ("span id", record.span_id)):
        if not value:
            return f"The {name} is empty."
        if len(value) > ID_LENGTH:
            return f"The {name} is longer than {ID_LENGTH} characters."
    if record.parent_id and len(record.parent_id) > ID_LENGTH:
        return f"The parent id is longer than {ID_LENGTH} characters."
    return ""


def _refused(place: int, record: SpanRecord, reason: str) -> Reject:
    return Reject(
        level="span",
        place=f"span {place}",
        reason=reason,
        code="bad_id",
        trace_id=clean_text(record.trace_id[:ID_LENGTH]),
        span_id=clean_text(record.span_id[:ID_LENGTH]),
    )


def _notes(cleaned: Counter[str]) -> Iterable[Reject]:
    """One note a trace where text had to be replaced."""
    for trace_id, count in cleaned.items():
        if count:
            yield Reject(
                level="attribute",
                place=f"trace {clean_text(trace_id)}",
                reason=f"{count} span(s) had NUL characters, lone surrogates, numbers"
                " or nesting that JSON can't hold; they were replaced.",
                code="text_replaced",
                trace_id=clean_text(trace_id),
            )


def _add_scope(made: Prepared, scope: Scope) -> str:
    data, _changed = encode(scope_content(scope))
    key = digest_of(data, 16).hex()
    name = clean_text(scope.name[:NAME_LENGTH])
    made.scopes[key] = ScopeRow(key, name, compress(data))
    return key


def _span_row(record: SpanRecord, scope: str) -> tuple[SpanRow, bool]:
    """The row, and whether text had to be replaced."""
    record, renamed = _clean_columns(record)
    finished = record.end_ns is not None
    record, beyond = _fit(record)
    data, changed = encode(span_content(record, beyond))
    columns = (
        *(record.parent_id or "", record.name, record.kind),
        *(STATUS_NUMBER[record.status], record.start_ns, record.end_ns),
        record.position,
    )
    mark = digest_of(data + repr((columns, scope)).encode(), 8)
    values = (record.span_id, *columns, mark, compress(data))
    row = SpanRow(record.trace_id, record.span_id, scope, finished, mark, values)
    return row, changed or renamed


def _clean_columns(record: SpanRecord) -> tuple[SpanRecord, bool]:
    """Text columns without NUL and lone surrogates."""
    texts = (record.trace_id, record.span_id, record.parent_id or "", record.name)
    joined = "".join(texts)
    if (joined.isascii() and "\0" not in joined) or joined == clean_text(joined):
        return record, False
    trace_id, span_id, parent_id, name = map(clean_text, texts)
    clean = replace(record, trace_id=trace_id, span_id=span_id, name=name)
    return replace(clean, parent_id=parent_id or None), True


def _fit(record: SpanRecord) -> tuple[SpanRecord, dict[str, str]]:
    """The record as far as columns hold it; as text what they don't hold."""
    if _fits(record):
        return record, {}
    beyond: dict[str, str] = {}
    cut: dict[str, Any] = {}
    if len(record.name) > NAME_LENGTH:
        beyond["name"], cut["name"] = record.name, record.name[:NAME_LENGTH]
    if not 0 <= record.kind < INT16:
        beyond["kind"], cut["kind"] = str(record.kind), 0
    for name, most in (("start_ns", INT64), ("end_ns", INT64), ("position", INT32)):
        value = getattr(record, name) or 0
        if not -most <= value < most:
            beyond[name], cut[name] = str(value), None
    return replace(record, **cut), beyond


def _fits(record: SpanRecord) -> bool:
    return (
        len(record.name) <= NAME_LENGTH
        and 0 <= record.kind < INT16
        and -INT64 <= (record.start_ns or 0) < INT64
        and -INT64 <= (record.end_ns or 0) < INT64
        and -INT32 <= (record.position or 0) < INT32
    )
