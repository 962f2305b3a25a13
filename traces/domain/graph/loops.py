"""Retry loops: the same action again and again, numbered as iterations.

A trace is unrolled by nature; what is found here is which of its steps are
tries of the same thing. Tries follow each other within one agent: the same
tool, either with the same arguments or after a try that failed; or the same
words again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from traces.domain.graph.dataflow import output_text
from traces.domain.graph.draft import Build, Draft, compact, excerpt, fingerprint
from traces.domain.graph.tree import MAX_NAMED
from traces.domain.records import Json, Repair, StepType

FAILURE_WORDS = ("error", "exception", "traceback", "failed", "timed out", "timeout")
MIN_WORDS = 24
"""Shorter texts repeat without being a loop."""


def number_loops(build: Build, rank: Mapping[str, int]) -> None:
    """Number the tries of every loop and record each loop as unrolled."""
    runs: dict[tuple[str, str], list[Draft]] = defaultdict(list)
    texts: dict[tuple[str, bytes], list[Draft]] = defaultdict(list)
    for draft in sorted(build.drafts.values(), key=lambda d: rank[d.key]):
        frame = build.frame_of[draft.span_id]
        if draft.type == StepType.EXEC:
            runs[frame, draft.agent].append(draft)
        elif draft.type in {StepType.PLAN, StepType.SYNTH}:
            text = output_text(draft)
            if len(text) >= MIN_WORDS:
                texts[frame, fingerprint(text)].append(draft)
    for place in sorted(runs):
        for tries in _retries(runs[place]):
            _record(build, tries, f"{tries[0].tool} was tried {len(tries)} times")
    _record_repeats(build, texts)


def _record_repeats(
    build: Build, texts: Mapping[tuple[str, bytes], list[Draft]]
) -> None:
    for place in sorted(texts):
        again = texts[place]
        if len(again) > 1:
            said = excerpt(again[0].name, 40)
            _record(build, again, f"the same words came {len(again)} times: {said}")


def _retries(drafts: list[Draft]) -> list[list[Draft]]:
    """Maximal runs of tries, each at least two steps."""
    loops: list[list[Draft]] = []
    current: list[Draft] = []
    for draft in drafts:
        if current and not _tries_again(current[-1], draft):
            loops.append(current)
            current = []
        current.append(draft)
    loops.append(current)
    return [loop for loop in loops if len(loop) > 1]


def _tries_again(before: Draft, after: Draft) -> bool:
    if before.tool != after.tool or after.start < before.end:
        return False
    return _arguments(before) == _arguments(after) or _failed(before)


def _arguments(draft: Draft) -> Json:
    call = draft.content.call
    return call.arguments if call else draft.content.input


def _failed(draft: Draft) -> bool:
    if draft.error:
        return True
    beginning = output_text(draft)[:200].casefold()
    return any(word in beginning for word in FAILURE_WORDS)


def _record(build: Build, tries: list[Draft], what: str) -> None:
    for number, draft in enumerate(tries, 1):
        draft.loop, draft.iteration = tries[0].key, number
        _number_caller(build, draft, number)
    named = tuple(draft.key for draft in tries[:MAX_NAMED])
    asked = excerpt(compact(_arguments(tries[0])), 60) if tries[0].tool else ""
    why = f"Loop unrolled: {what}" + (f", first with {asked}." if asked else ".")
    build.repairs.append(Repair("loop_unrolled", named, why))


def _number_caller(build: Build, draft: Draft, number: int) -> None:
    caller = build.callers.get(draft.key)
    if caller:
        build.drafts[caller].loop, build.drafts[caller].iteration = draft.loop, number
