"""Where reading a request is, and the rules for what is left out on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from traces.domain.cutting import cut_after, too_deep
from traces.domain.records import Json, Reject
from traces.domain.storable import storable
from traces.importers.otlp.decoded import DEEPEST, Bounds, Decoded


class Ledger:
    """The state of reading one request.

    Attributes:
        decoded: What was read so far.
        tolerant: Whether texts may hold halves of surrogate pairs.
        resource: Index of the resource being read, -1 above it.
        scope: Index of the scope being read, -1 above it.
        span: Index of the span being read, -1 above it.
        trace_id: Of the span being read, "" while unknown.
        span_id: Of the span being read, "" while unknown.
        surely_short: Characters of a text that can't be too many bytes.
        keys: Keys as they are stored, "" for those that can't be.
    """

    def __init__(self, bounds: Bounds) -> None:
        """Start with nothing read."""
        self.decoded = Decoded()
        self.bounds = bounds
        self.depth = min(bounds.depth, DEEPEST)
        self.surely_short = bounds.attribute // 4
        self.tolerant = False
        self.resource = self.scope = self.span = -1
        self.trace_id = self.span_id = ""
        self.keys: dict[str, str] = {}

    def place(self, where: str) -> str:
        """Where reading is, in the words of OTLP/JSON."""
        levels = (
            ("resourceSpans", self.resource),
            ("scopeSpans", self.scope),
            ("spans", self.span),
        )
        steps = [f"{name}[{index}]" for name, index in levels if index >= 0]
        return ".".join([*steps, where] if where else steps) or "body"

    def refuse(
        self, level: str, where: str, reason: str, code: str, spans: int = 1
    ) -> None:
        """Record something refused, left out or changed."""
        ids = self.trace_id, self.span_id
        reject = Reject(level, self.place(where), reason, code, *ids)
        self.decoded.refuse(reject, spans)

    def attribute(self, where: str, reason: str, code: str) -> None:
        """Record an attribute left out or changed."""
        self.refuse("attribute", where, reason, code)

    def full(self) -> bool:
        """Whether no further span is taken in."""
        return len(self.decoded.spans) >= self.bounds.spans

    def refuse_rest(self, spans: int) -> None:
        """Record the spans of this scope that are beyond the bound."""
        self.span = -1
        if spans:
            most = self.bounds.spans
            reason = f"{spans} spans beyond the {most} of one request were refused."
            self.refuse("span", "", reason, "too_many_spans", spans)

    def empty(self, key: str, where: str) -> None:
        """Record an attribute without a value."""
        reason = f"The attribute {key[:100]} has no value; it was left out."
        self.attribute(where, reason, "empty_value")

    def not_finite(
        self, found: dict[str, Json], key: str, text: str, where: str
    ) -> None:
        """Keep a number that JSON can't hold as null, and its text beside it."""
        found[key], found[f"{key}.raw"] = None, text
        name = key[:100]
        reason = f"{name} is {text}, which JSON can't hold; {name}.raw has its text."
        self.attribute(where, reason, "number_as_text")

    def first_attributes(self, pairs: Sequence[Any], where: str) -> Sequence[Any]:
        """Those attributes that are within the bound."""
        most = self.bounds.attributes
        rest = len(pairs) - most
        reason = f"{rest} attributes beyond the {most} allowed were left out."
        self.attribute(where, reason, "too_many_attributes")
        return pairs[:most]

    def check_count(self, level: str, where: str, count: int, most: int) -> None:
        """Record events or links beyond the bound."""
        if count > most:
            reason = f"{count - most} {where} beyond the {most} allowed were left out."
            self.refuse(level, where, reason, f"too_many_{where}")

    def too_deep(self, where: str) -> str:
        """Record a value nested too deep to be read; what stands in its place."""
        reason = f"What is nested deeper than {self.depth} levels was left out."
        self.attribute(where, reason, "nested_too_deep")
        return too_deep(self.depth)

    def deep_text(self, text: str, where: str) -> str:
        """Record a value nested too deep to be kept but as its JSON text."""
        reason = (
            f"What is nested deeper than {self.depth} levels was kept as JSON text."
        )
        self.attribute(where, reason, "nested_too_deep")
        return self.text(text, where)

    def bad_link(self, where: str) -> None:
        """Record a link that leads nowhere."""
        reason = "A link without a valid traceId and spanId was left out."
        self.refuse("link", where, reason, "bad_link")

    def known_key(self, key: str, where: str) -> str:
        """The key as it is stored, "" if its attribute has to be left out."""
        known = self.keys.get(key)
        if known is None:
            known = "" if len(key) > self.bounds.key else self.text(key, where)
            self.keys[key] = known
        if not known:
            self._bad_key(key, where)
        return known

    def _bad_key(self, key: str, where: str) -> None:
        reason, code = "An attribute without a key was left out.", "empty_key"
        if key:
            reason = f"An attribute with a key of {len(key)} characters was left out."
            code = "key_too_long"
        self.attribute(where, reason, code)

    def text(self, text: str, where: str) -> str:
        """A text that every store takes, cut where it is too long."""
        if "\0" in text or (self.tolerant and not text.isascii()):
            text = self._cleaned(text, where)
        return text if len(text) <= self.surely_short else self._cut(text, where)

    def _cleaned(self, text: str, where: str) -> str:
        text, changed = storable(text)
        if changed:
            reason = (
                f"{changed} character(s) that can't be stored (NUL or half of a "
                "surrogate pair) were replaced by U+FFFD."
            )
            self.attribute(where, reason, "text_cleaned")
        return text

    def _cut(self, text: str, where: str) -> str:
        most = self.bounds.attribute
        encoded = text.encode("utf-8", "replace")
        if len(encoded) <= most:
            return text
        kept = encoded[:most].decode("utf-8", "ignore")
        reason = (
            f"A text of {len(encoded)} bytes was cut to the {most} bytes allowed; "
            "it says so at its end."
        )
        self.attribute(where, reason, "text_cut")
        return cut_after(text, len(kept))
