"""What passes between a prompt, a judge that answers it and the verdicts.

``Prompt`` is what ``judging.domain.prompts`` builds for one step. A judge
(``judging.judges``) turns it into a ``Reply`` or a ``NoReply``; reading a reply
(``judging.domain.replies``) gives an ``Answer``: one verdict a metric, each
scored or unscored with a ``Reason``. Nothing here knows a network, a clock or a
database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from judging.domain.scores import MetricVerdict
from traces.domain.records import Json


class Reason(StrEnum):
    """Why a metric has no score (METHOD section 2: never a score instead)."""

    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    CUT = "cut"
    TOO_LONG = "too_long"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    ENDPOINT_ERROR = "endpoint_error"
    BUDGET = "budget"
    ADDRESSED = "addressed"
    """The step's text addresses the judge; a person has to look."""


class Mode(StrEnum):
    """How an endpoint is asked for structure; the ladder from best to last."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"


class Order(StrEnum):
    """What the model writes first, an option of the profile."""

    REASONING_FIRST = "reasoning_first"
    SCORE_FIRST = "score_first"
    SCORE_ONLY = "score_only"
    """One token with its probabilities; no reasoning."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``role`` is ``system`` or ``user``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Text that was left out in the middle of a part of the prompt.

    Attributes:
        part: Which part, for example ``output`` or ``parent 3f2a``.
        kept: Characters kept.
        whole: Characters there were.
    """

    part: str
    kept: int
    whole: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything that is asked about one step.

    Attributes:
        messages: The stable part (rubrics, anchors) first, then the step.
        metrics: Names of the metrics asked for, in order.
        schema: Strict JSON schema of the answer.
        categories: Taxonomy ids that the answer may name, in order.
        cuts: What was left out.
        addressed: The text of the step speaks to the evaluator.
        version: Version of the templates, rubrics and anchors that made it.
        digest: 64 hex digits over messages, schema and version.
    """

    messages: tuple[Message, ...]
    metrics: tuple[str, ...]
    schema: Mapping[str, Json]
    categories: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()
    addressed: bool = False
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used; None where the endpoint doesn't say.

    Attributes:
        input_tokens: Prompt tokens, cached ones included.
        output_tokens: Completion tokens.
        cached_tokens: Of the prompt tokens, those read from a cache.
        cost_usd: Price of the call; None where no price is known.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        content: The text of the answer.
        model: The model that the response names.
        mode: How it was asked for structure.
        usage: Tokens and price.
        latency_ms: Time the call took.
        tier: Index of the judge in its ladder, 0 is the first.
        dropped: Parameters that the endpoint refused and that were left out.
        levels: Probabilities of the scores "1" to "5" by metric where the
            endpoint gives them, renormalised over the five.
    """

    content: str
    model: str
    mode: Mode
    usage: Usage = Usage()
    latency_ms: int = 0
    tier: int = 0
    dropped: tuple[str, ...] = ()
    levels: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why there is no answer.

    Attributes:
        reason: See ``Reason``.
        detail: One line for a person, bounded, without keys or prompt text.
        transient: True if asking again later can help.
        retry_after: Seconds the endpoint asked to wait, None if it didn't say.
        model: The model asked.
        usage: Tokens a failed call still used.
        latency_ms: Time it took.
        tier: Index of the last judge asked.
    """

    reason: Reason
    detail: str = ""
    transient: bool = False
    retry_after: float | None = None
    model: str = ""
    usage: Usage = Usage()
    latency_ms: int = 0
    tier: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says about a step.

    Attributes:
        verdicts: One a metric asked for, in the prompt's order.
        category: Taxonomy id the judge names should the step fail, "" if none.
        reasoning: The judge's words about the whole step.
        distributions: Probability of the scores 1 to 5 by metric.
    """

    verdicts: tuple[MetricVerdict, ...]
    category: str = ""
    reasoning: str = ""
    distributions: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
