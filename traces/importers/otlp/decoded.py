"""What comes out of a request, and what was left out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from traces.domain.records import Reject, SpanRecord

DEEPEST = 100
"""Nesting is bounded by this, whatever the bounds say: values are read by
recursion."""

MAX_REJECTS = 1_000
"""Rejects that are described one by one; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a request is taken in.

    Attributes:
        attribute: UTF-8 bytes of one text; a longer one is cut and says so at
            its end.
        depth: Nesting of lists and maps in one attribute, at most 100.
        attributes: Attributes of one span, event, link, scope or resource.
        events: Events of one span.
        links: Links of one span.
        spans: Spans of one request; the rest is refused.
        key: Characters of an attribute's key.
    """

    attribute: int = 1024**2
    depth: int = DEEPEST
    attributes: int = 10_000
    events: int = 10_000
    links: int = 1_000
    spans: int = 100_000
    key: int = 1_000


DEFAULT_BOUNDS = Bounds()


@dataclass
class Decoded:
    """The spans of a request and what was left out of it.

    Attributes:
        spans: In the order of the request; spans of one scope share it.
        rejects: What was refused, left out or changed, in the order met.
        rejected_spans: Spans that were refused: ``partialSuccess`` counts
            these. May exceed the rejects of level ``span``.
        left_out: Rejects beyond ``MAX_REJECTS``, which are not listed.
    """

    spans: list[SpanRecord] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    rejected_spans: int = 0
    left_out: int = 0

    def refuse(self, reject: Reject, spans: int = 1) -> None:
        """Note something refused, left out or changed.

        Args:
            reject: What and why.
            spans: How many spans it stands for, if its level is ``span``.
        """
        if reject.level == "span":
            self.rejected_spans += spans
        if len(self.rejects) < MAX_REJECTS:
            self.rejects.append(reject)
        else:
            self.left_out += 1


class DecodeError(ValueError):
    """A body that can't be read as an OTLP traces request at all."""

    def __init__(self, message: str, place: str = "body") -> None:
        """Say what is wrong and where.

        Args:
            message: One clear sentence.
            place: In the sender's terms: ``line 3, column 7, byte 120``.
        """
        super().__init__(message)
        self.message = message
        self.place = place
