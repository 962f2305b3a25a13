"""Stand-ins for what the engine works with."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from judging.domain.asking import Answer, Mode, NoReply, Prompt, Reply, Usage
from judging.domain.findings import Run
from judging.domain.profile import read_profile
from judging.domain.scores import MetricVerdict, State
from judging.models import Evaluation, JudgeAnswer, Verdict
from judging.services.engine.work import Ask, Done, NotReadyError, Slot, Work
from tests.traces.graph.spans import tool
from traces.domain.graph.build import build_graph

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
STEPS = 5
SPANS = tuple(tool(f"s{n}", n, n + 1, run="find", result="fine") for n in range(STEPS))


class Clock:
    """Time that a test moves."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def pass_(self, **time):
        self.now += timedelta(**time)


class FakeDesk:
    """Plans one call a step; a reply's content is its score."""

    def __init__(self, ask):
        self.ask = ask
        self.sent = Counter()
        self.ready = True

    def plan(self, evaluation):
        if not self.ready:
            raise NotReadyError
        built = build_graph(
            [replace(s, trace_id=evaluation.trace.trace_id) for s in SPANS]
        )
        keys = [s.key for s in built.graph.steps if not s.boundary]
        had = set(
            Verdict.objects.filter(evaluation=evaluation).values_list(
                "step_key", flat=True
            )
        )
        Evaluation.objects.filter(pk=evaluation.pk).update(asked=len(keys))
        return Work(
            evaluation=evaluation.pk,
            batch=evaluation.batch_id,
            project=evaluation.trace.project_id,
            trace=evaluation.trace_id,
            run=Run(built.graph, built.contents),
            findings=(),
            profile=read_profile(evaluation.profile_version.content),
            taxonomy=None,
            asker=self.call,
            prompts=None,
            corrected=(evaluation.replacement or {}).get("step", ""),
            spent_usd=evaluation.cost_usd,
            waiting=[Slot(key, 0) for key in keys if key not in had],
            attempts=evaluation.attempts,
        )

    async def call(self, prompt, member):
        self.sent[prompt.digest] += 1
        await asyncio.sleep(0)
        return self.ask(prompt.digest, self.sent[prompt.digest])

    def next_asks(self, work, most):
        taken = [work.waiting.pop() for _ in range(min(most, len(work.waiting)))]
        asks = []
        for slot in taken:
            digest = f"{work.run.graph.steps[0].key}{slot.step_key}"
            prompt = Prompt((), ("success",), {}, digest=digest)
            asks.append(Ask(slot, prompt, digest))
        kept = dict(
            JudgeAnswer.objects.filter(key__in=[a.key for a in asks]).values_list(
                "key", "pk"
            )
        )
        done = [
            replace(self.read(a, good(3)), kept=kept[a.key])
            for a in asks
            if a.key in kept
        ]
        return [a for a in asks if a.key not in kept], done

    def read(self, ask, reply):
        if isinstance(reply, Reply):
            verdict = MetricVerdict("success", State.SCORED, float(reply.content))
        else:
            verdict = MetricVerdict("success", State.UNSCORED, None, reply.reason)
        return Done(ask, reply, Answer((verdict,), "timeout"))

    def refuse(self, ask, reason):
        return self.read(ask, NoReply(reason))


def good(score, cost=0.01):
    return Reply(str(score), "small", Mode.JSON_SCHEMA, Usage(100, 10, 0, cost), 7)
