"""Published data, as tests of agreement read them."""

from __future__ import annotations

from annotation.domain.ratings import Rating, RatingTable, tabulate
from annotation.domain.scale import SCORES, Label, Scale

COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
FLEISS_COHEN_EVERITT = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
WINNIPEG = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
PARADOX = [[80, 10], [5, 5]]
FIVE = [
    [10, 3, 1, 0, 0],
    [4, 14, 5, 1, 0],
    [1, 4, 20, 8, 1],
    [0, 1, 6, 40, 14],
    [0, 0, 1, 12, 55],
]
SHIFT = [[0, 10, 0, 0, 0], [0, 0, 10, 0, 0], [0, 0, 0, 10, 0], [0, 0, 0, 0, 10]]
SHIFT = [*SHIFT, [0] * 5]
ANXIETY = (
    *((3, 2), (6, 1), (4, 4), (6, 4), (2, 3), (4, 2), (2, 1), (4, 6), (3, 1), (3, 1)),
    *((2, 1), (3, 2), (3, 3), (3, 3), (2, 1), (2, 1), (1, 3), (3, 3), (3, 2), (4, 2)),
)
KRIPPENDORFF = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
GWET_RAW = ("123321412...", "1233224125..", ".33323422513", "12332441251.")
"""Gwet's copy of the same data has the single rating of item 12 with rater 3."""
WIKIPEDIA_ALPHA = (".....34121133.3", "1.213343.......", "..21344.21133.4")
DIAGNOSES = [
    *([0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6]),
    *([0, 3, 0, 3, 0], [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0]),
    *([2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0]),
    *([0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1]),
    *([3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3]),
    *([0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0]),
    *([1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0]),
    *([1, 0, 5, 0, 0], [0, 0, 0, 0, 6]),
]
FOURTEEN_RATERS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0]),
    *([2, 2, 8, 1, 1], [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2]),
    *([6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]


def labelled(
    rows: tuple[tuple[Label, ...], ...], scale: Scale, missing: Label = "."
) -> RatingTable:
    """One row a rater, one column an item, all of one trace."""
    given = {
        (f"{column:03}", f"rater {row}"): label
        for row, labels in enumerate(rows)
        for column, label in enumerate(labels)
        if label != missing
    }
    ratings = [Rating("t", step, rater, None) for step, rater in given]
    return tabulate(ratings, scale, lambda one: given[one.step, one.rater])


def scored(rows: tuple[str, ...], scale: Scale = SCORES) -> RatingTable:
    """One string of digits a rater; a dot is a missing rating."""
    digits = tuple(tuple("." if c == "." else int(c) for c in row) for row in rows)
    return labelled(digits, scale)


def pairs(table: list[list[int]]) -> list[tuple[int, int]]:
    """(row, column) of every item of a table, from 1."""
    q = range(len(table))
    return [(i + 1, j + 1) for i in q for j in q for _ in range(table[i][j])]


def ratings_of(
    rows: list[tuple[int, int]], names: tuple[str, str] = ("a", "b"), per_trace: int = 5
) -> list[Rating]:
    """Two ratings for each pair, so many steps to a trace."""
    return [
        Rating(f"t{at // per_trace:04}", f"s{at % per_trace}", name, score)
        for at, row in enumerate(rows)
        for name, score in zip(names, row, strict=True)
    ]


GWET_INTERVAL = (
    (1.0, 2.0, 0.5, 1.0, 1.0, ".", 2.5, 1.0, ".", 1.0, 1.5, 1.0, 1.0, 1.0, ".", 0.5),
    (1.5, 2.0, 1.0, 1.0, 1.0, 1.0, 2.5, 1.0, 1.0, 1.0, 1.5, 1.5, 1.0, 2.0, 1.0, 0.5),
    (1.0, 2.0, 1.5, 1.0, 1.0, 2.5, 2.5, ".", 2.0, 0.5, 1.5, 1.0, 1.5, 2.5, 1.5, 0.5),
    (".", 2.0, 1.5, 1.0, 1.5, ".", 2.5, 1.0, 1.0, 1.0, 1.5, ".", ".", 2.0, 1.0, 0.5),
)
