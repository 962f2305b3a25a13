"""MAST: logs of multi-agent systems whose failures people or models named.

Logs of AG2 are lists of turns; those of ChatDev and MetaGPT are text. Labels
are about whole traces. Codes of failure modes were numbered anew in each round
of labelling, so that labels carry names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, Reject, SpanRecord, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.chat import At, boundary, model_turn
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.jsontext import value_or_text
from traces.importers.mast.labels import gold_of, labels_of
from traces.importers.mast.text import Turn, task_of, turns_of
from traces.importers.messages import GenAiMessage, plain, plain_text, text_message
from traces.importers.values import fields, first_text, items, kept, objects, text

NAME = "mast"
LABEL = "MAST traces and labels"

_TASKS = ("problem_statement", "prompt", "task")


def recognises(sample: Sample) -> bool:
    """Records with the system's name, noted runs of AG2, or gold labels."""
    first = fields(sample.first)
    return _is_record(first) or _is_noted(first) or _is_gold(first)


def _is_record(value: dict[str, Json]) -> bool:
    return {"mas_name", "trace", "trace_id"} <= value.keys()


def _is_noted(value: dict[str, Json]) -> bool:
    note = fields(value.get("note"))
    return isinstance(value.get("trajectory"), list) and "options" in note


def _is_gold(value: dict[str, Json]) -> bool:
    labels = fields(value.get("labels"))
    first = fields(next(iter(labels.values()), None))
    return "modes" in value and isinstance(first.get("present"), list)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read traces, and gold labels as traces without spans."""
    for item in JsonSource(source, limits=limits, name=name).items():
        if isinstance(item, Reject):
            yield item
        elif _is_gold(fields(item.value)):
            yield from _gold(item)
        else:
            yield _trace(item)


def _gold(item: Item) -> Iterator[TraceRecord | Reject]:
    found = list(gold_of(item.value))
    if not found:
        reason = "no label that says that a failure is present."
        yield Reject("trace", item.place, reason, "no_labels")
    for trace_id, labels in found:
        yield TraceRecord(_named(trace_id), (), labels=labels)


def _named(trace_id: str) -> str:
    return f"{NAME}-{trace_id[:100]}"


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    given = value.get("trace")
    log = value_or_text(given) if isinstance(given, str) else given
    about = fields(log)
    turns, task = _turns(value, log)
    if not turns:
        system = first_text(value, "mas_name") or "this system"
        reason = f"no turns are told apart here: the log of {system[:40]} is not one"
        reason += " of AG2, ChatDev or MetaGPT."
        return Reject("trace", item.place, reason, "unknown_log")
    trace_id = _id(value, turns)
    return TraceRecord(
        trace_id,
        tuple(_spans(trace_id, turns, task)),
        labels=tuple(labels_of(value)),
        attributes=_facts(value, about, task),
        rejects=item.notes,
    )


def _turns(value: dict[str, Json], log: Json) -> tuple[list[Turn], str]:
    """The turns of a log and the task it was about."""
    about = fields(log)
    listed = objects(value.get("trajectory")) or objects(about.get("trajectory"))
    places = (value, about)
    stated = [plain(place.get(key)) for place in places for key in _TASKS]
    task = next((plain_text(one) for one in stated if one), "")
    if listed:
        return [_turn(one, n) for n, one in enumerate(listed)], task
    texts = (log, about.get("trajectory"), about.get("content"))
    words = next((one for one in texts if isinstance(one, str)), "")
    return turns_of(words), task or task_of(words)


def _turn(value: dict[str, Json], position: int) -> Turn:
    content = value.get("content")
    lines = [text(line) for line in items(content)]
    words = "\n".join(lines) if lines else plain_text(content or "")
    return Turn(first_text(value, "name", "role"), words, position)


def _id(value: dict[str, Json], turns: list[Turn]) -> str:
    """Numbers are the same in every set; names are the trace's own."""
    given = first_text(value, "trace_id", "instance_id")
    if given and not given.isdigit():
        return _named(given)
    system, number = first_text(value, "mas_name"), value.get("trace_id", "")
    mark = digest([turn.text for turn in turns])
    return f"{NAME}-{system[:40] or 'run'}-{str(number)[:40]}-{mark}"


def _spans(trace_id: str, turns: list[Turn], task: str) -> Iterator[SpanRecord]:
    """Everyone hears what is said to all, and what is said to them."""
    said: list[tuple[GenAiMessage, str]] = []
    heard: dict[str, int] = {}
    if task and not any(turn.outside == "user" for turn in turns):
        yield boundary(At(trace_id, "q"), "user", task)
    for turn in turns:
        at = At(trace_id, f"m{turn.position}", turn.position)
        if turn.outside:
            yield turn.timed(boundary(at, turn.outside, turn.text))
        else:
            new = said[heard.get(turn.speaker, 0) :]
            heard[turn.speaker] = len(said)
            unread = [m for m, to in new if _hears(turn.speaker, m, to)]
            system = [text_message("system", turn.system)] if turn.system else []
            yield turn.timed(
                model_turn(
                    at,
                    output=text_message("assistant", turn.text),
                    unread=[*system, *unread],
                    agent=turn.speaker,
                    more=kept({"mast.phase": turn.phase, "mast.to": turn.to}),
                )
            )
        message = text_message("user", turn.text) | {"name": turn.speaker}
        said.append((message, turn.to))


def _hears(agent: str, message: GenAiMessage, to: str) -> bool:
    return message["name"] != agent and (not to or to == agent)


def _facts(
    value: dict[str, Json], about: dict[str, Json], task: str
) -> dict[str, Json]:
    given = first_text(value, "trace_id", "instance_id")
    other = fields(value.get("other_data")) or fields(about.get("other_data"))
    correct = other.get("correct")
    known = {True: "passed", False: "failed"}
    return kept(
        {
            "name": task,
            "workflow": first_text(value, "mas_name"),
            "case": given,
            "tags": [
                text(value.get(k))
                for k in ("benchmark_name", "round", "llm_name")
                if text(value.get(k))
            ],
            "outcome": known[correct] if isinstance(correct, bool) else "",
            "reference": other,
        }
    )
