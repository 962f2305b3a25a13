"""Values of one record told of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from judging.domain.checks.failures import failed
from judging.domain.checks.text import Said, arguments, match, output, shared, short
from judging.domain.findings import Check, Evidence, Match, Run
from traces.domain.records import Step, StepType

MAX_RECORDS = 5_000
MAX_SEGMENTS = 60

_KEY = re.compile(r"[a-z#][\w#-]{0,30}[-_#]?\d{2,12}[a-z]?")
_VALUE = re.compile(
    r"\d{4}-\d\d-\d\d|(?<![\d,])\d[\d,]{0,14}\.\d\d\b|\b\d{1,2}:\d\d\b"
    r"|\b\d{1,2}\ (?:days?|weeks?|months?|years?)\b"
    r"|\b\d{1,2}\ (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
)


@dataclass
class Records:
    """Which values stood with which identifier in the results of a run.

    Attributes:
        values: Values by identifier.
        owners: Identifiers by value.
        places: A step whose result has an identifier.
        free: Values that stood in texts without any identifier.
    """

    values: dict[str, set[str]] = field(default_factory=dict)
    owners: dict[str, set[str]] = field(default_factory=dict)
    places: dict[str, Step] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)

    def note(self, names: set[str], values: set[str], step: Step) -> None:
        """Take in what stood together."""
        if not names:
            self.free |= values
        for name in names:
            if len(self.places) < MAX_RECORDS:
                self.places.setdefault(name, step)
                self.values.setdefault(name, set()).update(values)
        for value in values:
            self.owners.setdefault(value, set()).update(names)


def records(run: Run) -> Records:
    """The records of a run, read once."""
    return shared(run, read_records)


def read_records(run: Run) -> Records:
    """Read every result: what stands in one result belongs to its identifiers."""
    found = Records()
    found.free = set(
        values_in(run.request.lower()) | values_in(run.policy.lower()[:50_000])
    )
    for step in run.graph.steps:
        if step.type == "BOUNDARY":
            found.free |= values_in(output(run, step).low)
        if step.type == StepType.EXEC and not failed(run, step):
            asked = set(_KEY.findall(arguments(run, step).low))
            for text in _blocks(output(run, step)):
                names = set(_KEY.findall(text)) | asked
                found.note(_some(names, 40), _some(values_in(text), 100), step)
    return found


def _some(words: set[str], limit: int) -> set[str]:
    return words if len(words) <= limit else set(sorted(words)[:limit])


def _blocks(said: Said) -> Iterator[str]:
    """Records of a list of records; else the whole result."""
    leaves = said.form.leaves
    rows: dict[str, list[str]] = {}
    for leaf in leaves:
        parts = leaf.path.split(".")
        place = next((n for n, part in enumerate(parts) if part.isdigit()), None)
        if place is None:
            yield said.low[:60_000]
            return
        rows.setdefault(".".join(parts[: place + 1]), []).append(
            str(leaf.value).lower()
        )
    for row in rows.values():
        yield "\n".join(row)


def values_in(text: str) -> set[str]:
    """Dates, exact amounts, times of day and spans of time in a text."""
    return {
        hit[0].replace(",", "").rstrip("s") for hit in _VALUE.finditer(text[:60_000])
    }


def mixed_up(run: Run, step: Step) -> Match | None:
    """A value next to an identifier that stood with another one only."""
    said = output(run, step)
    known = records(run)
    if len(known.places) < 2:
        return None
    for start, end, name in _segments(said, known.values):
        for hit in _VALUE.finditer(said.low, start, end):
            value = hit[0].replace(",", "").rstrip("s")
            other = _owner(known, name, value)
            if other:
                what = f"{short(said.text[hit.start() : hit.end()])} is told of {name}; the results have it with {other}"
                return match(
                    f"{what}.",
                    said.quote(start, end),
                    *_proof(run, known, other, value),
                )
    return None


def _owner(known: Records, name: str, value: str) -> str:
    """Another identifier of the same kind that alone has the value."""
    owners = known.owners.get(value, set())
    if not owners or name in owners or value in known.free:
        return ""
    if not known.values.get(name):
        return ""
    kind = _kind(name)
    same = sorted(owner for owner in owners if _kind(owner) == kind)
    return same[0] if same else ""


def _kind(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _segments(
    said: Said, names: Mapping[str, object]
) -> Iterator[tuple[int, int, str]]:
    """Parts of sentences that begin with a known identifier, up to the next one.

    Where a value comes before the first identifier, values may belong to what
    follows them: such a sentence is left alone unless it has one identifier.
    """
    for place, hit in enumerate(_SENTENCE.finditer(said.low[:30_000])):
        if place > 20 * MAX_SEGMENTS:
            return
        found = [k for k in _KEY.finditer(hit[0]) if k[0] in names]
        if len({key[0] for key in found}) == 1:
            yield hit.start(), hit.end(), found[0][0]
        elif found and _VALUE.search(hit[0], 0, found[0].start()) is None:
            ends = [key.start() for key in found[1:]] + [len(hit[0])]
            for key, end in zip(found, ends, strict=True):
                yield hit.start() + key.start(), hit.start() + end, key[0]


_SENTENCE = re.compile(r"[^\n.;]+(?:\.\d[^\n.;]*)*")


def _proof(run: Run, known: Records, other: str, value: str) -> tuple[Evidence, ...]:
    source = known.places.get(other)
    if source is None:
        return ()
    said = output(run, source)
    at = said.low.find(value)
    return (said.line(at),) if at >= 0 else (said.beginning(),)


CHECKS = (
    Check(
        "synth.mixed_up",
        "Records mixed up",
        "A sentence names one record, and a date, amount, time or span of time in it "
        "stood with another record of the same kind only.",
        frozenset({StepType.SYNTH}),
        "faithfulness",
        1.0,
        "conflation",
        mixed_up,
    ),
)
