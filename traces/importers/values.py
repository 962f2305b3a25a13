"""Fields of strangers' objects, taken for what they are meant to be or left out."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.records import Json
from traces.importers.jsontext import value_or_text

_INPUT = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens", "completionTokens")
_CACHED = ("cached_tokens", "cache_read_input_tokens", "cache_read_tokens")
_REASONING = ("reasoning_tokens", "reasoning_output_tokens")
_DETAILS = (
    "prompt_tokens_details",
    "input_tokens_details",
    "input_token_details",
    "completion_tokens_details",
    "output_tokens_details",
    "output_token_details",
)


def text(value: Json) -> str:
    """Text as it is, "" for anything else."""
    return value if isinstance(value, str) else ""


def fields(value: Json) -> dict[str, Json]:
    """An object, empty for anything else."""
    return value if isinstance(value, dict) else {}


def parsed_fields(value: Json) -> dict[str, Json]:
    """An object, perhaps written as JSON text; empty for anything else."""
    return fields(value_or_text(value) if isinstance(value, str) else value)


def items(value: Json) -> list[Json]:
    """A list, empty for anything else."""
    return value if isinstance(value, list) else []


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects in a list, empty for anything else."""
    return [item for item in items(value) if isinstance(item, dict)]


def count(value: Json) -> int | None:
    """A whole number from 0 on, None for anything else."""
    known = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if known else None


def amount(value: Json) -> float | None:
    """A number, None for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return value if known else None


def first_text(values: Mapping[str, Json], *keys: str) -> str:
    """The first of some fields that holds text, "" if none does."""
    return next((found for key in keys if (found := text(values.get(key)))), "")


def kept(values: Mapping[str, Json]) -> dict[str, Json]:
    """What says something: neither None nor empty."""
    return {k: v for k, v in values.items() if v is not None and v not in ("", [], {})}


def usage_attributes(usage: Json, cost: Json = None) -> dict[str, Json]:
    """Tokens and money of one model call in the words of the conventions.

    Args:
        usage: Counts under OpenAI's or Anthropic's names, with or without details.
        cost: US dollars, left out unless it is a number.
    """
    given = fields(usage)
    details: dict[str, Json] = {}
    for key in _DETAILS:
        details |= fields(given.get(key))
    counts = details | given
    found = {
        "gen_ai.usage.input_tokens": _first_count(given, _INPUT),
        "gen_ai.usage.output_tokens": _first_count(given, _OUTPUT),
        "gen_ai.usage.cache_read.input_tokens": _first_count(counts, _CACHED),
        "gen_ai.usage.reasoning.output_tokens": _first_count(counts, _REASONING),
        "llm.cost.total": amount(cost) or None,
    }
    return kept(found)


def _first_count(values: Mapping[str, Json], keys: tuple[str, ...]) -> int | None:
    counts = (count(values.get(key)) for key in keys)
    return next((found for found in counts if found is not None), None)
