"""Draws that can be repeated: by seed and name, never by a shared state."""

from __future__ import annotations

import hashlib


def chance(seed: int, *parts: str) -> int:
    """A number that looks random and depends on its arguments only."""
    text = "\x1f".join((str(seed), *parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
