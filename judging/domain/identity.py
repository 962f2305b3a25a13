"""Under which name a reply is kept: a hash of all that can change it.

Temperature 0 with a seed does not reproduce, so a verdict is repeated by reading
the kept reply again. The key covers prompt, judge, its parameters and the number
of the sample, and nothing else: a new price or rate limit asks nobody again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judging.domain.profile import Profile

IMMATERIAL = frozenset(
    {"name", "price", "requests_per_minute", "tokens_per_minute", "concurrency"}
    | {"timeout"}
)
"""Facts about a tier that change no answer."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who gives one of the verdicts of a step.

    Attributes:
        tiers: Numbers of the judges, the next asked where one can't answer.
        sample: Which time they are asked, from 0.
    """

    tiers: tuple[int, ...]
    sample: int


def seat(profile: Profile, member: int) -> Seat:
    """The seat of a verdict: panel judges in turn, each for all its samples.

    Without a panel the tiers are one ladder; a judge of a panel has no
    substitute, because a substitute would vote twice.

    Args:
        profile: How the step is judged.
        member: Number among all verdicts of the step, from 0.

    Raises:
        ValueError: The profile has no such verdict.
    """
    if not 0 <= member < profile.members:
        raise ValueError(f"member {member} of {profile.members}")
    place, sample = divmod(member, profile.samples)
    if profile.panel:
        return Seat((profile.panel[place],), sample)
    return Seat(tuple(range(len(profile.tiers))), sample)


def judge_digest(tier: Mapping[str, Any]) -> str:
    """64 hex digits over what can change a judge's answer."""
    told = {key: value for key, value in tier.items() if key not in IMMATERIAL}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _digest([text])


def reply_keys(prompt: str, judges: Sequence[str], sample: int) -> tuple[str, ...]:
    """Keys of the replies that judges of a ladder may have given, first to last.

    What a substitute said counts only where those before it could not answer,
    so its key names them too.

    Args:
        prompt: Digest of the prompt.
        judges: Digests of the judges, first to last.
        sample: Which time they are asked.
    """
    return tuple(
        _digest([prompt, str(sample), *judges[: number + 1]])
        for number in range(len(judges))
    )


def aside(key: str, content: str) -> str:
    """Key of a reply that is kept to be looked at, never to be read again."""
    return _digest([key, "aside", content])


def _digest(parts: Iterable[str]) -> str:
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "big"))
        found.update(data)
    return found.hexdigest()
