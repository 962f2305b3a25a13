"""Profiles are read as they are or refused with place and reason."""

import pytest

from judging.domain.profile import Profile, ProfileError, read_profile
from judging.domain.settings import DEFAULT
from judging.services.defaults import settings_content

TIERS = [{"model": "small"}, {"model": "large"}]


def test_nothing_said_is_the_offline_default():
    assert read_profile({}) == Profile()


def test_what_the_product_ships_is_read_back():
    assert read_profile(settings_content(DEFAULT)).settings == DEFAULT


def test_members_are_judges_times_samples():
    said = {"judge": "model", "tiers": TIERS, "panel": [0, 1], "samples": 3}
    assert read_profile(said).members == 6
    assert read_profile({"judge": "model", "tiers": TIERS}).members == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"judge": "oracle"}, "judge: one of rules, model, not 'oracle'"),
        ({"judge": "model"}, "tiers: a profile with models names at least one"),
        ({"tiers": "gpt"}, "tiers: a list of at most 8 objects"),
        ({"tiers": TIERS, "panel": [2]}, "panel: 2 is no tier; there are 2"),
        ({"tiers": TIERS, "panel": [0, 0]}, "panel: a tier is named twice"),
        ({"samples": 0}, "samples: a number from 1 to 10, not 0"),
        ({"samples": 1.5}, "samples: a whole number, not 1.5"),
        ({"samples": True}, "samples: a number from 1 to 10, not True"),
        ({"thresholds": {"PLAN": 6}}, "thresholds.PLAN: a number from 1.0 to 5.0"),
        ({"thresholds": {"PLAN": float("nan")}}, "thresholds.PLAN"),
        ({"metrics": {"PLAN": []}}, "metrics.PLAN: a list of at least one metric"),
        ({"metrics": {"PLAN": "completeness"}}, "metrics.PLAN"),
        ({"strategy": "guess"}, "strategy: one of"),
        ({"combine": "harmonic"}, "combine: one of mean, lowest"),
        ({"selection": {"policy": "some"}}, "selection.policy: one of all"),
        ({"selection": {"share": 2}}, "selection.share: a number from 0.0 to 1.0"),
        ({"selection": []}, "selection: an object"),
        ({"arrival": {"share": -1}}, "arrival.share"),
        ({"budget_usd": "much"}, "budget_usd: a number"),
        ({"order": "random"}, "order: one of"),
        ({"characters": 10}, "characters: a number from 2000"),
    ],
)
def test_the_impossible_is_named(content, complaint):
    with pytest.raises(ProfileError) as refused:
        read_profile(content)
    assert str(refused.value).startswith(complaint)
