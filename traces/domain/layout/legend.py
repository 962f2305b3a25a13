"""What the signs of a drawing mean, each drawn as it is in the graph."""

from __future__ import annotations

from dataclasses import dataclass

from traces.domain.layout.marks import DrawNode, State, classes
from traces.domain.layout.model import NODE_HEIGHT, NODE_WIDTH
from traces.domain.layout.svg import content
from traces.domain.records import EdgeKind


@dataclass(frozen=True, slots=True)
class Sign:
    """A sample and what it means.

    Attributes:
        sample: ``<svg>`` element without ids, hidden from screen readers, who
            hear the words in the name of every step.
        words: Its meaning.
    """

    sample: str
    words: str


def _node(node: DrawNode, words: str) -> Sign:
    box = f"-3 -10 {NODE_WIDTH + 8} {NODE_HEIGHT + 16}"
    inside = f'<g class="{classes(node)}">{content(node, "n")}</g>'
    return Sign(_sample(box, NODE_WIDTH + 8, NODE_HEIGHT + 16, inside), words)


def _edge(kinds: str, words: str) -> Sign:
    lines = "".join(
        f'<path class="{kind}" d="M2 {8 + 10 * place}H62"/>'
        for place, kind in enumerate(kinds.split(","))
    )
    height = 16 + 10 * kinds.count(",")
    return Sign(_sample(f"0 0 64 {height}", 64, height, lines), words)


def _sample(box: str, width: int, height: int, inside: str) -> str:
    return (
        f'<svg class="g-graph g-sample" viewBox="{box}" width="{width * 4 // 5}"'
        f' height="{height * 4 // 5}" aria-hidden="true">{inside}</svg>'
    )


def _line(kind: EdgeKind) -> str:
    return f"g-e g-e-{kind}"


SCORED = State.SCORED
LEGEND = (
    _node(
        DrawNode(
            "",
            7,
            "PARAMGEN",
            "Root",
            "",
            SCORED,
            1.5,
            failed=True,
            role="root",
            on_path=True,
            path_step=1,
            path_length=2,
        ),
        "A root: it failed, and nothing it depends on did. Solid outline.",
    ),
    _node(
        DrawNode(
            "", 9, "EXEC", "Passed on", "", SCORED, 2.0, failed=True, role="propagated"
        ),
        "Passed on: it failed after a step it depends on. Broken outline.",
    ),
    _node(
        DrawNode("", 3, "PLAN", "Scored", "", SCORED, 4.5),
        "Score from 1 (orange) to 5 (blue), not below its threshold.",
    ),
    _node(
        DrawNode("", 4, "TOOLSEL", "No finding"), "No check fired: weaker than a pass."
    ),
    _node(
        DrawNode("", 5, "SYNTH", "Not scored", "", State.UNSCORED),
        "Not scored; select it for the reason.",
    ),
    _node(
        DrawNode("", 0, "BOUNDARY", "Given from outside", "", State.BOUNDARY),
        "Given from outside, never scored.",
    ),
    _node(
        DrawNode("", 12, "", "12 steps", "sub-agent", SCORED, 3.0, count=12),
        "Several steps in one box with their worst score. Select it to open it.",
    ),
    _edge("g-e g-on", "The path from the root to the selected failure."),
    _edge(
        f"{_line(EdgeKind.DECLARED)},{_line(EdgeKind.MESSAGE)}",
        "Declared, or a call and its result; thin: read as a message.",
    ),
    _edge(_line(EdgeKind.HANDOFF), "One agent hands over to another."),
    _edge(
        f"{_line(EdgeKind.DATA)},{_line(EdgeKind.ORDER)}",
        "A value of one step is used in the other; dotted: only the order is known.",
    ),
)
