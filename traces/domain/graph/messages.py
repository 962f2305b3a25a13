"""Message edges: whose words stand in a model call's input.

The inputs of successive calls repeat the whole conversation; only what is new
to an agent makes an edge, so that the work stays linear in what was sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from traces.domain.graph.draft import Build, excerpt, fingerprint, plain
from traces.domain.graph.expand import RUNS, add_draft
from traces.domain.records import BOUNDARY, CONFIDENCE, EdgeKind, StepType
from traces.domain.view import Message, Role, StepContent

MAX_PARENTS = 64
"""Message parents of one step at most; the latest count."""

MAX_MARK = 100_000
"""Characters of a message that tell it from others."""
RECENT, QUOTE_LENGTH, MAX_QUOTE = 16, 24, 4000
"""A prompt may quote one of the last outputs, if that is long enough to tell."""

_OWN = CONFIDENCE[EdgeKind.MESSAGE]


def link_messages(build: Build) -> None:
    """Add boundary steps for outside messages and the message edges."""
    reader = _Reader(build)
    for span_id in list(build.tree.walk()):
        view = build.views[span_id]
        if view.role is Role.LLM and span_id in build.bundles:
            reader.read(span_id)
        reader.learn(span_id)


class _Reader:
    """Walks the spans in order, knowing whose text is whose."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.by_text: dict[bytes, str] = {}
        self.by_call: dict[str, str] = {}
        self.seen: dict[str, set[bytes]] = {}
        self.recent: deque[tuple[str, str]] = deque(maxlen=RECENT)
        self.outside = any(view.role is Role.BOUNDARY for view in build.views.values())

    def learn(self, span_id: str) -> None:
        """Remember the texts that the steps of a span gave."""
        bundle = self.build.bundles.get(span_id)
        if bundle is None:
            return
        # Some senders use one call id for several calls: the latest counts.
        for site in bundle.sites:
            run = self.build.results.get(site.arguments)
            if run and site.call.call_id:
                self.by_call[site.call.call_id] = run
        for key in dict.fromkeys((*bundle.heads, *bundle.tails)):
            draft = self.build.drafts[key]
            text = plain(draft.content.output)
            if text and draft.type != StepType.PARAMGEN:
                self.by_text[fingerprint(text)] = key
                if len(text) >= QUOTE_LENGTH:
                    self.recent.append((text[:MAX_QUOTE], key))

    def read(self, span_id: str) -> None:
        """Connect one model call with whoever wrote what is new to it."""
        build = self.build
        heads = build.bundles[span_id].heads
        agent = build.agent_of[span_id]
        seen = self.seen.setdefault(agent, set())
        parents: dict[str, str] = {}
        for number, message in enumerate(build.views[span_id].input_messages):
            mark = fingerprint(
                f"{message.role}\0{message.call_id}\0{message.text}"[:MAX_MARK]
            )
            if mark in seen:
                continue
            seen.add(mark)
            for key in self._authors(span_id, number, message):
                parents[key] = _why(message)
        for key, why in list(parents.items())[-MAX_PARENTS:]:
            for head in heads:
                build.add_edge(key, head, EdgeKind.MESSAGE, _OWN, why)

    def _authors(self, span_id: str, number: int, message: Message) -> list[str]:
        """Steps whose words a message carries."""
        if message.call_id and message.call_id in self.by_call:
            return [self.by_call[message.call_id]]
        if not message.text:
            return []
        known = self.by_text.get(fingerprint(message.text))
        if known:
            return [known]
        quoted = [key for text, key in self.recent if text in message.text]
        if quoted or message.role not in {"user", "system"}:
            return quoted
        return self._from_outside(span_id, number, message)

    def _from_outside(self, span_id: str, number: int, message: Message) -> list[str]:
        """A boundary step for words that no step of the run wrote."""
        build = self.build
        inner = build.frame_of[span_id]
        delegated = inner and build.frame_of.get(inner)
        if delegated or (self.outside and message.role == "user"):
            return []
        node = build.tree.nodes[span_id]
        name = f"{message.role}: {excerpt(message.text)}"
        content = StepContent(output=message.text, omitted=message.omitted)
        part = f"{message.role}:{number}"
        draft = add_draft(build, node, part, BOUNDARY, name, content)
        draft.end = draft.start
        draft.agent = ""
        self.by_text[fingerprint(message.text)] = draft.key
        return [draft.key]


def _why(message: Message) -> str:
    words = excerpt(message.text, 60)
    return f"{message.role} message in the model's input: {words}"


def add_query(build: Build) -> None:
    """Make a boundary step of the root's input where nothing else shows a query."""
    if any(draft.type == BOUNDARY for draft in build.drafts.values()):
        return
    for span_id in _outermost(build):
        view = build.views[span_id]
        text = plain(view.input)
        if text and span_id in build.groups:
            node = build.tree.nodes[span_id]
            content = StepContent(output=view.input)
            name = f"user: {excerpt(text)}"
            draft = add_draft(build, node, "query", BOUNDARY, name, content)
            draft.end = draft.start
            draft.agent = ""
            return


def _outermost(build: Build) -> Iterator[str]:
    for span_id in build.tree.walk():
        if not build.group_of[span_id] and build.views[span_id].role not in RUNS:
            yield span_id
