"""What stands in the place of content that was too long or too deep to keep.

The same words wherever content comes in, so that whoever reads it later can tell
a mark from what a sender wrote, and JSON text that was cut is read up to the cut.
"""

from __future__ import annotations

import re

CUT = re.compile(r"…\[cut: [0-9]{1,12} of [0-9]{1,12} characters kept\]\Z")
"""The mark at the end of a text that was cut."""
MARK_LENGTH = 60
"""No mark of a cut is longer."""


def cut_after(text: str, kept: int) -> str:
    """The first ``kept`` characters of a text and the mark that says so."""
    return text[:kept] + _mark(kept, len(text))


def cut_to(text: str, longest: int) -> str:
    """A text that is too long in at most ``longest`` characters, mark included.

    The mark is kept whole even where there is room for less.
    """
    room = longest - len(_mark(len(text), len(text)))
    return cut_after(text, max(room, 0))


def _mark(kept: int, of: int) -> str:
    return f"…[cut: {kept} of {of} characters kept]"


def too_deep(levels: int) -> str:
    """What stands for content that is nested deeper than so many levels."""
    return f"…[cut: nested deeper than {levels} levels]"
