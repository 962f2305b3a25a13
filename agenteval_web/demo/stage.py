"""One run of a scenario: clock, chance, and what is noted on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from random import Random

from agenteval_web.demo.dialects import Dialect
from agenteval_web.demo.dialects.genai import GenAi
from agenteval_web.demo.dialects.openinference import OpenInference
from agenteval_web.demo.script import Fault
from agenteval_web.demo.tracing import OpenSpan, Tracer
from traces.domain.records import Scope, SpanRecord

DIALECTS: dict[str, Callable[[], Dialect]] = {
    "gen_ai": GenAi,
    "openinference": OpenInference,
}
SATURDAY, SUNDAY = 5, 6
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCOPES = {
    "gen_ai": ("opentelemetry.instrumentation.agents", "0.48b0"),
    "openinference": ("openinference.instrumentation.agents", "1.4.0"),
}


@dataclass
class Stage:
    """What a scenario plays on.

    Attributes:
        tracer: Records the spans.
        rng: Chooses wordings and times; seeded by the scenario.
        dialect: Convention the spans are written in.
        version: Version of the agent.
        start: When the run starts.
        seed: Seed of the whole demo.
        data_until: First day that isn't in the demo's tables any more.
        session: Session id, "" outside sessions.
        user: User id.
        root: First span of the run, once it is there.
        fault_span: Span where the injected fault begins, with the fault.
        truth: What a right final answer has to contain, found without tools.
        answer: Final answer, once it is given.
    """

    tracer: Tracer
    rng: Random
    dialect: Dialect
    version: str
    start: datetime
    seed: int
    data_until: date
    title: str
    workflow: str
    tags: tuple[str, ...] = ()
    session: str = ""
    user: str = ""
    root: OpenSpan | None = None
    fault_span: tuple[str, Fault] | None = None
    truth: list[str] = field(default_factory=list)
    answer: str = ""
    calls: int = 0
    edits: list[Callable[[tuple[SpanRecord, ...]], tuple[SpanRecord, ...]]] = field(
        default_factory=list
    )

    @property
    def today(self) -> date:
        """Day of the run."""
        return self.start.date()

    def pick(self, *options: str) -> str:
        """One of several wordings."""
        return self.rng.choice(options)

    def call_id(self) -> str:
        """A new tool call id, as model providers make them."""
        letters = "abcdefghijkmnpqrstuvwxyz23456789"
        return "call_" + "".join(self.rng.choices(letters, k=12))

    def mark(self, span_id: str, fault: Fault) -> None:
        """Note the span of the injected fault; the first one counts."""
        if self.fault_span is None:
            self.fault_span = (span_id, fault)

    def adopt(self, span: OpenSpan) -> None:
        """Put the facts of the whole run on its first span."""
        if self.root is None:
            self.root = span
            facts = {"session.id": self.session, "user.id": self.user}
            span.attributes.update({k: v for k, v in facts.items() if v})
            span.attributes["agenteval.trace.name"] = self.title
            span.attributes["agenteval.tags"] = list(self.tags)

    def records(self) -> tuple[SpanRecord, ...]:
        """The spans as they reach the collector."""
        spans = self.tracer.records()
        for edit in self.edits:
            spans = edit(spans)
        return spans


def day_text(day: date) -> str:
    """A date as the demo's people write it: ``Thu 26 Nov``."""
    return f"{day:%a} {day.day} {day:%b}"


def workday(day: date) -> date:
    """The day itself, or the Monday after a Sunday: nobody delivers on Sundays."""
    return day + timedelta(days=day.weekday() == SUNDAY)


def nanoseconds(moment: datetime) -> int:
    """Unix nanoseconds of a moment."""
    return (moment - EPOCH) // timedelta(microseconds=1) * 1000


def scope(dialect: str, service: str, version: str, workflow: str) -> Scope:
    """Resource and instrumentation scope of an agent's process."""
    name, number = SCOPES[dialect]
    resource = {
        "service.name": service,
        "service.version": version,
        "deployment.environment.name": "production",
        "telemetry.sdk.language": "python",
        "telemetry.sdk.name": "opentelemetry",
        "telemetry.sdk.version": "1.36.0",
        "agenteval.workflow": workflow,
    }
    return Scope(name=name, version=number, resource=resource)
