"""The text of a trace that the list's search looks in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from judging.domain.text import form_of
from traces.domain.records import Json, Step
from traces.domain.summary import Summary
from traces.domain.view import StepContent

LONGEST = 6_000
"""Characters kept of a trace. Of ten thousand traces with as many the database
looks through all in about a tenth of a second."""
ROOM_FOR_NAMES = 2_000
READ = 4_000
"""Characters of one argument list or result that are looked at."""


def search_text(
    summary: Summary, steps: Sequence[Step], contents: Mapping[str, StepContent]
) -> str:
    """Name, request, names of steps, then what tools were given and gave back.

    Arguments and results share the room that is left: short ones are kept
    whole, long ones get equal parts from their beginning.

    Args:
        summary: Facts about the trace.
        steps: Its steps in their order.
        contents: Content by step key.

    Returns:
        Case-folded lines, at most ``LONGEST`` characters.
    """
    names = dict.fromkeys(step.name for step in steps)
    head = "\n".join((summary.name, summary.preview, *names))[:ROOM_FOR_NAMES]
    parts = tuple(dict.fromkeys(_parts(steps, contents)))
    share = fair_share([len(part) + 1 for part in parts], LONGEST - len(head))
    tail = (part[: share - 1] for part in parts if share > 1)
    return "\n".join((head, *tail)).casefold()[:LONGEST]


def fair_share(lengths: Iterable[int], room: int) -> int:
    """The largest part for each with which all of them fit into the room."""
    ordered = sorted(lengths)
    for place, length in enumerate(ordered):
        sharing = len(ordered) - place
        if length * sharing > room:
            return room // sharing
        room -= length
    return ordered[-1] if ordered else 0


def _parts(steps: Iterable[Step], contents: Mapping[str, StepContent]) -> Iterator[str]:
    for step in steps:
        content = contents.get(step.key)
        if content is None or content.call is None:
            continue
        yield from filter(None, (_words(content.call.arguments), content.error))
        if step.type == "EXEC" and (result := _words(content.output)):
            yield result


def _words(value: Json) -> str:
    """The scalars in a value, one space between words; never its keys."""
    leaves = form_of(value, READ).leaves
    said = (leaf.value for leaf in leaves if not isinstance(leaf.value, bool))
    return " ".join(" ".join(str(one) for one in said if one is not None).split())
