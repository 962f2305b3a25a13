"""Typed readers for the environment. A bad value names itself."""

from __future__ import annotations

import os
import re
from pathlib import Path

TRUE, FALSE = (
    frozenset({"1", "true", "yes", "on"}),
    frozenset({"0", "false", "no", "off"}),
)
UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
DIGITS = re.compile(r"[0-9]{1,18}")
SIZE = re.compile(r"([0-9]{1,15})([KMG]?)(?:I?B)?")

problems: list[str] = []
"""What could not be read; ``agenteval_web.checks`` reports it."""


def text(name: str, default: str = "") -> str:
    """A text, or the content of the file that ``NAME_FILE`` names.

    Empty is unset: make hands on what nobody set as an empty text.
    """
    path = os.environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text("utf-8").strip()
        except OSError as error:
            problems.append(f"{name}_FILE: {error.strerror}: {path}")
    return os.environ.get(name) or default


def flag(name: str, *, default: bool = False) -> bool:
    """A yes or no."""
    value = text(name).strip()
    if not value:
        return default
    if value.casefold() not in TRUE | FALSE:
        problems.append(f"{name}: {value!r} is neither yes nor no")
        return default
    return value.casefold() in TRUE


def integer(name: str, default: int, *, lowest: int = 0) -> int:
    """A whole number."""
    value = text(name).strip()
    if not value:
        return default
    if not DIGITS.fullmatch(value) or int(value) < lowest:
        problems.append(f"{name}: {value!r} is not a whole number of at least {lowest}")
        return default
    return int(value)


def number(name: str, default: float) -> float:
    """A number of at least zero."""
    value = text(name).strip()
    try:
        found = float(value) if value else default
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        problems.append(f"{name}: {value!r} is not a number of at least 0")
        return default
    return found


def size(name: str, default: int) -> int:
    """A number of bytes: ``1048576``, ``64M``, ``2GiB``."""
    value = text(name).strip()
    if not value:
        return default
    found = SIZE.fullmatch(value.upper())
    if not found or not int(found[1]):
        problems.append(f"{name}: {value!r} is not a size such as 64M")
        return default
    return int(found[1]) * UNITS[found[2]]


def choice(name: str, known: tuple[str, ...]) -> str:
    """One of the known words, in any case; the first by default."""
    value = text(name).strip()
    if not value:
        return known[0]
    if value.upper() not in known:
        problems.append(f"{name}: {value!r} is none of {', '.join(known)}")
        return known[0]
    return value.upper()


def listed(name: str, default: str = "") -> list[str]:
    """Texts between commas."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]
