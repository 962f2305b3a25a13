"""Many raters on names without order, such as categories of failures.

Without weights agreement needs only how often values are equal, not which
values meet: sums per trace stay short even for dozens of categories.
"""

from __future__ import annotations

import numpy as np

from annotation.domain.alpha import Metric, alpha
from annotation.domain.bootstrap import quotients
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate, Totals, Wanted, estimates
from annotation.domain.fleiss import fleiss
from annotation.domain.gwet import gwet
from annotation.domain.ratings import RatingTable
from annotation.domain.scale import Array, identity


def nominal_agreement(table: RatingTable, draws: Draws) -> dict[str, Estimate]:
    """α, AC1 and Fleiss' κ of unordered values.

    Args:
        table: Ratings over the declared names.
        draws: Draws of traces.

    Returns:
        By key: ``alpha_nominal``, ``ac1`` and ``fleiss``, which asks for equally
        many ratings of every item.
    """
    counts, scale = table.counts, table.scale
    plain = identity(scale)
    wanted = [
        Wanted("alpha_nominal", alpha(counts, scale, Metric.NOMINAL), _alpha),
        Wanted("ac1", gwet(counts, plain), _ac1),
        Wanted("fleiss", fleiss(counts, plain), _fleiss),
    ]
    blocks = _sums(table) if table.items else {}
    return estimates(wanted, blocks, len(table.traces), draws)


def _sums(table: RatingTable) -> dict[str, Array]:
    """By trace: equal pairs / (m − 1) and / (m (m − 1)), uses, shares, items."""
    counts = table.counts.astype(float)
    sizes = counts.sum(axis=1)
    several = sizes > 1
    equal = (counts * (counts - 1)).sum(axis=1) / np.where(several, sizes - 1, 1.0)
    starts = np.searchsorted(table.trace_of, np.arange(len(table.traces)))
    rows = {
        "between": equal,
        "agreeing": equal / sizes,
        "pairable": counts * several[:, None],
        "shares": counts / sizes[:, None],
        "compared": several.astype(float),
        "rated": np.ones(len(counts)),
    }
    return {
        name: np.add.reduceat(values.reshape(len(counts), -1), starts)
        for name, values in rows.items()
    }


def _alpha(totals: Totals) -> Array:
    used = totals["pairable"]
    total = used.sum(axis=-1)
    apart = (total - totals["between"][..., 0]) * (total - 1)
    return quotients(apart, total**2 - (used**2).sum(axis=-1))


def _apart(totals: Totals) -> Array:
    compared = totals["compared"][..., 0]
    some = np.where(compared == 0, np.nan, compared)
    return np.asarray(1 - totals["agreeing"][..., 0] / some)


def _ac1(totals: Totals) -> Array:
    shares = totals["shares"] / totals["rated"]
    chance = (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    return quotients(_apart(totals), 1 - chance)


def _fleiss(totals: Totals) -> Array:
    shares = totals["shares"] / totals["rated"]
    return quotients(_apart(totals), (shares * (1 - shares)).sum(axis=-1))
