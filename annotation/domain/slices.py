"""Agreement by step type, workflow, time, expert: always with its interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.domain.agreement import pair_wanted
from annotation.domain.bias import bias_wanted
from annotation.domain.draws import Draws
from annotation.domain.estimate import estimates
from annotation.domain.outcome import Note
from annotation.domain.pairs import Pairs
from annotation.domain.ratings import Rating

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
