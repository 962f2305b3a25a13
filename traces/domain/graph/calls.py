"""Which tool run answers which call: by id, else by name and order.

Where only model calls were instrumented, the result stands in the next model
call's input: an EXEC step is made from it.
"""

from __future__ import annotations

from collections import defaultdict

from traces.domain.graph.draft import Build, CallSite, Draft, excerpt
from traces.domain.graph.expand import RUNS, add_draft
from traces.domain.graph.tree import MAX_NAMED
from traces.domain.records import EdgeKind, Repair, StepType
from traces.domain.view import Message, StepContent


def link_calls(build: Build) -> None:
    """Add the edges PLAN → TOOLSEL → PARAMGEN → EXEC."""
    sites = [site for bundle in build.bundles.values() for site in bundle.sites]
    for site in sites:
        _link_site(build, site)
    runs = [
        draft
        for draft in build.drafts.values()
        if draft.part == "result" and build.views[draft.span_id].role in RUNS
    ]
    open_sites = _match_by_id(build, sites, runs)
    matched = set(build.results.values())
    rest = [draft for draft in runs if draft.key not in matched]
    open_sites = _match_by_order(build, open_sites, rest)
    _make_results(build, open_sites)


def _link_site(build: Build, site: CallSite) -> None:
    plan = next(iter(build.bundles[site.llm].heads))
    if build.drafts[plan].type == StepType.PLAN:
        why = "the tool is chosen in the same model call"
        build.add_edge(plan, site.select, EdgeKind.CALL, 1.0, why)
    why = "the arguments are given in the same model call"
    build.add_edge(site.select, site.arguments, EdgeKind.CALL, 1.0, why)


def _join(build: Build, site: CallSite, run: str, confidence: float, why: str) -> None:
    build.results[site.arguments] = run
    build.callers[run] = site.arguments
    build.add_edge(site.arguments, run, EdgeKind.CALL, confidence, why)


def _match_by_id(
    build: Build, sites: list[CallSite], runs: list[Draft]
) -> list[CallSite]:
    """Pair calls and runs that share an id; ids used twice pair in order."""
    by_id: dict[str, list[Draft]] = defaultdict(list)
    for draft in runs:
        call = draft.content.call
        if call and call.call_id:
            by_id[call.call_id].append(draft)
    for waiting in by_id.values():
        waiting.reverse()
    unmatched = []
    for site in sites:
        waiting = by_id.get(site.call.call_id, []) if site.call.call_id else []
        if waiting:
            why = f"call id {excerpt(site.call.call_id, 60)}"
            _join(build, site, waiting.pop().key, 1.0, why)
        else:
            unmatched.append(site)
    return unmatched


def _match_by_order(
    build: Build, sites: list[CallSite], runs: list[Draft]
) -> list[CallSite]:
    """Pair what is left: same tool, same or inner frame, next in time."""
    waiting: dict[str, list[CallSite]] = defaultdict(list)
    by_name: dict[str, list[Draft]] = defaultdict(list)
    for draft in runs:
        by_name[draft.tool].append(draft)
    paired: list[str] = []
    unmatched: list[CallSite] = []
    for site in sites:
        waiting[site.call.name].append(site)
    for name, calls in waiting.items():
        candidates = sorted(by_name.get(name, ()), key=lambda d: (d.start, d.key))
        at = 0
        for site in calls:
            asked = build.drafts[site.arguments].start
            while at < len(candidates) and candidates[at].start < asked:
                at += 1
            if at < len(candidates):
                why = f"next run of {excerpt(name, 60)} after the call"
                _join(build, site, candidates[at].key, 0.8, why)
                paired.append(candidates[at].key)
                at += 1
            else:
                unmatched.append(site)
    if paired:
        why = "Calls and results carry no common id; paired by tool name and order."
        build.repairs.append(
            Repair("id_matched_by_order", tuple(paired[:MAX_NAMED]), why)
        )
    return unmatched


def _make_results(build: Build, sites: list[CallSite]) -> None:
    """Read results that stand only in a later model call's input."""
    by_span: dict[str, list[CallSite]] = defaultdict(list)
    for site in sites:
        if site.call.call_id:
            by_span[site.llm].append(site)
    if not by_span:
        return
    asked: dict[str, CallSite] = {}
    for span_id in build.tree.walk():
        for message in build.views[span_id].input_messages if asked else ():
            answered = asked.pop(message.call_id, None) if message.call_id else None
            if answered is not None:
                _make_result(build, span_id, answered, message)
        asked |= {site.call.call_id: site for site in by_span.get(span_id, ())}


def _make_result(build: Build, span_id: str, site: CallSite, message: Message) -> None:
    tool = site.call.name or message.name
    content = StepContent(
        input=site.call.arguments,
        output=message.text,
        call=site.call,
        omitted=message.omitted,
    )
    part = f"result:{site.call.call_id[:25]}"
    node = build.tree.nodes[span_id]
    draft = add_draft(build, node, part, StepType.EXEC, tool, content, tool)
    draft.start = draft.end = build.drafts[site.arguments].end
    draft.group = build.drafts[site.arguments].group
    draft.agent = build.drafts[site.arguments].agent
    why = f"call id {excerpt(site.call.call_id, 60)} in the next model call's input"
    _join(build, site, draft.key, 1.0, why)
    build.bundles[site.llm].tails = [
        draft.key if key == site.arguments else key
        for key in build.bundles[site.llm].tails
    ]
