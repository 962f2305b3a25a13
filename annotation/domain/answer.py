"""What a person says about one step, read from a form or a file."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from traces.domain.records import Json

LOWEST, HIGHEST = 1, 5
LONGEST_COMMENT = 10_000
CONFIDENCES = (1, 2, 3)
"""Guess, fairly sure, sure."""


class AnswerError(ValueError):
    """An answer can't be taken.

    Attributes:
        faults: What is wrong, by field.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        """Keep the faults; the text names all of them."""
        super().__init__("; ".join(f"{name}: {why}" for name, why in faults.items()))
        self.faults = dict(faults)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer about one step.

    Attributes:
        score: 1 to 5 over all; None where scores stand by metric.
        metrics: 1 to 5 by metric.
        category: Taxonomy id, "" for no failure named.
        is_root: The step is held for the root cause.
        comment: Free text.
        confidence: One of ``CONFIDENCES``, None if not said.
        guideline_gap: The guidelines don't settle this case.
    """

    score: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    category: str = ""
    is_root: bool = False
    comment: str = ""
    confidence: int | None = None
    guideline_gap: bool = False

    @property
    def overall(self) -> float | None:
        """The score of the step: as given, else the mean of its metrics."""
        if self.score is not None:
            return self.score
        if not self.metrics:
            return None
        return math.fsum(self.metrics.values()) / len(self.metrics)


@dataclass(frozen=True, slots=True)
class Asked:
    """What has to be answered about a step.

    Attributes:
        metrics: Metrics to be scored; () for one score over all.
        categories: Taxonomy ids that may be named.
    """

    metrics: tuple[str, ...]
    categories: Collection[str]


def read_answer(content: Mapping[str, Json], asked: Asked) -> Answer:
    """Read a complete answer.

    Raises:
        AnswerError: With everything that is missing or wrong.
    """
    faults: dict[str, str] = {}
    score = None
    metrics: dict[str, float] = {}
    if asked.metrics:
        given = content.get("metrics")
        scores = given if isinstance(given, Mapping) else {}
        for name in asked.metrics:
            found = _score(scores.get(name), f"metrics.{name}", faults)
            metrics |= {} if found is None else {name: found}
    else:
        score = _score(content.get("score"), "score", faults)
    category = content.get("category") or ""
    if not isinstance(category, str) or (category and category not in asked.categories):
        faults["category"] = "no category of this version of the taxonomy"
    confidence = content.get("confidence")
    if confidence is not None and confidence not in CONFIDENCES:
        faults["confidence"] = "1 (guess), 2 (fairly sure) or 3 (sure)"
    comment = content.get("comment") or ""
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        faults["comment"] = f"text of at most {LONGEST_COMMENT} characters"
    if faults:
        raise AnswerError(faults)
    return Answer(
        score=score,
        metrics=metrics,
        category=str(category),
        is_root=content.get("is_root") is True,
        comment=str(comment),
        confidence=confidence if isinstance(confidence, int) else None,
        guideline_gap=content.get("guideline_gap") is True,
    )


def _score(value: Json, place: str, faults: dict[str, str]) -> float | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and LOWEST <= float(str(value)) <= HIGHEST:
        return float(str(value))
    faults[place] = "a whole number from 1 to 5"
    return None
