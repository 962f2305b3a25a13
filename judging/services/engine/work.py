"""What the engine carries from planning to finishing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from judging.domain.asking import Answer, NoReply, Prompt, Reason, Reply
from judging.domain.findings import Finding, Run
from judging.domain.profile import Profile
from judging.domain.taxonomy import Taxonomy
from judging.models import Evaluation

Asker = Callable[[Prompt, int], Coroutine[Any, Any, Reply | NoReply]]
"""Puts a prompt to who gives a verdict, named by its number."""


class PromptMaker(Protocol):
    """Words what is asked about a step."""

    def prompt(self, run: Run, step_key: str) -> Prompt:
        """The question about one step of a run."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One verdict to get.

    Attributes:
        step_key: The step.
        member: Number among all verdicts of the step, from 0.
    """

    step_key: str
    member: int


@dataclass(frozen=True, slots=True)
class Ask:
    """One call that has no verdicts yet.

    Attributes:
        slot: What it is about.
        prompt: What is asked.
        key: Key under which its reply is looked for and kept.
        ladder: Key by tier of the judges that may answer.
    """

    slot: Slot
    prompt: Prompt
    key: str
    ladder: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """A call that is over.

    Attributes:
        ask: What was asked.
        reply: What came back.
        answer: Its verdicts.
        kept: Primary key of the kept reply it was read from, None if it is new
            or there is none.
    """

    ask: Ask
    reply: Reply | NoReply
    answer: Answer
    kept: int | None = None


@dataclass
class Work:
    """One leased evaluation.

    Attributes:
        evaluation: Primary key.
        batch: Primary key of its batch, None for none.
        project: Primary key of the project.
        trace: Primary key of the trace.
        run: Graph and contents.
        findings: What the checks found.
        profile: How to judge.
        taxonomy: What failures are called.
        asker: Where prompts go.
        prompts: Words the questions.
        judges: Digests of the profile's judges, by tier.
        corrected: Key of the step whose output a counterfactual replaces, "" for
            a plain evaluation.
        spent_usd: What it cost before.
        waiting: Verdicts still to get, the next last. Their prompts are built
            when they are sent: those of a long run would not fit in memory.
        outstanding: Calls sent.
        put_off: Calls that failed for now.
        retry_after: Longest wait an endpoint asked for, seconds.
        attempts: Times the evaluation was put back before.
    """

    evaluation: int
    batch: int | None
    project: int
    trace: int
    run: Run
    findings: tuple[Finding, ...]
    profile: Profile
    taxonomy: Taxonomy
    asker: Asker
    prompts: PromptMaker
    judges: tuple[str, ...] = ()
    corrected: str = ""
    spent_usd: float = 0.0
    waiting: list[Slot] = field(default_factory=list)
    outstanding: int = 0
    put_off: int = 0
    retry_after: float = 0.0
    attempts: int = 0

    @property
    def settled(self) -> bool:
        """Nothing is to be sent and nothing is on its way."""
        return not self.waiting and not self.outstanding


class NotReadyError(Exception):
    """The trace still receives spans or has not been digested."""


class UnbuildableError(Exception):
    """The graph of the trace can't be built; says why."""


class OutgrownError(Exception):
    """The trace has grown since some of its steps were judged."""


class Desk(Protocol):
    """Turns evaluations into calls and replies into answers."""

    def plan(self, evaluation: Evaluation) -> Work:
        """What an evaluation still needs.

        Raises:
            NotReadyError: It has to wait for its trace.
            OutgrownError: Another evaluation has to take its place.
            UnbuildableError: There is nothing to judge.
        """

    def next_asks(self, work: Work, most: int) -> tuple[list[Ask], list[Done]]:
        """The next calls to send, and what is answered without one."""

    def read(self, ask: Ask, reply: Reply | NoReply) -> Done:
        """The answer that a reply gives."""

    def refuse(self, ask: Ask, reason: Reason) -> Done:
        """The answer about what is not asked."""
