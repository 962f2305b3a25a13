"""Models of the demo: names without a maker, with a speed and a price."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agenteval_web.demo.script import Message, Turn, compact

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Model:
    """A chat model.

    Attributes:
        name: Name in the traces.
        input_price: USD per million tokens read.
        output_price: USD per million tokens written.
        first_ms: Time to the first token.
        token_ms: Time of every further token.
    """

    name: str
    input_price: float
    output_price: float
    first_ms: float
    token_ms: float

    def cost(self, read: int, written: int) -> float:
        """Price of a call in USD."""
        total = read * self.input_price + written * self.output_price
        return round(total / 1_000_000, 6)


SMALL = Model("small-chat-1", 0.15, 0.60, 280, 6)
LARGE = Model("large-chat-2", 2.50, 10.00, 520, 14)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and price of one call."""

    read: int
    written: int
    cost_usd: float


def usage(model: Model, given: Iterable[str], turn: Turn) -> Usage:
    """Estimate a call's tokens from the texts that go in and come out."""
    read = sum(tokens(text) for text in given)
    said = [turn.text, *(compact(dict(call.arguments)) for call in turn.calls)]
    written = sum(tokens(text) for text in said) + 8 * len(turn.calls)
    return Usage(read, written, model.cost(read, written))


def message_text(message: Message) -> str:
    """Everything of a message that costs tokens."""
    calls = "".join(call.tool + compact(dict(call.arguments)) for call in message.calls)
    return f"{message.role} {message.text}{calls}"


def tokens(text: str) -> int:
    """Tokens of a text, roughly."""
    return len(text) // CHARACTERS_PER_TOKEN + 1
