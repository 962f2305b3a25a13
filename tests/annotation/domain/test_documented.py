"""docs/agreement.md names every coefficient, reason and note."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.domain.agreement import many_agreement, pair_agreement
from annotation.domain.bias import bias, threshold
from annotation.domain.draws import Draws
from annotation.domain.outcome import Note, Reason
from annotation.domain.pairs import among
from annotation.domain.ratings import Purpose, tabulate
from annotation.domain.subsets import Rule
from tests.annotation.domain.vectors import FIVE, pairs, ratings_of

PAGE = (Path(__file__).parents[3] / "docs" / "agreement.md").read_text("utf-8")
NAMED = set(re.findall(r"`([a-z_0-9]+)`", PAGE))
RATINGS = ratings_of(pairs(FIVE))
SPANS = {f"{kind}_{at}" for kind in ("specific", "one_vs_rest") for at in (2, 3, 4)}


@pytest.mark.parametrize("names", [Reason, Note, Rule, set(Purpose) - {"planned"}])
def test_codes(names):
    assert {str(name) for name in names} <= NAMED


def test_coefficients():
    draws = Draws(1, 20)
    compared = among(RATINGS)
    keys = {
        *pair_agreement(compared, draws),
        *many_agreement(tabulate(RATINGS), draws),
        *bias(compared, draws),
        *threshold(compared, draws),
    }
    assert keys - SPANS <= NAMED
