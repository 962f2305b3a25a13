"""What is typed is kept; what is said is added, never rewritten."""

import pytest

from annotation.domain.answer import AnswerError
from annotation.models import Campaign, Consensus, Draft, Label, Sight
from annotation.services.labelling import ConflictError, save_draft, skip, submit
from annotation.services.queue import next_task
from tests.annotation.services.conftest import (
    NOW,
    add_task,
    content_for,
    later,
    raters_of,
)


@pytest.fixture
def taken(make_campaign):
    (one, _) = raters_of(make_campaign(tasks=1))
    return next_task(rater=one, now=NOW)


def typed(assignment, content, version, active_ms=0):
    return save_draft(
        assignment=assignment,
        item=assignment.task.items.get(),
        content=content,
        version=version,
        active_ms=active_ms,
        now=NOW,
    )


def test_a_draft_is_kept_as_it_grows(taken):
    assert typed(taken, {"score": 4}, 0).version == 1
    assert typed(taken, {"score": 4, "comment": "half a sen"}, 1).version == 2
    assert Draft.objects.get().content == {"score": 4, "comment": "half a sen"}


def test_two_tabs_see_each_other_instead_of_overwriting(taken):
    typed(taken, {"comment": "from one tab"}, 0)
    with pytest.raises(ConflictError) as refused:
        typed(taken, {"comment": "from another"}, 0)
    assert refused.value.stored == {"comment": "from one tab"}
    assert refused.value.version == 1
    assert typed(taken, {"comment": "from another"}, 1).version == 2


def test_a_save_that_is_repeated_is_the_same_save(taken):
    typed(taken, {"score": 4}, 0)
    assert typed(taken, {"score": 4}, 0).version == 1


def test_a_draft_never_touches_a_submission(taken):
    submit(assignment=taken, contents=content_for(taken, score=2), now=NOW)
    typed(taken, {"score": 5}, 0)
    assert Label.objects.get().score == 2


def test_time_counts_up_to_a_minute_a_stretch(taken):
    for version, spent in enumerate((30_000, 10**9, -5)):
        typed(taken, {"score": version + 1}, version, active_ms=spent)
    taken.refresh_from_db()
    assert taken.active_ms == 90_000


def test_a_submission_is_complete_or_says_what_is_missing(taken):
    (item,) = taken.task.items.all()
    with pytest.raises(AnswerError) as refused:
        submit(assignment=taken, contents={item.pk: {"category": "made-up"}}, now=NOW)
    assert refused.value.faults == {
        f"{item.pk}.score": "a whole number from 1 to 5",
        f"{item.pk}.category": "no category of this version of the taxonomy",
    }
    assert not Label.objects.exists()


@pytest.mark.parametrize("score", [0, 6, 3.5, "3", True, None, float("nan")])
def test_only_whole_scores_from_1_to_5(taken, score):
    with pytest.raises(AnswerError):
        submit(assignment=taken, contents=content_for(taken, score=score), now=NOW)


def test_a_correction_is_a_further_revision(taken):
    submit(assignment=taken, contents=content_for(taken, score=2), now=NOW)
    submit(assignment=taken, contents=content_for(taken, score=4), now=later(1))
    rows = Label.objects.order_by("revision")
    assert [(r.revision, r.score, r.is_current) for r in rows] == [
        (1, 2, False),
        (2, 4, True),
    ]


def test_saying_the_same_again_changes_nothing(taken):
    for minute in (0, 1):
        submit(assignment=taken, contents=content_for(taken), now=later(minute))
    assert Label.objects.get().submitted_at == NOW


def test_what_was_said_after_a_look_at_the_judge_is_not_blind(taken):
    submit(assignment=taken, contents=content_for(taken, score=2), now=NOW)
    Sight.objects.create(
        user=taken.rater.user, trace=taken.task.trace, what="judge", at=NOW
    )
    submit(assignment=taken, contents=content_for(taken, score=4), now=later(1))
    blind = Label.objects.order_by("revision").values_list("is_blind", flat=True)
    assert list(blind) == [True, False]


def test_a_closed_campaign_takes_nothing_and_keeps_the_draft(taken):
    typed(taken, {"score": 4}, 0)
    Campaign.objects.update(state="closed")
    with pytest.raises(ConflictError, match="closed"):
        submit(assignment=taken, contents=content_for(taken), now=NOW)
    assert Draft.objects.exists()


def test_what_has_been_settled_stays_as_it_was(taken):
    submit(assignment=taken, contents=content_for(taken, score=2), now=NOW)
    Consensus.objects.create(
        item=taken.task.items.get(),
        score=3,
        taxonomy_version=taken.task.campaign.taxonomy_version,
        cause="slip",
        decided_at=NOW,
    )
    with pytest.raises(ConflictError, match="settled"):
        submit(assignment=taken, contents=content_for(taken, score=5), now=NOW)


def test_a_trace_is_submitted_as_a_whole(make_campaign):
    campaign = make_campaign(tasks=0)
    add_task(campaign, 0, steps=3)
    taken = next_task(rater=raters_of(campaign)[0], now=NOW)
    contents = content_for(taken)
    missing = contents.popitem()[0]
    with pytest.raises(AnswerError) as refused:
        submit(assignment=taken, contents=contents, now=NOW)
    assert list(refused.value.faults) == [f"{missing}.score"]
    assert len(submit(assignment=taken, contents=content_for(taken), now=NOW)) == 3


def test_by_metric_where_the_campaign_asks_so(make_campaign):
    campaign = make_campaign(tasks=1, metrics="each")
    taken = next_task(rater=raters_of(campaign)[0], now=NOW)
    with pytest.raises(AnswerError, match=r"metrics\.success"):
        submit(assignment=taken, contents=content_for(taken), now=NOW)
    both = {"success": 2, "result_validity": 3}
    (label,) = submit(
        assignment=taken, contents=content_for(taken, metrics=both), now=NOW
    )
    assert (label.score, label.metrics) == (None, both)


def test_a_skip_needs_a_reason_and_comes_before_the_submission(taken):
    with pytest.raises(AnswerError, match="one of"):
        skip(assignment=taken, reason="tired", note="", now=NOW)
    submit(assignment=taken, contents=content_for(taken), now=NOW)
    with pytest.raises(ConflictError):
        skip(assignment=taken, reason="unsure", note="", now=NOW)
