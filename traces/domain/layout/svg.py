"""The drawing as an SVG string, complete without any script.

Classes only, no style attributes: a strict content security policy holds. All
text of the trace is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from traces.domain.layout.drawing import Drawing
from traces.domain.layout.marks import (
    BADGE,
    NOTCH,
    DrawNode,
    State,
    classes,
    clean,
    cut,
    label,
    name_line,
    outline,
    score_text,
    type_line,
)
from traces.domain.layout.model import NODE_HEIGHT, NODE_WIDTH, Lane

MARGIN = 24
"""Free space around the drawing."""
LANE_NAME_LENGTH = 14
"""Characters of a lane's name that fit left of the first arrow."""
TEXT = BADGE + 6
"""Where the text of a node begins."""


def svg(
    drawing: Drawing, prefix: str = "n", link: str = "?step=", selected: str = ""
) -> str:
    """The whole drawing as one ``<svg>`` element.

    Args:
        drawing: At most some hundred boxes; larger ones go to the browser as
            columns.
        prefix: First part of every id; two drawings on one page need two.
        link: Address of a step without its key.
        selected: Key of the selected step, "" for none.
    """
    return _svg(drawing, prefix, link, selected, "")


def standalone_svg(drawing: Drawing, css: str, prefix: str = "n") -> str:
    """The drawing as a file of its own, with its style inside and no links.

    Args:
        drawing: Any size.
        css: Text of the style sheet ``static/css/graph.css``.
        prefix: First part of every id.
    """
    style = clean(css).replace("]]>", "]] >")
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return head + _svg(drawing, prefix, "", "", f"<style><![CDATA[{style}]]></style>")


def _svg(drawing: Drawing, prefix: str, link: str, selected: str, style: str) -> str:
    width, height = drawing.layout.size
    box = f"-{MARGIN} -{MARGIN} {width + 2 * MARGIN} {height + 2 * MARGIN}"
    focused = (
        selected if any(n.key == selected for n in drawing.nodes) else _first(drawing)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="g-graph" role="tree"'
        f' aria-label="{_safe(summary(drawing.steps))}" viewBox="{box}"'
        f' width="{width + 2 * MARGIN}" height="{height + 2 * MARGIN}"'
        f' data-width="{width}" data-height="{height}" data-prefix="{_safe(prefix)}">',
        style,
        definitions(prefix),
        '<g class="g-view" role="none">',
        '<g class="g-lanes" aria-hidden="true">',
        *(
            lane_svg(lane)
            for lane in drawing.layout.lanes
            if len(drawing.layout.lanes) > 1
        ),
        f'</g><g class="g-edges" aria-hidden="true" marker-end="url(#{_safe(prefix)}-arrow)">',
        *(edge_svg(drawing, place) for place in _path_last(drawing)),
        '</g><g class="g-nodes" role="none">',
        *_nodes(drawing, prefix, link, selected, focused),
        "</g></g></svg>",
    ]
    return "".join(parts)


def _path_last(drawing: Drawing) -> list[int]:
    """Edges in the order they are drawn: the path lies on top."""
    return sorted(
        range(len(drawing.edges)), key=lambda place: drawing.edges[place].on_path
    )


def _first(drawing: Drawing) -> str:
    return drawing.nodes[0].key if drawing.nodes else ""


def summary(steps: Sequence[DrawNode]) -> str:
    """One line about the drawing as a whole."""
    failed = sum(1 for node in steps if node.failed)
    noun = "step" if len(steps) == 1 else "steps"
    return f"Step graph: {len(steps):,} {noun}, {failed:,} failed"


def definitions(prefix: str) -> str:
    """The arrow and the hatching."""
    name = _safe(prefix)
    return (
        f'<defs><marker id="{name}-arrow" viewBox="0 0 8 8" refX="7.5" refY="4"'
        ' markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
        '<path class="g-arrow" d="M0 1L8 4L0 7Z"/></marker>'
        f'<pattern id="{name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
        ' patternTransform="rotate(45)"><path class="g-hatch" d="M0 0V6"/></pattern></defs>'
    )


def lane_svg(lane: Lane) -> str:
    """Rectangle and name of an agent's lane; the trunk has a name only."""
    name = (
        f'<text class="g-lane-name" x="{lane.x + 7}" y="{lane.y + 5}">'
        f"{_safe(cut(lane.name, LANE_NAME_LENGTH))}</text>"
    )
    if lane.trunk:
        return name
    return (
        f'<rect class="g-lane" x="{lane.x}" y="{lane.y}"'
        f' width="{lane.width}" height="{lane.height}" rx="6"/>{name}'
    )


def edge_svg(drawing: Drawing, place: int) -> str:
    """One edge, routed."""
    edge = drawing.edges[place]
    on = " g-on" if edge.on_path else ""
    return (
        f'<path class="g-e g-e-{edge.kind}{on}" d="{drawing.routes[place].path()}"'
        f' data-s="{edge.source}" data-t="{edge.target}"/>'
    )


def _nodes(
    drawing: Drawing, prefix: str, link: str, selected: str, focused: str
) -> Iterable[str]:
    for place, node in enumerate(drawing.nodes):
        attributes = f' tabindex="{0 if node.key == focused else -1}"'
        if node.key == selected:
            attributes += ' aria-selected="true"'
        if link:
            attributes += f' href="{_safe(link + quote(clean(node.key), safe=""))}"'
        yield node_svg(drawing, place, prefix, attributes)


def node_svg(drawing: Drawing, place: int, prefix: str, attributes: str = "") -> str:
    """One node; ``attributes`` are what differs from visit to visit."""
    node = drawing.nodes[place]
    x, y = drawing.layout.positions[place]
    parents = [drawing.nodes[p].index for p in drawing.parents[place]]
    return (
        f'<a class="{classes(node)}" id="{_safe(prefix)}-{_safe(node.key)}"'
        f' role="treeitem" aria-level="{drawing.layout.ranks[place] + 1}"'
        f' aria-label="{_safe(label(node, parents))}"{attributes}'
        f' data-key="{_safe(node.key)}" data-i="{place}" data-index="{node.index}"'
        f' transform="translate({x} {y})">{content(node, prefix)}</a>'
    )


def content(node: DrawNode, prefix: str) -> str:
    """What is inside a node: outline, badge, three texts and tags."""
    body, badge = outline(node)
    parts = [f'<path class="g-body" d="{body}"/>']
    if node.count > 1:
        parts.insert(
            0, f'<path class="g-stack" d="{body}" transform="translate(4 4)"/>'
        )
    if node.shown is not State.BOUNDARY:
        hatch = (
            f' fill="url(#{_safe(prefix)}-hatch)"'
            if node.shown is State.UNSCORED
            else ""
        )
        parts.append(f'<path class="g-badge" d="{badge}"{hatch}/>')
    if node.failed or node.on_path:
        parts.append(f'<path class="g-rim" d="{body}"/>')
    if node.failed:
        parts.append(f'<path class="g-notch" d="{NOTCH}"/>')
    return "".join(parts) + _texts(node)


def _texts(node: DrawNode) -> str:
    start = 12 if node.shown is State.BOUNDARY else TEXT
    name, middle = name_line(node), BADGE // 2 + 1
    title = (
        f"<title>{_safe(clean(node.name))}</title>"
        if name != node.name and not (node.count > 1 and not node.fan)
        else ""
    )
    score = f'<text class="g-score" x="{middle}" y="{17 if node.failed else 20}">{score_text(node)}</text>'
    sign = (
        f'<path class="g-sign" d="M{middle - 4} 34h8l-4 -7Z"/>' if node.failed else ""
    )
    at = f'<text class="g-at" x="{NODE_WIDTH - 12}" y="13">{"+" if node.count > 1 else node.index}</text>'
    tag = (
        f'<path class="g-tag" d="M{TEXT - 4} -8h34v14h-34Z"/>'
        f'<text class="g-tag-text" x="{TEXT + 13}" y="-1">root</text>'
        if node.role == "root"
        else ""
    )
    return (
        f'{title}{score}{sign}<text class="g-type" x="{start}" y="13">{_safe(type_line(node))}</text>'
        f'{at}<text class="g-name" x="{start}" y="{NODE_HEIGHT - 12}">{_safe(name)}</text>{tag}'
    )


def _safe(text: str) -> str:
    return escape(clean(text), quote=True)
