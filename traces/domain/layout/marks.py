"""What a drawn step says: its data, its words and its shape.

``static/src/graph/marks.js`` says the same in the browser; a test holds the two
together. Shapes and word lists reach it through the columnar document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from traces.domain.layout.model import NODE_HEIGHT, NODE_WIDTH
from traces.domain.records import BOUNDARY, EdgeKind, StepType

NAME_LENGTH = 22
"""Characters of a name that fit into a node, wide ones counted twice."""
MORE = 4
"""Further characters where there is no badge."""
WIDE = 0x1100
"""First code point that is counted as wide."""
BADGE = 36
"""Width of the part of a node that carries the score."""
NOTCH = f"M{NODE_WIDTH - 42} {NODE_HEIGHT + 1}l6 -7l6 7"
"""Cut into the lower edge of a failed step."""
WORDS = ("very poor", "poor", "fair", "good", "very good")
"""Scores 1 to 5 in words, by band."""
_SPACE = re.compile("[\t\n\r\u0085\u00a0\u2028\u2029\u3000\ufeff ]+")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class State(StrEnum):
    """What is known about the quality of a step."""

    SCORED = "scored"
    NO_FINDING = "no_finding"
    UNSCORED = "unscored"
    PENDING = "pending"
    BOUNDARY = "boundary"


SIGNS = {
    State.NO_FINDING: "·",
    State.UNSCORED: "?",
    State.PENDING: "…",
    State.BOUNDARY: "",
}
"""What stands in place of a score."""
STATE_WORDS = {
    State.NO_FINDING: "no finding",
    State.UNSCORED: "not scored",
    State.PENDING: "being judged",
    State.BOUNDARY: "given from outside, never scored",
}


@dataclass(frozen=True, slots=True)
class DrawNode:
    """One box of the drawing: a step, or several folded into one.

    Attributes:
        key: Step key; of a folded box the key of its first step.
        index: Index of the step in the whole trace, shown on the node.
        type: PLAN, TOOLSEL, PARAMGEN, EXEC, SYNTH, BOUNDARY or a project's own.
        name: Complete name; cut where it is drawn.
        agent: Who acted.
        state: See ``State``.
        score: 1 to 5 where scored; of a folded box the worst, else None.
        failed: Whether the score is below the threshold.
        role: ``root``, ``propagated`` or None.
        category: Failure category in words, "" if none.
        on_path: Whether the step lies on the attribution path shown.
        path_step: 1-based place on that path, 0 if unknown.
        path_length: Steps of that path.
        count: Steps in the box, 1 unless folded.
        fan: Whether the box stands for parallel calls of one name.
        conformance: "", ``ghost`` (expected, not there) or ``extra`` (not
            expected by the workflow's schema).
    """

    key: str
    index: int
    type: str
    name: str
    agent: str = ""
    state: State = State.NO_FINDING
    score: float | None = None
    failed: bool = False
    role: str | None = None
    category: str = ""
    on_path: bool = False
    path_step: int = 0
    path_length: int = 0
    count: int = 1
    fan: bool = False
    conformance: str = ""

    @property
    def shown(self) -> State:
        """The state, but never scored without a score."""
        lacking = self.state is State.SCORED and self.score is None
        return State.UNSCORED if lacking else self.state


@dataclass(frozen=True, slots=True)
class DrawEdge:
    """A line of the drawing.

    Attributes:
        source: Place of the upper box in the sequence of boxes.
        target: Place of the lower box.
        kind: Why the lower depends on the upper.
        on_path: Whether the attribution path runs along it.
    """

    source: int
    target: int
    kind: EdgeKind = EdgeKind.DECLARED
    on_path: bool = False


def clean(text: str) -> str:
    """Foreign text with U+FFFD in place of what XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)


def cut(text: str, room: int = NAME_LENGTH) -> str:
    """One line that fits into a node, with an ellipsis where it was cut.

    >>> cut("transfer_to_human_agents_now")
    'transfer_to_human_age…'
    """
    line = " ".join(filter(None, _SPACE.split(clean(text[: 4 * room]))))
    used = 0
    for place, character in enumerate(line):
        used += 2 if ord(character) >= WIDE else 1
        if used > room:
            return line[: max(0, place - 1)] + "…"
    return line


def band(score: float) -> int:
    """Colour step of a score, 1 to 5; halves go up."""
    return min(5, max(1, int(score + 0.5)))


def score_text(node: DrawNode) -> str:
    """The score as digits, one or two decimals, or the sign in its place."""
    if node.score is None or node.shown is not State.SCORED:
        return SIGNS[node.shown]
    return f"{node.score:.2f}".removesuffix("0")


def type_line(node: DrawNode) -> str:
    """The small line above the name."""
    if node.fan:
        return cut(f"{node.type} ×{node.count}", 16)
    if node.count > 1:
        return cut(node.agent or "folded", 16)
    return cut(node.type, 16)


def name_line(node: DrawNode) -> str:
    """The line with the name."""
    if node.count > 1 and not node.fan:
        return f"{node.count:,} steps"
    return cut(node.name, NAME_LENGTH + (node.shown is State.BOUNDARY) * MORE)


def label(node: DrawNode, parents: Sequence[int] = ()) -> str:
    """The accessible name: everything the drawing says, in words.

    Args:
        node: The box.
        parents: Indices of the steps it depends on; named where there are
            two or more, since the lines can't be heard.
    """
    said = [_what(node), *_judged(node)]
    if node.role == "root":
        said.append("root cause")
    elif node.role == "propagated":
        said.append("failure passed on")
    if node.on_path:
        where = f" {node.path_step} of {node.path_length}" if node.path_step else ""
        said.append(f"on the path{where}")
    if node.conformance:
        ghost = node.conformance == "ghost"
        said.append("expected but missing" if ghost else "not expected by the schema")
    if len(parents) > 1:
        named = [f"step {p}" for p in parents[:6]]
        more = [f"{len(parents) - 6} more"] if len(parents) > 6 else []
        said.append("depends on " + ", ".join(named + more))
    return clean(", ".join(said))


def _what(node: DrawNode) -> str:
    agent = f", agent {node.agent}" if node.agent else ""
    if node.fan:
        what = f"{node.count} parallel calls from step {node.index}, {node.type}, {node.name}"
    elif node.count > 1:
        what = f"{node.count} steps folded from step {node.index}"
    else:
        what = f"step {node.index}, {node.type}, {node.name}"
    return what + agent


def _judged(node: DrawNode) -> list[str]:
    if node.score is None or node.shown is not State.SCORED:
        return [STATE_WORDS[node.shown]]
    worst = "worst score" if node.count > 1 else "score"
    said = [f"{worst} {score_text(node)} of 5, {WORDS[band(node.score) - 1]}"]
    if node.failed:
        said.append(f"failed: {node.category}" if node.category else "failed")
    return said


def _outlines() -> dict[str, tuple[str, str]]:
    w, h, b = NODE_WIDTH, NODE_HEIGHT, BADGE
    half = h // 2
    ends = {
        StepType.PLAN: (
            f"M10 0H{w - 10}q10 0 10 10V{h - 10}q0 10 -10 10",
            "H10q-10 0 -10 -10V10q0 -10 10 -10Z",
        ),
        StepType.TOOLSEL: (f"M10 0H{w - 10}L{w} {half}L{w - 10} {h}", f"H10L0 {half}Z"),
        StepType.PARAMGEN: (f"M8 0H{w}L{w - 8} {h}", "H0Z"),
        StepType.EXEC: (f"M0 0H{w}V{h}", "H0Z"),
        StepType.SYNTH: (
            f"M{half} 0H{w - half}a{half} {half} 0 0 1 0 {h}",
            f"H{half}a{half} {half} 0 0 1 0 -{h}Z",
        ),
        BOUNDARY: (
            f"M4 0H{w - 4}q4 0 4 4V{h - 4}q0 4 -4 4",
            "H4q-4 0 -4 -4V4q0 -4 4 -4Z",
        ),
        "": (f"M8 0H{w - 8}L{w} 8V{h - 8}L{w - 8} {h}", f"H8L0 {h - 8}V8Z"),
    }
    return {
        str(kind): (right + left, f"{right[: right.index('H')]}H{b}V{h}{left}")
        for kind, (right, left) in ends.items()
    }


OUTLINES = _outlines()
"""Path data of outline and badge by step type; "" for types a project adds."""


def outline(node: DrawNode) -> tuple[str, str]:
    """Outline and badge of a node."""
    return OUTLINES.get(node.type, OUTLINES[""])


def classes(node: DrawNode) -> str:
    """CSS classes of a node, in a fixed order."""
    known = node.type in OUTLINES and node.type != ""
    found = ["g-n", f"g-{node.type.lower()}" if known else "g-other"]
    if node.score is not None and node.shown is State.SCORED:
        found.append(f"g-s{band(node.score)}")
    else:
        found.append(f"g-{node.shown.replace('_', '-')}")
    flags = {
        "g-failed": node.failed,
        "g-on": node.on_path,
        "g-root": node.role == "root",
        "g-propagated": node.role == "propagated",
        "g-fold": node.count > 1,
        "g-ghost": node.conformance == "ghost",
        "g-extra": node.conformance == "extra",
    }
    return " ".join(found + [name for name, set_ in flags.items() if set_])
