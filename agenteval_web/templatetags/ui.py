"""Numbers, scores, times, ids and foreign text, shown one way on every page."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agenteval_web.lib import jsontree, markdown, marks, wording
from agenteval_web.lib.statuses import find_status
from agenteval_web.lib.zones import COOKIE, zone_named
from traces.domain.query.terms import quote

register = template.Library()

EXCERPT_LINES = 6
EXCERPT_LENGTH = 600
LONGEST_TEXT = 100_000
SHORT_ID = 8


@register.filter
def number(value: float | None) -> str:
    """A count or a measure; a dash where there is none."""
    return "–" if value is None else wording.number(value)


@register.filter
def score_text(value: float | None) -> str:
    """A score as text, for titles and sentences."""
    return "–" if value is None else wording.score(value)


@register.filter
def money(value: float | None) -> str:
    """US dollars; a dash where the sender stated none."""
    return "–" if value is None else wording.money(value)


@register.filter
def duration(milliseconds: float | None) -> str:
    """A length of time; a dash where it is unknown."""
    return "–" if milliseconds is None else wording.duration(milliseconds)


@register.filter
def percent(share: float | None) -> str:
    """A share of one as a percentage."""
    return "–" if share is None else wording.percent(share)


@register.filter
def hundred(share: float | None) -> str:
    """A share of one as 0 to 100 for drawing, whatever the reader's locale."""
    return f"{(share or 0) * 100:.2f}"


@register.simple_tag
def share(part: int, whole: int) -> SafeString:
    """A percentage with the numbers behind it; a dash of nothing."""
    return marks.share_mark(part, whole)


@register.simple_tag
def score(
    value: float | None,
    failed: bool = False,
    state: str = "scored",
    reason: str = "",
    threshold: float | None = None,
) -> SafeString:
    """A score chip.

    Args:
        value: 1 to 5, None where there is no score.
        failed: Whether the score is below its threshold.
        state: ``scored``, ``no_finding``, ``unscored``, ``pending`` or
            ``boundary``.
        reason: Why there is no score.
        threshold: Score below which the step fails, for the title.
    """
    if value is None:
        return marks.no_score_mark(state, reason)
    return marks.score_mark(value, failed=failed, threshold=threshold, bound=False)


@register.simple_tag
def trace_score(trace: Any) -> SafeString:
    """A trace's workflow score: an upper bound while steps lack a score."""
    if trace.judge_calls:
        return _JUDGE_CALLS
    if trace.score is None:
        waits = trace.digest_state == "waiting"
        return marks.no_score_mark("pending" if waits else "no_finding", "")
    bound = (trace.scored_count or 0) < trace.step_count
    failed = bool(trace.failed_count)
    return marks.score_mark(trace.score, failed=failed, threshold=None, bound=bound)


_JUDGE_CALLS = format_html(
    '<span class="quiet small" title="{}">judge</span>',
    "Calls of a judge: never judged",
)


@register.filter
def band(value: float | None) -> int:
    """Colour step of a score, 1 to 5; halves go up; 0 without a score."""
    return marks.band(value)


@register.simple_tag
def status(kind: str, value: str) -> SafeString:
    """A tag with its meaning: ``{% status "structure" trace.structure %}``."""
    return marks.status_mark(find_status(kind, value))


@register.simple_tag(takes_context=True)
def when(context: template.Context, moment: datetime | None) -> SafeString:
    """A moment: how long ago, else day and time in the reader's zone."""
    return marks.moment_mark(moment, reader_zone(context), timezone.now())


def reader_zone(context: template.Context) -> tzinfo:
    """Zone that the reader's browser told; UTC until it has."""
    request = context.get("request")
    return zone_named(request.COOKIES.get(COOKIE, "")) if request else UTC


@register.inclusion_tag("components/short_id.html")
def short_id(value: str) -> dict[str, str]:
    """An id's first characters, with the whole to copy."""
    short = value if len(value) <= SHORT_ID + 4 else value[:SHORT_ID]
    return {"value": value, "short": short}


@register.inclusion_tag("components/copy.html")
def copy_button(text: str, label: str = "Copy") -> dict[str, str]:
    """A button that copies a text; hidden where scripts are off."""
    return {"text": text, "label": label}


@register.inclusion_tag("components/excerpt.html")
def excerpt(text: str | None, lines: int = EXCERPT_LINES) -> dict[str, Any]:
    """Foreign text: its first lines, and the rest one click away."""
    whole = (text or "")[:LONGEST_TEXT]
    head = "\n".join(whole.splitlines()[:lines])[:EXCERPT_LENGTH]
    return {
        "head": head,
        "text": whole,
        "long": len(head) < len(whole.rstrip()),
        "left_out": max(0, len(text or "") - LONGEST_TEXT),
    }


@register.simple_tag
def json_tree(value: Any) -> SafeString:
    """A JSON value as a folding tree; text that holds JSON is read first."""
    if isinstance(value, str):
        value = value if (found := jsontree.read(value)) is None else found
    return jsontree.render(value)


@register.filter
def holds_json(value: Any) -> bool:
    """Whether ``json_tree`` would show more than one line of text."""
    if isinstance(value, str):
        return jsontree.read(value) is not None
    return isinstance(value, (dict, list)) and bool(value)


@register.simple_tag
def rich_text(text: str) -> SafeString:
    """Foreign Markdown, cleaned; plain text where it can't be rendered."""
    html = markdown.render(text)
    if html is None:
        return format_html('<pre class="plain">{}</pre>', text[:LONGEST_TEXT])
    return format_html('<div class="prose">{}</div>', html)


@register.filter
def words(name: str) -> str:
    """A name of the code as words: selection accuracy."""
    return name.replace("_", " ")


@register.filter
def quoted(value: str) -> str:
    """The text as a value in the trace list's query."""
    return quote(value)


@register.simple_tag
def token_status(token: Any, now: datetime) -> SafeString:
    """Whether an API token can be used."""
    ended = token.expires_at is not None and token.expires_at <= now
    state = "revoked" if token.revoked_at else "expired" if ended else "active"
    return marks.status_mark(find_status("token", state))
