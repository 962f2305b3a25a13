"""Results of other people's evaluations, which travel as events of spans."""

from __future__ import annotations

from collections.abc import Iterator

from traces.domain.records import Json, ReferenceLabel, SpanEvent, SpanRecord

EVENT = "gen_ai.evaluation.result"
_START = "gen_ai.evaluation."


def labels_of(span: SpanRecord) -> Iterator[ReferenceLabel]:
    """Labels that the evaluation events of a span stand for."""
    for event in span.events:
        if event.name == EVENT:
            yield _label(event, span.span_id)


def _label(event: SpanEvent, span_id: str) -> ReferenceLabel:
    score = _text(event.attributes.get(f"{_START}score.value"))
    word = _text(event.attributes.get(f"{_START}score.label"))
    about = (
        _text(event.attributes.get(f"{_START}name")),
        word if score else "",
        _text(event.attributes.get(f"{_START}explanation")),
    )
    note = ": ".join(part for part in about if part)
    return ReferenceLabel("score", score or word, "otlp", span_id, note)


def _text(value: Json) -> str:
    return str(value) if isinstance(value, (str, int, float)) else ""
