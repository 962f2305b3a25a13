"""A profile: who judges, what is asked, what counts as a failure.

Profiles are data (JSON) so that they can be versioned, compared and edited in
the browser. This module reads such data and says exactly what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judging.domain.asking import Order
from judging.domain.attribution import STRATEGIES
from judging.domain.fusion import COMBINATIONS
from judging.domain.settings import DEFAULT, HIGHEST, LOWEST, Settings

JUDGES = ("rules", "model")
POLICIES = ("all", "uncertain", "failed", "sample")
MAX_TIERS, MAX_MEMBERS, MAX_SAMPLES = 8, 5, 10
MIN_CHARACTERS, MAX_CHARACTERS = 2_000, 2_000_000


class ProfileError(ValueError):
    """A profile says something impossible; names place and reason."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which steps of a trace go to a model.

    Attributes:
        policy: ``all`` steps; those where the checks leave doubt
            (``uncertain``); those of ``failed`` traces only; a ``sample``.
        share: Share of the steps that ``sample`` takes, 0 to 1.
        seed: Seed of the sample.
    """

    policy: str = "all"
    share: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Arrival:
    """Which traces are judged by themselves when they arrive.

    Attributes:
        share: Share of the traces that match, 0 to 1; 0 judges none.
        query: A filter of the trace list; "" for all.
        seed: Seed of the sample.
    """

    share: float = 0.0
    query: str = ""
    seed: int = 0


@dataclass(frozen=True)
class Profile:
    """How traces are judged.

    Attributes:
        judge: ``rules`` for the checks alone, ``model`` for checks and models.
        settings: Metrics, thresholds and strategy.
        combination: How metrics become a step's score.
        tiers: Judges from first to last, as ``judging.domain.endpoints`` reads
            them; the next is asked when one can't answer.
        panel: Tiers that each give a verdict, by number; () for no panel.
        samples: Times each judge is asked.
        order: What the model writes first.
        characters: Longest prompt; longer text is cut in the middle.
        selection: Which steps are asked about.
        arrival: Which traces are judged by themselves.
        budget_usd: What an evaluation of one trace may cost, None for no limit.
        daily_usd: What a project may spend a day, None for no limit.
        rubrics: Rubrics that replace or add to the shipped ones.
        anchors: Name of the anchor set; "" for the shipped one.
    """

    judge: str = "rules"
    settings: Settings = DEFAULT
    combination: str = "mean"
    tiers: tuple[Mapping[str, Any], ...] = ()
    panel: tuple[int, ...] = ()
    samples: int = 1
    order: Order = Order.REASONING_FIRST
    characters: int = 24_000
    selection: Selection = Selection()
    arrival: Arrival = Arrival()
    budget_usd: float | None = None
    daily_usd: float | None = None
    rubrics: Mapping[str, Any] = field(default_factory=dict)
    anchors: str = ""

    @property
    def members(self) -> int:
        """Verdicts a step gets: judges of the panel times samples."""
        return max(1, len(self.panel)) * self.samples


def read_profile(content: Mapping[str, Any]) -> Profile:
    """Read the content of a profile version.

    Raises:
        ProfileError: With the place and the reason, of the first fault found.
    """
    judge = _one_of(content, "judge", JUDGES, "rules")
    tiers = _mappings(content, "tiers", MAX_TIERS)
    if judge == "model" and not tiers:
        raise ProfileError("tiers: a profile with models names at least one")
    select, arrive = _part(content, "selection"), _part(content, "arrival")
    return Profile(
        judge=judge,
        settings=_settings(content),
        combination=_one_of(content, "combine", COMBINATIONS, "mean"),
        tiers=tiers,
        panel=_panel(content, len(tiers)),
        samples=_whole(content, "samples", 1, 1, MAX_SAMPLES),
        order=Order(_one_of(content, "order", tuple(Order), Order.REASONING_FIRST)),
        characters=_whole(
            content, "characters", 24_000, MIN_CHARACTERS, MAX_CHARACTERS
        ),
        selection=Selection(
            _one_of(select, "policy", POLICIES, "all", "selection."),
            _number(select, "share", 1.0, 0.0, 1.0, "selection."),
            _whole(select, "seed", 0, 0, 2**31, "selection."),
        ),
        arrival=Arrival(
            _number(arrive, "share", 0.0, 0.0, 1.0, "arrival."),
            str(arrive.get("query", ""))[:1_000],
            _whole(arrive, "seed", 0, 0, 2**31, "arrival."),
        ),
        budget_usd=_money(content, "budget_usd"),
        daily_usd=_money(content, "daily_usd"),
        rubrics=_part(content, "rubrics"),
        anchors=str(content.get("anchors", "")),
    )


def _settings(content: Mapping[str, Any]) -> Settings:
    metrics = _part(content, "metrics") or DEFAULT.metrics
    thresholds = _part(content, "thresholds") or DEFAULT.thresholds
    for name, found in metrics.items():
        if not isinstance(found, Sequence) or isinstance(found, str) or not found:
            raise ProfileError(f"metrics.{name}: a list of at least one metric")
    for name in thresholds:
        _number(thresholds, name, 3.0, LOWEST, HIGHEST, "thresholds.")
    return Settings(
        metrics={name: tuple(map(str, found)) for name, found in metrics.items()},
        thresholds={name: float(value) for name, value in thresholds.items()},
        strategy=_one_of(content, "strategy", tuple(STRATEGIES), DEFAULT.strategy),
        rival_gap=_number(content, "rival_gap", DEFAULT.rival_gap, 0, 4),
        long_chain=_whole(content, "long_chain", DEFAULT.long_chain, 1, 1_000),
        near_threshold=_number(content, "near_threshold", DEFAULT.near_threshold, 0, 4),
        weak_link=_number(content, "weak_link", DEFAULT.weak_link, 0, 1),
    )


def _panel(content: Mapping[str, Any], tiers: int) -> tuple[int, ...]:
    found = content.get("panel", [])
    if not isinstance(found, list) or len(found) > MAX_MEMBERS:
        raise ProfileError(f"panel: a list of at most {MAX_MEMBERS} tier numbers")
    for number in found:
        if not isinstance(number, int) or not 0 <= number < tiers:
            raise ProfileError(f"panel: {number!r} is no tier; there are {tiers}")
    if len(set(found)) != len(found):
        raise ProfileError("panel: a tier is named twice; use samples instead")
    return tuple(found)


def _part(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = content.get(name, {})
    if not isinstance(found, Mapping):
        raise ProfileError(f"{name}: an object")
    return found


def _mappings(
    content: Mapping[str, Any], name: str, most: int
) -> tuple[Mapping[str, Any], ...]:
    found = content.get(name, [])
    good = isinstance(found, list) and all(isinstance(one, Mapping) for one in found)
    if not good or len(found) > most:
        raise ProfileError(f"{name}: a list of at most {most} objects")
    return tuple(found)


def _one_of(
    content: Mapping[str, Any],
    name: str,
    known: Sequence[str],
    default: str,
    place: str = "",
) -> str:
    found = content.get(name, default)
    if found not in known:
        raise ProfileError(f"{place}{name}: one of {', '.join(known)}, not {found!r}")
    return str(found)


def _number(
    content: Mapping[str, Any],
    name: str,
    default: float,
    lowest: float,
    highest: float,
    place: str = "",
) -> float:
    found = content.get(name, default)
    number = isinstance(found, (int, float)) and not isinstance(found, bool)
    if not number or not lowest <= found <= highest:
        raise ProfileError(
            f"{place}{name}: a number from {lowest} to {highest}, not {found!r}"
        )
    return float(found)


def _whole(
    content: Mapping[str, Any],
    name: str,
    default: int,
    lowest: int,
    highest: int,
    place: str = "",
) -> int:
    found = _number(content, name, default, lowest, highest, place)
    if not found.is_integer():
        raise ProfileError(f"{place}{name}: a whole number, not {found!r}")
    return int(found)


def _money(content: Mapping[str, Any], name: str) -> float | None:
    if content.get(name) is None:
        return None
    return _number(content, name, 0.0, 0.0, 1e9)
