"""Ids of senders in addresses: any text, also with a slash.

Importing this registers the path converter ``sender``.
"""

from __future__ import annotations

import re

from django.urls import register_converter

_UNSAFE = re.compile(r"[~/]|^\.{1,2}$")
_ESCAPED = re.compile(r"~([0-9A-F]{2})")


class SenderId:
    """A sender's id as one part of a path.

    Hex ids and most others stand as they are. ``/`` would split the path and
    ``.`` or ``..`` would be taken as a folder, so these are written ``~2F`` and
    ``~2E``, and ``~`` itself ``~7E``. The rest is escaped as in every URL.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        """The id that a part of a path stands for."""
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)

    def to_url(self, value: str) -> str:
        """The part of a path that stands for an id."""
        return _UNSAFE.sub(lambda found: _escape(found[0]), value)


def _escape(text: str) -> str:
    return "".join(f"~{ord(each):02X}" for each in text)


register_converter(SenderId, "sender")
