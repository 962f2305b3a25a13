"""What one step was given and gave, from its own span alone.

Opening one step of a long trace reads one payload, not all of them. Gives the
same as ``build_graph`` does (a test holds them together), but for the ``input``
and ``call`` of a result that was read from a model call's input: those stand in
another span.
"""

from __future__ import annotations

from dataclasses import replace

from traces.domain.graph.draft import Build
from traces.domain.graph.expand import expand
from traces.domain.graph.tree import hang
from traces.domain.reading import read_span
from traces.domain.records import SpanRecord
from traces.domain.view import SpanView, StepContent


def step_content(span: SpanRecord, part: str) -> StepContent | None:
    """Content of one part of a span, None if the span has no such part."""
    view = read_span(span)
    kind, _, rest = part.partition(":")
    if kind == "query":
        return StepContent(output=view.input)
    if kind == "result" and rest:
        return _result(view, rest)
    if kind in {"user", "system"} and rest.isdigit():
        return _message(view, int(rest))
    tree = hang([replace(span, parent_id=None)])
    build = Build(span.trace_id, tree, dict.fromkeys(tree.nodes, view))
    expand(build)
    found = (d.content for d in build.drafts.values() if d.part == part)
    return next(found, None)


def _result(view: SpanView, call_id: str) -> StepContent | None:
    for message in view.input_messages:
        if message.call_id[:25] == call_id:
            return StepContent(output=message.text, omitted=message.omitted)
    return None


def _message(view: SpanView, number: int) -> StepContent | None:
    if number >= len(view.input_messages):
        return None
    message = view.input_messages[number]
    return StepContent(output=message.text, omitted=message.omitted)
