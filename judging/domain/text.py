"""The text form of a step's content, the same for checks and pages."""

from __future__ import annotations

import json

from traces.domain.records import Json


def text_of(value: Json) -> str:
    """Text itself, or a JSON value written out with two spaces' indent."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        return repr(type(value))
