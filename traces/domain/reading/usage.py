"""Tokens and money, with what is a part of what put right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from traces.domain.reading.values import first_decimal, first_whole
from traces.domain.records import Json
from traces.domain.view import Usage

_INPUT = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "input")
_INPUT_GEMINI = ("prompt_token_count", "promptTokenCount")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens", "completionTokens")
_OUTPUT_GEMINI = ("candidates_token_count", "candidatesTokenCount", "output")
_CACHED = (
    "cache_read_input_tokens",
    "cached_tokens",
    "cachedInputTokens",
    "cached_content_token_count",
    "input_cached_tokens",
    "input_cache_read",
    "cache_read",
)
_WRITTEN = (
    "cache_creation_input_tokens",
    "input_cache_creation",
    "cache_write",
)
_REASONING = (
    "reasoning_tokens",
    "reasoningTokens",
    "thoughts_token_count",
    "output_reasoning_tokens",
    "output_reasoning",
)


def read_usage(said: Mapping[str, Json]) -> Usage:
    """Usage from an object in any provider's words."""
    return Usage(
        input=first_whole(said, *_INPUT, *_INPUT_GEMINI),
        output=first_whole(said, *_OUTPUT, *_OUTPUT_GEMINI),
        cached=first_whole(said, *_CACHED),
        cache_write=first_whole(said, *_WRITTEN),
        reasoning=first_whole(said, *_REASONING),
        cost_usd=first_decimal(said, "cost", "total_cost"),
    )


def settled(usage: Usage) -> Usage:
    """The usage with parts that are within their whole.

    Conventions want the whole to include its parts; some senders give the
    rest beside them. Where the parts exceed the whole, that is what was done:
    then, and only then, they are added to it.
    """
    parts = (usage.cached or 0) + (usage.cache_write or 0)
    if usage.input is not None and parts > usage.input:
        return replace(usage, input=usage.input + parts)
    return usage
