"""The drawing as columns of numbers for the browser: compact, one list a field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from traces.domain.layout.drawing import Drawing
from traces.domain.layout.marks import (
    BADGE,
    NOTCH,
    OUTLINES,
    SIGNS,
    STATE_WORDS,
    WORDS,
    DrawNode,
    State,
    band,
)
from traces.domain.layout.model import GAP, GUTTER, NODE_HEIGHT, NODE_WIDTH
from traces.domain.layout.route import CORNER
from traces.domain.records import EdgeKind

VERSION = 1
STRIP = {
    State.NO_FINDING: "n",
    State.UNSCORED: "u",
    State.PENDING: "p",
    State.BOUNDARY: "b",
}
"""Letter of a step without a score in the score strip; scored ones have their band."""


def columnar(drawing: Drawing) -> dict[str, Any]:
    """Everything the browser needs to draw without asking again.

    Lists have one entry a box (``nodes``), an edge (``edges``) or a step
    (``strip``); words that repeat are numbers into ``words``.
    """
    words: dict[str, int] = {}
    return {
        "version": VERSION,
        "constants": constants(),
        "size": list(drawing.layout.size),
        "nodes": _nodes(drawing, words),
        "edges": _edges(drawing),
        "lanes": [
            [lane.name, lane.x, lane.y, lane.width, lane.height, int(lane.trunk)]
            for lane in drawing.layout.lanes
        ],
        "strip": _strip(drawing),
        "words": list(words),
    }


def constants() -> dict[str, Any]:
    """What drawing on the server and in the browser must agree on."""
    return {
        "grid": [NODE_WIDTH, NODE_HEIGHT, GUTTER, GAP],
        "badge": BADGE,
        "corner": CORNER,
        "states": [str(state) for state in State],
        "kinds": [str(kind) for kind in EdgeKind],
        "signs": {str(state): sign for state, sign in SIGNS.items()},
        "stateWords": {str(state): word for state, word in STATE_WORDS.items()},
        "scoreWords": list(WORDS),
        "notch": NOTCH,
        "outlines": {kind: list(paths) for kind, paths in OUTLINES.items()},
        "strip": {str(state): letter for state, letter in STRIP.items()},
    }


def _nodes(drawing: Drawing, words: dict[str, int]) -> dict[str, Any]:
    nodes = drawing.nodes
    return {
        "key": [node.key for node in nodes],
        "index": [node.index for node in nodes],
        "type": _numbered((node.type for node in nodes), words),
        "name": _numbered((node.name for node in nodes), words),
        "agent": _numbered((node.agent for node in nodes), words),
        "category": _numbered((node.category for node in nodes), words),
        "state": [list(State).index(node.state) for node in nodes],
        "score": [
            None if node.score is None else round(node.score, 4) for node in nodes
        ],
        "flags": [_flags(node) for node in nodes],
        "count": [node.count for node in nodes],
        "step": [node.path_step for node in nodes],
        "length": [node.path_length for node in nodes],
        "column": list(drawing.layout.columns),
        "row": list(drawing.layout.ranks),
    }


def _numbered(texts: Iterable[str], words: dict[str, int]) -> list[int]:
    return [words.setdefault(text, len(words)) for text in texts]


def _flags(node: DrawNode) -> int:
    values = (
        node.failed,
        node.role == "root",
        node.role == "propagated",
        node.on_path,
        node.fan,
        node.conformance == "ghost",
        node.conformance == "extra",
    )
    return sum(1 << bit for bit, value in enumerate(values) if value)


def _edges(drawing: Drawing) -> dict[str, Any]:
    kinds = list(EdgeKind)
    return {
        "source": [edge.source for edge in drawing.edges],
        "target": [edge.target for edge in drawing.edges],
        "kind": [kinds.index(edge.kind) for edge in drawing.edges],
        "path": [place for place, edge in enumerate(drawing.edges) if edge.on_path],
        "upper": [_short(route.upper) for route in drawing.routes],
        "gutter": [_short(route.gutter) for route in drawing.routes],
        "lower": [_short(route.lower) for route in drawing.routes],
        "door": _doors(drawing),
    }


def _doors(drawing: Drawing) -> list[list[float | None]]:
    """Edges that don't enter at the middle: place and distance from it."""
    found: list[list[float | None]] = []
    for place, route in enumerate(drawing.routes):
        middle = drawing.layout.positions[route.target][0] + NODE_WIDTH / 2
        if route.end[0] != middle:
            found.append([place, _short(route.end[0] - middle)])
    return found


def _short(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


def _strip(drawing: Drawing) -> dict[str, Any]:
    return {
        "cells": "".join(map(_cell, drawing.steps)),
        "failed": [i for i, step in enumerate(drawing.steps) if step.failed],
        "path": [i for i, step in enumerate(drawing.steps) if step.on_path],
        "root": [i for i, step in enumerate(drawing.steps) if step.role == "root"],
        "box": list(drawing.box),
    }


def _cell(step: DrawNode) -> str:
    if step.score is not None and step.shown is State.SCORED:
        return str(band(step.score))
    return STRIP[step.shown]
