"""What may still be spent: by evaluation, by batch, by project and day."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Sum

from judging.models import Batch, Evaluation, Spend
from judging.services.engine.work import Work

FRESH = timedelta(seconds=2)
"""How long a sum read from the database is believed; calls that are on their way
when a budget ends may go beyond it by what they cost."""


class Purse:
    """Says whether a budget is spent, without asking the database for each call."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._batches: dict[int, tuple[datetime, bool]] = {}
        self._days: dict[tuple[int, float], tuple[datetime, bool]] = {}

    def is_empty(self, work: Work, now: datetime) -> bool:
        """Whether a further call would go beyond one of the budgets."""
        own = work.profile.budget_usd
        if own is not None and work.spent_usd >= own:
            return True
        return self._batch_spent(work, now) or self._day_spent(work, now)

    def _batch_spent(self, work: Work, now: datetime) -> bool:
        if work.batch is None:
            return False
        read, spent = self._batches.get(work.batch, (None, False))
        if read is None or now - read > FRESH:
            spent = _batch_is_spent(work.batch)
            self._batches[work.batch] = (now, spent)
        return spent

    def _day_spent(self, work: Work, now: datetime) -> bool:
        limit = work.profile.daily_usd
        if limit is None:
            return False
        read, spent = self._days.get((work.project, limit), (None, False))
        if read is None or now - read > FRESH:
            today = Spend.objects.filter(project=work.project, day=now.date())
            spent = (today.aggregate(cost=Sum("cost_usd"))["cost"] or 0.0) >= limit
            self._days[work.project, limit] = (now, spent)
        return spent


def _batch_is_spent(batch: int) -> bool:
    limit = Batch.objects.filter(pk=batch).values_list("budget_usd", flat=True).first()
    if limit is None:
        return False
    cost = Evaluation.objects.filter(batch=batch).aggregate(cost=Sum("cost_usd"))
    return (cost["cost"] or 0.0) >= limit
