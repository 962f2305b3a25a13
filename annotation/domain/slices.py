"""Agreement by step type, workflow, time, expert: always with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from annotation.domain.agreement import many_agreement, pair_wanted
from annotation.domain.bias import bias_wanted
from annotation.domain.draws import Draws
from annotation.domain.estimate import estimates
from annotation.domain.outcome import Note
from annotation.domain.pairs import Pairs
from annotation.domain.ratings import Rating, tabulate

DIMENSIONS: dict[str, Callable[[Rating], str]] = {
    "kind": lambda rating: rating.kind,
    "group": lambda rating: rating.group,
    "period": lambda rating: rating.period,
    "expert": lambda rating: rating.rater,
}
SMALL = 20
KEPT = ("kappa_quadratic", "kappa", "fail_kappa", "exact", "within_1")


def sliced(pairs: Pairs, draws: Draws) -> dict[str, dict[str, Any]]:
    """Agreement and bias of each value of each dimension, as plain data.

    Each slice is a pooled coefficient of its own pairs; the whole is never the
    mean of its slices. A slice of fewer than 20 pairs is marked ``small``.
    Comparing many slices finds differences by chance: read intervals.

    Args:
        pairs: Expert first, judge second.
        draws: Draws of traces.
    """
    return {
        dimension: {
            name: one_slice(part, draws) for name, part in pairs.by(key).items()
        }
        for dimension, key in DIMENSIONS.items()
    }


def one_slice(pairs: Pairs, draws: Draws) -> dict[str, Any]:
    """The same of one part."""
    wanted, tables = pair_wanted(pairs)
    further, sums = bias_wanted(pairs)
    kept = [one for one in (*wanted, *further) if one.key in (*KEPT, "bias")]
    found = estimates(kept, {**tables, **sums}, len(pairs.traces), draws)
    small = [Note.SMALL] if len(pairs) < SMALL else []
    return {
        "n": len(pairs),
        "steps": pairs.steps,
        "traces": len(pairs.traces),
        "agreement": {key: found[key].as_json() for key in KEPT},
        "bias": found["bias"].as_json(),
        "notes": [{"code": note.value, "words": note.words} for note in small],
    }


def sliced_experts(
    ratings: Sequence[Rating], draws: Draws
) -> dict[str, dict[str, Any]]:
    """The experts among themselves by step type, workflow and time.

    Coefficients for many raters: none of them depends on who is named first.

    Args:
        ratings: Independent ratings of experts.
        draws: Draws of traces.
    """
    found: dict[str, dict[str, Any]] = {}
    for dimension, key in DIMENSIONS.items():
        if dimension != "expert":
            groups: dict[str, list[Rating]] = {}
            for rating in ratings:
                if name := key(rating):
                    groups.setdefault(name, []).append(rating)
            found[dimension] = {
                name: _experts(groups[name], draws) for name in sorted(groups)
            }
    return found


def _experts(ratings: Sequence[Rating], draws: Draws) -> dict[str, Any]:
    table = tabulate(ratings)
    agreed = many_agreement(table, draws)
    n = agreed["alpha_ordinal"].coefficient.n
    small = [Note.SMALL] if n < SMALL else []
    return {
        "n": n,
        "steps": len(table.items),
        "traces": len(table.traces),
        "agreement": {key: one.as_json() for key, one in agreed.items()},
        "notes": [{"code": note.value, "words": note.words} for note in small],
    }
