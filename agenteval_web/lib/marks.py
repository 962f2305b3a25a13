"""Small marks that stand in every row: a score, a state, a moment.

They are made here and not from template files, because a list draws hundreds
of them: a template would cost more than everything else on the page.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from agenteval_web.lib import wording
from agenteval_web.lib.statuses import Status

NOTHING = mark_safe('<span class="quiet">–</span>')


def band(value: float | None) -> int:
    """Colour step of a score, 1 to 5; halves go up; 0 without a score."""
    return 0 if value is None else min(5, max(1, int(value + 0.5)))


def score_mark(
    value: float, *, failed: bool, threshold: float | None, bound: bool
) -> SafeString:
    """A score: colour, digit and shape, and the same in words.

    Args:
        value: 1 to 5.
        failed: Whether it is below its threshold.
        threshold: Score below which the step fails, for the title.
        bound: The score is an upper bound: not every step was judged.
    """
    return format_html(
        '<span class="score score-band-{}{}{}" title="{}">'
        '<span class="score-sign" aria-hidden="true"></span>'
        '<span class="visually-hidden">Score {}</span>{}{}'
        '<span class="visually-hidden">{}</span></span>',
        band(value),
        " score-failed" if failed else "",
        " score-bound" if bound else "",
        _score_title(failed, threshold, bound),
        "at most " if bound else "",
        _AT_MOST if bound else "",
        wording.score(value),
        ", failed" if failed else "",
    )


_AT_MOST = mark_safe('<span aria-hidden="true">≤</span>')


def _score_title(failed: bool, threshold: float | None, bound: bool) -> str:
    if threshold is not None:
        side = "Failed: below" if failed else "Passed: not below"
        return f"{side} the threshold of {wording.score(threshold)}"
    if bound:
        return "At most this: steps without a finding count as 5"
    return "Has failed steps" if failed else ""


def no_score_mark(state: str, reason: str) -> SafeString:
    """Why there is no score: pending, unscored, boundary, else no finding."""
    sign, words, title = _NO_SCORE.get(state, _NO_SCORE["no_finding"])
    because = f": {reason}" if reason and state == "unscored" else ""
    return format_html(
        '<span class="score score-{}" title="{}">'
        '<span class="score-mark" aria-hidden="true">{}</span>'
        '<span class="visually-hidden">{}</span></span>',
        state.replace("_", "-") if state in _NO_SCORE else "no-finding",
        title + because,
        sign,
        words + because,
    )


_NO_SCORE = {
    "no_finding": (
        "·",
        "no finding",
        "No finding: no check fired, which is weaker than a judged pass",
    ),
    "unscored": ("?", "unscored", "Unscored"),
    "pending": ("…", "being judged", "Being judged"),
    "boundary": ("", "never scored", "Given from outside, never scored"),
}


def status_mark(status: Status) -> SafeString:
    """A state: a sign and a word, with its meaning on hover."""
    if not status.label:
        return SafeString("")
    return format_html(
        '<span class="status status-{}" title="{}">{}</span>',
        status.tone,
        status.help,
        status.label,
    )


def moment_mark(moment: datetime | None, zone: tzinfo, now: datetime) -> SafeString:
    """A moment: how long ago, else day and time in a zone; UTC on hover."""
    if moment is None:
        return NOTHING
    local = wording.day_and_time(moment.astimezone(zone), now.astimezone(zone))
    ago = wording.ago(moment, now)
    return format_html(
        '<time datetime="{}" title="{} · {}"{}>{}</time>',
        moment.isoformat(),
        local,
        wording.utc(moment),
        _RELATIVE if ago else "",
        ago or local,
    )


_RELATIVE = mark_safe(" data-relative")


def share_mark(part: int, whole: int) -> SafeString:
    """A percentage with the numbers behind it; a dash of nothing."""
    if not whole:
        return format_html('<span class="quiet">– (n{} = 0)</span>', "")
    return format_html(
        '<span class="num">{}</span> <span class="quiet num">({} of {})</span>',
        wording.percent(part / whole),
        wording.number(part),
        wording.number(whole),
    )
