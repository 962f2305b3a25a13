"""Failure modes that people or models found in whole traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from traces.domain.records import Json, ReferenceLabel
from traces.importers.values import fields, first_text, items, objects, text

PEOPLE, MODEL, GOLD = "mast", "mast_llm", "mast_gold"
"""Sources: three people by majority or one, a model, a set's own gold labels."""

MODES = MappingProxyType(
    {
        "1.1": "Disobey Task Specification",
        "1.2": "Disobey Role Specification",
        "1.3": "Step Repetition",
        "1.4": "Loss of Conversation History",
        "1.5": "Unaware of Termination Conditions",
        "2.1": "Conversation Reset",
        "2.2": "Fail to Ask for Clarification",
        "2.3": "Task Derailment",
        "2.4": "Information Withholding",
        "2.5": "Ignored Other Agent's Input",
        "2.6": "Reasoning-Action Mismatch",
        "3.1": "Premature Termination",
        "3.2": "No or Incomplete Verification",
        "3.3": "Incorrect Verification",
    }
)
"""The final fourteen modes by their numbers."""

_NUMBER = re.compile(r"[0-9]\.[0-9]\s{1,4}")
_ANNOTATOR = "annotator_"


def labels_of(value: dict[str, Json]) -> Iterator[ReferenceLabel]:
    """Labels that stand in a record itself."""
    for one in objects(value.get("annotations")):
        yield from _voted(one)
    for number, given in fields(value.get("mast_annotation")).items():
        if given in (1, True) and number in MODES:
            yield ReferenceLabel("category", MODES[number], MODEL, note=number)
    note = fields(value.get("note"))
    words = "\n".join(text(line) for line in items(note.get("text")))
    for name, given in fields(note.get("options")).items():
        if given == "yes":
            yield ReferenceLabel("category", name.strip(), PEOPLE, note=words)


def _voted(annotation: dict[str, Json]) -> Iterator[ReferenceLabel]:
    """The mode, if more than half of those who looked found it."""
    heading = first_text(annotation, "failure mode").partition("\n")[0]
    votes = [
        given is True for key, given in annotation.items() if key.startswith(_ANNOTATOR)
    ]
    name = _NUMBER.sub("", heading[:200], count=1).strip()
    if name and sum(votes) * 2 > len(votes):
        note = f"{sum(votes)} of {len(votes)} annotators"
        yield ReferenceLabel("category", name, PEOPLE, note=note)


def gold_of(
    value: dict[str, Json],
) -> Iterator[tuple[str, tuple[ReferenceLabel, ...]]]:
    """Gold labels by the id of their trace; traces without failures left out."""
    for trace_id, given in fields(value.get("labels")).items():
        one = fields(given)
        note = first_text(one, "notes")
        codes = [text(code).removeprefix("FM-") for code in items(one.get("present"))]
        labels = tuple(
            ReferenceLabel("category", MODES[code], GOLD, note=note)
            for code in codes
            if code in MODES
        )
        if trace_id and labels:
            yield trace_id, labels
