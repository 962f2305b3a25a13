"""Write what came back: replies, verdicts, counters and spending at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from judging.domain.asking import NoReply, Reply, Usage
from judging.models import Evaluation, JudgeAnswer, Spend, Verdict
from judging.services.engine.work import Done, Work

RATIONALE = 4_000
"""Characters of a judge's words about one metric that are kept."""


@transaction.atomic
def record(done: Sequence[tuple[Work, Done]], *, now: datetime) -> None:
    """Store calls that are over; safe to repeat.

    A call that someone else recorded meanwhile stays as it is: replies, verdicts
    and counters go together in one transaction.
    """
    kept = _keep(done, now)
    for work, calls in _by_work(done):
        rows = [row for one in calls for row in _verdicts(work, one, kept)]
        Verdict.objects.bulk_create(rows, ignore_conflicts=True)
        _count(work, calls)
        _spend(work, calls, now)


def _by_work(
    done: Sequence[tuple[Work, Done]],
) -> Iterable[tuple[Work, list[Done]]]:
    groups: dict[int, tuple[Work, list[Done]]] = {}
    for work, one in done:
        groups.setdefault(work.evaluation, (work, []))[1].append(one)
    return (groups[key] for key in sorted(groups))


def _keep(done: Sequence[tuple[Work, Done]], now: datetime) -> Mapping[str, int]:
    """Keep new replies; primary key by key of all that were needed."""
    fresh = {
        one.ask.key: one.reply
        for _, one in done
        if one.kept is None and isinstance(one.reply, Reply)
    }
    rows = [
        JudgeAnswer(
            key=key,
            content=reply.content,
            model=reply.model[:100],
            mode=reply.mode,
            levels={metric: list(p) for metric, p in reply.levels.items()},
            dropped=list(reply.dropped),
            tier=reply.tier,
            latency_ms=reply.latency_ms,
            created_at=now,
            **asdict(reply.usage),
        )
        for key, reply in fresh.items()
    ]
    JudgeAnswer.objects.bulk_create(rows, ignore_conflicts=True)
    found = JudgeAnswer.objects.filter(key__in=fresh)
    return dict(found.values_list("key", "pk"))


def _verdicts(work: Work, one: Done, kept: Mapping[str, int]) -> list[Verdict]:
    reply, usage = one.reply, _paid(one)
    shared: dict[str, Any] = {
        "evaluation_id": work.evaluation,
        "step_key": one.ask.slot.step_key,
        "member": one.ask.slot.member,
        "source": "model",
        "model": reply.model[:100],
        "tier": reply.tier,
        "prompt_digest": one.ask.prompt.digest,
        "latency_ms": reply.latency_ms,
        "answer_id": one.kept or kept.get(one.ask.key),
        "is_cached": one.kept is not None,
        "cuts": [asdict(cut) for cut in one.ask.prompt.cuts],
        "dropped": list(reply.dropped) if isinstance(reply, Reply) else [],
    }
    rows = []
    for number, verdict in enumerate(one.answer.verdicts):
        spread = one.answer.distributions.get(verdict.metric)
        # A call is one price: it stands on the first of its verdicts, so that
        # sums are right.
        cost = usage if number == 0 else Usage()
        rows.append(
            Verdict(
                **shared,
                metric=verdict.metric,
                state=verdict.state,
                reason=verdict.reason,
                score=verdict.score,
                rationale=verdict.rationale[:RATIONALE],
                category=one.answer.category,
                distribution=None if spread is None else list(spread),
                input_tokens=cost.input_tokens,
                output_tokens=cost.output_tokens,
                cost_usd=cost.cost_usd,
            )
        )
    return rows


def _paid(one: Done) -> Usage:
    """What the call used this time: nothing if the reply was there already."""
    return Usage(0, 0, 0, 0.0) if one.kept is not None else one.reply.usage


def _count(work: Work, calls: Sequence[Done]) -> None:
    used = [_paid(one) for one in calls]
    Evaluation.objects.filter(pk=work.evaluation).update(
        answered=F("answered") + len(calls),
        cached=F("cached") + sum(one.kept is not None for one in calls),
        unpriced=F("unpriced") + sum(map(_unpriced, calls)),
        input_tokens=F("input_tokens") + sum(u.input_tokens or 0 for u in used),
        output_tokens=F("output_tokens") + sum(u.output_tokens or 0 for u in used),
        cached_tokens=F("cached_tokens") + sum(u.cached_tokens or 0 for u in used),
        cost_usd=F("cost_usd") + sum(u.cost_usd or 0.0 for u in used),
    )


def _unpriced(one: Done) -> bool:
    """Whether a call was answered at a price nobody knows."""
    paid = one.kept is None and isinstance(one.reply, Reply)
    return paid and one.reply.usage.cost_usd is None


def _spend(work: Work, calls: Sequence[Done], now: datetime) -> None:
    paid = [one for one in calls if one.kept is None and _was_sent(one.reply)]
    if not paid:
        return
    day, _ = Spend.objects.get_or_create(project_id=work.project, day=now.date())
    Spend.objects.filter(pk=day.pk).update(
        calls=F("calls") + len(paid),
        cost_usd=F("cost_usd") + sum(one.reply.usage.cost_usd or 0.0 for one in paid),
        unpriced=F("unpriced") + sum(map(_unpriced, paid)),
    )


def _was_sent(reply: Reply | NoReply) -> bool:
    return isinstance(reply, Reply) or bool(reply.model)
