"""Who reads what: calls and results, what follows a failure, replies, agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judging.domain.checks.failures import failed, signs
from judging.domain.checks.text import cue, output, shared
from judging.domain.findings import Run
from traces.domain.records import BOUNDARY, EdgeKind, Step, StepType

MODEL = frozenset({StepType.PLAN, StepType.SYNTH})
CHOICE = frozenset({StepType.TOOLSEL, StepType.PARAMGEN})
NEXT_TRIES = 3
"""A later success of the same tool and agent heals a failure if it comes so soon."""

ADMITS = cue(
    "error",
    "fail",
    "unable",
    "not ",
    "n't",
    "n’t",
    "invalid",
    "issue",
    "problem",
    "apolog",
    "sorry",
    "unfortunately",
    "timed out",
    "timeout",
    "retry",
    "again",
    "instead",
    "mistake",
    "missing",
    "wrong",
    "incorrect",
    "fix",
    "unavailable",
    "however",
    "alternative",
    "seems",
    "appears",
    "no longer",
    "different",
    "only",
    "correct",
    "exceed",
    "insufficient",
    "oops",
    "adjust",
    "refus",
    "reject",
    "declin",
    "without",
    "cannot",
    "need to",
    "let's try",
    "let me",
    "another",
    pattern=r"""
    \berror | \bfail | \bunable\b | \bnot\b | n['’]t\b | \bcannot\b | \binvalid | \bissue
    | \bproblem | \bapolog | \bsorry\b | \bunfortunately\b | \btime[d]?[ -]?out
    | \bretry | \bagain\b | \binstead\b | \bmistake | \bmissing\b | \bwrong\b
    | \bincorrect | \bfix | \bunavailable\b | \bhowever\b | \balternative | \bseems\b
    | \bappears\b | \bno\ longer\b | \bdifferent | \bonly\b | \bcorrect | \bexceed
    | \binsufficient | \boops\b | \badjust | \brefus | \breject | \bdeclin | \bwithout\b
    | \bneed\ to\b | \blet['’]s\ try\b | \banother\b
    """,
)
"""Words of a text that doesn't pass over a failure."""


class After(StrEnum):
    """What became of a failed tool run."""

    RECOVERED = "recovered"
    """A later run of the same tool succeeded."""
    TOLD = "told"
    """Whoever read it says so."""
    IGNORED = "ignored"
    """The run goes on as if nothing had happened."""
    LAST = "last"
    """Nothing follows."""

    @property
    def handled(self) -> bool:
        """Whether the failure was dealt with."""
        return self in {After.RECOVERED, After.TOLD}


@dataclass(frozen=True)
class Flow:
    """Who reads what in a run.

    Attributes:
        results: Tool run by the key of its arguments step.
        callers: Arguments step by the key of its tool run.
        readers: First step that goes on after a tool run, by the run's key.
        successes: Place among the runs of its tool where the next success is,
            less its own place, by key of a failed run.
        replies: Answers after which the user speaks or nobody does.
        final: Last answer of the run, None if there is none.
        agents: Who acts, in order of first action.
    """

    results: Mapping[str, Step]
    callers: Mapping[str, Step]
    readers: Mapping[str, Step]
    successes: Mapping[str, int]
    replies: frozenset[str]
    final: Step | None
    agents: tuple[str, ...]


def flow(run: Run) -> Flow:
    """The flow of a run, made once."""
    return shared(run, build_flow)


def build_flow(run: Run) -> Flow:
    """Read the flow off the graph."""
    callers = _callers(run)
    answers = [step for step in run.graph.steps if step.type == StepType.SYNTH]
    agents = (s.agent for s in run.graph.steps if s.type in MODEL | CHOICE and s.agent)
    return Flow(
        results={call.key: run.steps[key] for key, call in callers.items()},
        callers=callers,
        readers=_readers(run),
        successes=_successes(run),
        replies=_replies(run.graph.steps),
        final=answers[-1] if answers else None,
        agents=tuple(dict.fromkeys(agents)),
    )


def _callers(run: Run) -> Mapping[str, Step]:
    return {
        edge.target: run.steps[edge.source]
        for edge in run.graph.edges
        if edge.kind in {EdgeKind.CALL, EdgeKind.DECLARED}
        and run.steps[edge.source].type == StepType.PARAMGEN
        and run.steps[edge.target].type == StepType.EXEC
    }


def _readers(run: Run) -> Mapping[str, Step]:
    """The first child that goes on, else the next step that does."""
    found: dict[str, Step] = {}
    following: Step | None = None
    for step in reversed(run.graph.steps):
        if step.type == StepType.EXEC:
            children = (run.steps[e.target] for e in run.children.get(step.key, ()))
            goes_on = [c for c in children if c.type in MODEL or c.type in CHOICE]
            chosen = min(goes_on, key=lambda child: child.index, default=following)
            if chosen is not None:
                found[step.key] = chosen
        elif step.type in MODEL or step.type in CHOICE:
            following = step
    return found


def _successes(run: Run) -> Mapping[str, int]:
    by_tool: dict[tuple[str, str], list[Step]] = {}
    for step in run.graph.steps:
        if step.type == StepType.EXEC:
            by_tool.setdefault((step.tool, step.agent), []).append(step)
    found: dict[str, int] = {}
    for runs in by_tool.values():
        latest: int | None = None
        for place in range(len(runs) - 1, -1, -1):
            if not failed(run, runs[place]):
                latest = place
            elif latest is not None:
                found[runs[place].key] = latest - place
    return found


def _replies(steps: Sequence[Step]) -> frozenset[str]:
    found = set()
    spoken = True
    for step in reversed(steps):
        if step.type == BOUNDARY:
            spoken = spoken or step.part.startswith(("user", "query"))
        else:
            if spoken and step.type == StepType.SYNTH:
                found.add(step.key)
            spoken = False
    return frozenset(found)


def after(run: Run, step: Step) -> After:
    """What became of a failed tool run."""
    found = flow(run)
    if found.successes.get(step.key, NEXT_TRIES + 1) <= NEXT_TRIES:
        return After.RECOVERED
    reader = found.readers.get(step.key)
    if reader is None:
        return After.LAST
    if reader.type in MODEL and ADMITS.find(output(run, reader)):
        return After.TOLD
    return After.IGNORED


def author(run: Run, step: Step) -> Step | None:
    """The step whose arguments or code a tool run carried out."""
    found = flow(run).callers.get(step.key)
    if found is not None:
        return found
    for edge in reversed(run.parents.get(step.key, ())):
        source = run.steps[edge.source]
        if edge.kind is EdgeKind.DECLARED and source.type in MODEL:
            return source
    return None


def is_final(run: Run, step: Step) -> bool:
    """Whether a step is the last answer of the run."""
    final = flow(run).final
    return final is not None and final.key == step.key


def is_reply(run: Run, step: Step) -> bool:
    """Whether an answer is for the user: they speak next, or nobody does."""
    return step.key in flow(run).replies


def failure_before(run: Run, step: Step) -> Step | None:
    """The latest failed tool run among a step's parents."""
    for edge in reversed(run.parents.get(step.key, ())):
        source = run.steps[edge.source]
        if source.type == StepType.EXEC and signs(run, source):
            return source
    return None
