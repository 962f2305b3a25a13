"""Which traces a campaign takes: stratified, seeded, repeatable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from annotation.domain.chance import chance


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trace that may be drawn.

    Attributes:
        trace: Trace id.
        stratum: What must be represented, such as ("failed", "refund").
        disagreement: How much judges or experts differ on it; 0 is not at all.
    """

    trace: str
    stratum: tuple[str, ...] = ()
    disagreement: float = 0.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A trace that was drawn.

    Attributes:
        trace: Trace id.
        stratum: Its stratum.
        weight: How many traces of the stratum it stands for.
    """

    trace: str
    stratum: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class Sample:
    """What was drawn, and what it may be used for.

    Attributes:
        drawn: Traces, sorted by stratum and draw.
        sizes: Drawn and available by stratum.
        seed: Seed of the draw.
        representative: False where disagreements came first: such a sample is
            harder than its source, so its coefficients are no estimate for it.
    """

    drawn: tuple[Drawn, ...]
    sizes: Mapping[tuple[str, ...], tuple[int, int]]
    seed: int
    representative: bool


def allocation(
    sizes: Mapping[tuple[str, ...], int], n: int, *, equal: bool = False
) -> dict[tuple[str, ...], int]:
    """How many to draw of each stratum.

    Proportional by largest remainders, or equal; every stratum gets at least
    one if n allows, and never more than it has.
    """
    left = min(n, sum(sizes.values()))
    strata = sorted(sizes)
    given = dict.fromkeys(strata, 0)
    if left >= len(strata):
        given = {stratum: min(1, sizes[stratum]) for stratum in strata}
        left -= sum(given.values())
    total = sum(sizes.values())
    while left > 0:
        stratum = max(
            (one for one in strata if given[one] < sizes[one]),
            key=lambda one: (
                _shortage(n, sizes[one], total, given[one], equal, len(strata)),
                -strata.index(one),
            ),
        )
        given[stratum] += 1
        left -= 1
    return given


def _shortage(
    n: int, size: int, total: int, given: int, equal: bool, strata: int
) -> Fraction:
    """How far a stratum is behind its share."""
    wanted = Fraction(n, strata) if equal else Fraction(n * size, total)
    return wanted - given


def sample(
    candidates: Iterable[Candidate],
    n: int,
    seed: int,
    *,
    equal: bool = False,
    disagreements_first: bool = False,
) -> Sample:
    """Draw traces by stratum.

    Args:
        candidates: Traces, each once, in any order.
        n: How many to draw; fewer if there are fewer.
        seed: The same seed and candidates give the same sample; a further
            candidate moves only few others.
        equal: The same number of each stratum instead of its share.
        disagreements_first: Within a stratum those with most disagreement.

    Raises:
        ValueError: n is negative or a trace is named twice.
    """
    rows = sorted(candidates, key=lambda one: one.trace)
    if n < 0 or len({one.trace for one in rows}) != len(rows):
        raise ValueError("n is 0 or more, and each trace is named once")
    strata: dict[tuple[str, ...], list[Candidate]] = {}
    for one in rows:
        strata.setdefault(one.stratum, []).append(one)
    given = allocation({s: len(of) for s, of in strata.items()}, n, equal=equal)
    drawn: list[Drawn] = []
    for stratum in sorted(strata):
        order = sorted(
            strata[stratum],
            key=lambda one: (
                -one.disagreement if disagreements_first else 0.0,
                chance(seed, "sample", one.trace),
                one.trace,
            ),
        )
        kept = order[: given[stratum]]
        drawn.extend(Drawn(c.trace, stratum, len(order) / len(kept)) for c in kept)
    sizes = {stratum: (given[stratum], len(of)) for stratum, of in strata.items()}
    return Sample(tuple(drawn), sizes, seed, not disagreements_first)
