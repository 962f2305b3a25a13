"""Play all scenarios and collect their traces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from random import Random

from agenteval_web.demo.catalog import Scenario, scenarios
from agenteval_web.demo.script import Fault
from agenteval_web.demo.stage import DIALECTS, Stage, nanoseconds, scope
from agenteval_web.demo.tracing import Tracer
from traces.domain.records import ReferenceLabel, TraceRecord

SPREAD = timedelta(days=14)
OPENS, OPEN_HOURS = 7.5, 10.5
SOURCE = "demo"


@dataclass(frozen=True, slots=True)
class DemoTrace:
    """A trace of the demo and what is known about it.

    Attributes:
        record: Spans, with the known root as reference labels.
        workflow: Name of its workflow.
        scenario: Name of the scenario that made it.
        fault: The injected fault, None in a healthy run.
        truth: Texts that a right final answer contains; worked out without the
            agents' tools.
        answer: The final answer, "" where the run never came to one.
    """

    record: TraceRecord
    workflow: str
    scenario: str
    fault: Fault | None
    truth: tuple[str, ...]
    answer: str


def build_demo(*, now: datetime, seed: int = 7) -> tuple[DemoTrace, ...]:
    """All traces of the demo, oldest first, over the 14 days before ``now``.

    Args:
        now: Time with a zone; no span ends after it.
        seed: Chooses ids, durations and wordings.
    """
    now = now.astimezone(UTC)
    played = [(_start(scenario, now), scenario) for scenario in scenarios()]
    played.sort(key=lambda pair: (pair[0], pair[1].slug))
    return tuple(_play(scenario, start, now, seed) for start, scenario in played)


def _start(scenario: Scenario, now: datetime) -> datetime:
    """A moment in office hours, a scenario's age before now."""
    whole, part = divmod(scenario.age, 1)
    day = (now - timedelta(days=whole)).date()
    opening = datetime.combine(day, time(), UTC) + timedelta(hours=OPENS)
    start = opening + timedelta(hours=OPEN_HOURS * (1 - part))
    late = start > now - timedelta(hours=1)
    return start - timedelta(days=1) if late else start


def _play(scenario: Scenario, start: datetime, now: datetime, seed: int) -> DemoTrace:
    stage = _stage(scenario, start, now, seed)
    scenario.play(stage)
    spans = stage.records()
    fault = stage.fault_span[1] if stage.fault_span else None
    record = TraceRecord(stage.tracer.trace_id, spans, _labels(stage))
    return DemoTrace(
        record=record,
        workflow=scenario.workflow,
        scenario=scenario.slug,
        fault=fault,
        truth=tuple(stage.truth),
        answer=stage.answer,
    )


def _stage(scenario: Scenario, start: datetime, now: datetime, seed: int) -> Stage:
    rng = Random(f"{seed}/{scenario.slug}")  # noqa: S311 - repeatable, not secret
    start += timedelta(seconds=rng.uniform(0, 45))
    sender = scope(
        scenario.dialect, scenario.service, scenario.version, scenario.workflow
    )
    return Stage(
        tracer=Tracer(rng, nanoseconds(start), sender),
        rng=rng,
        dialect=DIALECTS[scenario.dialect](),
        version=scenario.version,
        start=start,
        seed=seed,
        data_until=(now - SPREAD).date(),
        title=scenario.title,
        workflow=scenario.workflow,
        tags=(scenario.tag,),
        session=scenario.session,
        user=scenario.user,
    )


def _labels(stage: Stage) -> tuple[ReferenceLabel, ...]:
    if stage.fault_span is None:
        return (ReferenceLabel("outcome", "passed", SOURCE),)
    span_id, fault = stage.fault_span
    return (
        ReferenceLabel(
            "root_step", fault.step_type, SOURCE, span_id, fault.description
        ),
        ReferenceLabel("category", fault.category, SOURCE, span_id),
        ReferenceLabel("outcome", "failed", SOURCE),
    )
