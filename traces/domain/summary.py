"""What lists show of a trace: read from its spans, never from payloads again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from traces.domain.graph.build import BuiltTrace
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, SpanView

MAX_LISTED = 20


@dataclass(frozen=True, slots=True)
class Summary:
    """Facts about one trace; "" and None mean not known.

    ``start_ns`` and ``end_ns`` are Unix nanoseconds. Tokens and cost add up
    the innermost model calls, so that a wrapper that repeats its inner call's
    usage isn't counted twice.
    """

    name: str = ""
    workflow: str = ""
    agent: str = ""
    model: str = ""
    session: str = ""
    user: str = ""
    environment: str = ""
    version: str = ""
    case: str = ""
    run: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    preview: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    finished: bool = True
    step_count: int = 0
    error_count: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    judge_calls: bool = False


def summarise(
    spans: Iterable[SpanRecord], built: BuiltTrace, attributes: Mapping[str, Json]
) -> Summary:
    """Collect the facts about a trace.

    Args:
        spans: All its spans.
        built: Its graph and views.
        attributes: What a file stated about the whole trace; it wins.
    """
    spans = sorted(spans, key=lambda s: (s.start_ns or 0, s.span_id))
    views = [built.views[span.span_id] for span in spans]
    usage = _leaf_usage(spans, built.views)
    starts = [span.start_ns for span in spans if span.start_ns is not None]
    ends = [span.end_ns for span in spans if span.end_ns is not None]
    stated = _Stated(attributes, views)
    return Summary(
        name=stated.text("name") or _root_name(spans),
        workflow=stated.text("workflow")
        or next((v.declared.workflow for v in views if v.declared.workflow), ""),
        agent=stated.text("agent") or _first_agent(built),
        model=_most_common(view.model for view in views),
        session=stated.text("session") or _first(v.session for v in views),
        user=stated.text("user") or _first(v.user for v in views),
        environment=stated.text("environment"),
        version=stated.text("version"),
        case=stated.text("case"),
        run=stated.text("run"),
        outcome=stated.text("outcome"),
        tags=_tags(attributes, views),
        tools=tuple(sorted({s.tool for s in built.graph.steps if s.tool})[:MAX_LISTED]),
        preview=" ".join(built.request[:2000].split())[:300],
        start_ns=min(starts, default=None),
        end_ns=max(ends, default=None),
        finished=all(repair.kind != "unfinished" for repair in built.graph.repairs),
        step_count=sum(not step.boundary for step in built.graph.steps),
        error_count=sum(step.error for step in built.graph.steps),
        input_tokens=_total(view.usage.input for view in usage),
        output_tokens=_total(view.usage.output for view in usage),
        cost_usd=_total_cost(view.usage.cost_usd for view in usage),
        judge_calls=any(
            span.attributes.get("agenteval.judge") is True for span in spans
        ),
    )


class _Stated:
    """Facts that the file states, else the first span that does."""

    def __init__(self, attributes: Mapping[str, Json], views: list[SpanView]) -> None:
        self.sources = [attributes, *(view.metadata for view in views if view.metadata)]

    def text(self, key: str) -> str:
        for source in self.sources:
            value = source.get(key)
            if isinstance(value, (str, int, float)) and str(value):
                return str(value)
        return ""


def _root_name(spans: list[SpanRecord]) -> str:
    roots = [span.name for span in spans if not span.parent_id and span.name]
    return _first(roots) or _first(span.name for span in spans)


def _first_agent(built: BuiltTrace) -> str:
    return _first(step.agent for step in built.graph.steps)


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def _most_common(texts: Iterable[str]) -> str:
    counts = Counter(text for text in texts if text)
    return max(sorted(counts), key=lambda text: counts[text], default="")


def _tags(attributes: Mapping[str, Json], views: list[SpanView]) -> tuple[str, ...]:
    stated = attributes.get("tags")
    own = [str(tag) for tag in stated] if isinstance(stated, (list, tuple)) else []
    said = [tag for view in views for tag in view.tags]
    return tuple(dict.fromkeys((*own, *said)))[:MAX_LISTED]


def _leaf_usage(
    spans: list[SpanRecord], views: Mapping[str, SpanView]
) -> list[SpanView]:
    """Views of spans with usage that contain no other span with usage."""
    counted = {s.span_id for s in spans if _has_usage(views[s.span_id])}
    parent = {span.span_id: span.parent_id or "" for span in spans}
    wrappers: set[str] = set()
    for span_id in counted:
        above, seen = parent[span_id], {span_id}
        while above in parent and above not in seen and above not in wrappers:
            wrappers.add(above)
            seen.add(above)
            above = parent[above]
    leaves = [s.span_id for s in spans if s.span_id in counted - wrappers]
    return [views[span_id] for span_id in leaves]


def _has_usage(view: SpanView) -> bool:
    usage = view.usage
    spent = (usage.input, usage.output, usage.cost_usd)
    return view.role is not Role.EVALUATOR and any(part is not None for part in spent)


def _total(parts: Iterable[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _total_cost(parts: Iterable[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None
