"""Evaluation logs of Inspect AI: whole (``.json``) or samples out of ``.eval``.

An ``.eval`` file is an archive with one file a sample; its other files (header,
summaries, journal) hold no run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, ReferenceLabel, Reject, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.inspect.events import read_events
from traces.importers.inspect.sample import attached, read_messages_of
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import as_text
from traces.importers.values import fields, first_text, items, kept, objects, text

NAME = "inspect"
LABEL = "Inspect AI logs"

_OUTCOMES = {"C": "passed", "I": "failed"}
_LOG = {"eval", "version"}


def recognises(sample: Sample) -> bool:
    """Logs, samples, and the files that stand beside samples."""
    first = fields(sample.first)
    return _is_sample(first) or _is_log(first) or _is_summary(first)


def _is_sample(value: dict[str, Json]) -> bool:
    held = isinstance(value.get("messages"), list) or isinstance(
        value.get("events"), list
    )
    return held and {"id", "epoch", "target"} <= value.keys()


def _is_log(value: dict[str, Json]) -> bool:
    return value.keys() >= _LOG and "task" in fields(value.get("eval"))


def _is_summary(value: dict[str, Json]) -> bool:
    summary = {"id", "epoch", "target"} <= value.keys()
    return summary or ("scorer" in value and isinstance(value.get("samples"), list))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one sample after another."""
    told = False
    for item in JsonSource(source, limits=limits, name=name).items():
        value = fields(item.value) if not isinstance(item, Reject) else {}
        if isinstance(item, Reject):
            found: Iterator[TraceRecord | Reject] = iter([item])
        elif _is_log(value):
            found = _log(item)
        elif _is_summary(value) and not _is_sample(value):
            continue
        else:
            found = iter([_sample(item.value, {}, item, item.place)])
        for one in found:
            told = True
            yield one
    if not told:
        reason = "beside the samples of an evaluation log: no run is in here."
        yield Reject("file", name or "line 1", reason, "not_traces")


def _log(item: Item) -> Iterator[TraceRecord | Reject]:
    for number, sample in enumerate(items(item.value.get("samples"))):
        place = f"{item.place}: samples[{number}]"
        yield _sample(sample, fields(item.value["eval"]), item, place)


def _sample(
    given: Json, evaluated: dict[str, Json], item: Item, place: str
) -> TraceRecord | Reject:
    sample = fields(given)
    events, messages = objects(sample.get("events")), items(sample.get("messages"))
    if not events and not messages:
        reason = "a sample without messages and without events."
        return Reject("trace", place, reason, "no_messages")
    number, epoch = sample.get("id"), sample.get("epoch")
    own = f"inspect-{str(number)[:60]}-{epoch}-{digest([events, messages])}"
    trace_id = fit_id(text(sample.get("uuid")), fallback=own[:128])
    attached(sample)
    spans = read_events(trace_id, events, items(sample.get("message_pool")))
    if not any("gen_ai.output.messages" in span.attributes for span in spans):
        spans = read_messages_of(trace_id, messages, _model(sample, evaluated))
    scores = fields(sample.get("scores"))
    return TraceRecord(
        trace_id,
        tuple(spans),
        labels=tuple(_labels(scores)),
        attributes=_facts(sample, evaluated, scores),
        rejects=item.notes,
    )


def _model(sample: dict[str, Json], evaluated: dict[str, Json]) -> str:
    named = first_text(fields(sample.get("output")), "model")
    return named or first_text(evaluated, "model")


def _labels(scores: dict[str, Json]) -> Iterator[ReferenceLabel]:
    for name, given in scores.items():
        score = fields(given)
        value = score.get("value")
        if value is None:
            continue
        why = first_text(score, "explanation")
        note = f"{name}: {why}" if why else name
        yield ReferenceLabel("score", as_text(value), NAME, note=note)
    if outcome := _outcome(scores):
        yield ReferenceLabel("outcome", outcome, NAME)


def _outcome(scores: dict[str, Json]) -> str:
    """Passed or failed, if all scorers say so in letters."""
    found = {
        _OUTCOMES.get(str(fields(one).get("value")), "") for one in scores.values()
    }
    return found.pop() if len(found) == 1 else ""


def _facts(
    sample: dict[str, Json], evaluated: dict[str, Json], scores: dict[str, Json]
) -> dict[str, Json]:
    number, epoch = sample.get("id"), sample.get("epoch")
    task = first_text(evaluated, "task")
    error = sample.get("error")
    return kept(
        {
            "name": f"{task or 'sample'} {number}",
            "workflow": task,
            "case": f"{task}-{number}" if task else str(number),
            "run": str(epoch),
            "outcome": _outcome(scores),
            "error": first_text(fields(error), "message") or text(error),
            "limit": fields(sample.get("limit")),
            "usage": sample.get("model_usage"),
            "reference": {
                "target": sample.get("target"),
                "metadata": fields(sample.get("metadata")),
            },
        }
    )
