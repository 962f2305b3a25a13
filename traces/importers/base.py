"""What every importer offers and what it is given.

An importer is a module: bytes of one file in, traces out, one at a time. It
knows its format and this file, no other format. Reading JSON that may be
damaged, and splitting a long file into its values, is in ``jsontext`` and
``jsonstream``; folders and archives are in ``archives``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from traces.domain.records import Json, Reject, TraceRecord

MIB = 1024**2
LONGEST_ID = 128

SAMPLE_BYTES = MIB // 8
"""How much of a file is looked at to recognise its format."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a stranger's file is taken in.

    Attributes:
        max_trace_bytes: Longest JSON value that is held in memory: one line,
            one item of a list, one whole document.
        max_depth: Deepest nesting of lists and objects. What is deeper is
            kept as JSON text.
        max_text: Characters of one text; the rest is cut and said so.
        max_spans: Spans of one trace in one record.
        max_pending_bytes: What may wait in memory while the spans of several
            traces arrive mixed.
        max_unpacked_bytes: Bytes that may come out of one archive.
        max_members: Files in one archive or folder.
        max_archive_depth: Archives within archives.
    """

    max_trace_bytes: int = 256 * MIB
    max_depth: int = 100
    max_text: int = MIB
    max_spans: int = 100_000
    max_pending_bytes: int = 32 * MIB
    max_unpacked_bytes: int = 16 * 1024 * MIB
    max_members: int = 100_000
    max_archive_depth: int = 3


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, from which its format is recognised.

    Attributes:
        head: At most ``SAMPLE_BYTES`` first bytes, without a byte order mark.
        name: Name of the file, "" if it has none. A hint, never the reason.
        value: First JSON value (of the first line, where ``lines``). Where
            the head ends inside it or damage stops it, what stands before
            that. None if the head isn't JSON at all.
        lines: Whether every line is a JSON value of its own.
        whole: Whether the head is the whole file.
    """

    head: bytes
    name: str = ""
    value: Json = None
    lines: bool = False
    whole: bool = False

    @property
    def first(self) -> Json:
        """The value, or its first item where it is a list."""
        if isinstance(self.value, list):
            return self.value[0] if self.value else None
        return self.value


def fit_id(value: Json, *, fallback: str) -> str:
    """A source's id as ours: text of 1 to 128 characters.

    What is longer is replaced by a digest of it, what is missing by ``fallback``.
    """
    text = str(value) if isinstance(value, str | int) else ""
    if len(text) > LONGEST_ID:
        return hashlib.sha256(text.encode()).hexdigest()
    return text or fallback


class Unreadable(Exception):  # noqa: N818 - named for what it says of the input
    """Input that cannot be taken in."""

    def __init__(self, reason: str, place: str, code: str = "unreadable") -> None:
        """Say what is wrong and where.

        Args:
            reason: One clear sentence.
            place: In the sender's terms: ``line 3, column 7, byte 120``.
            code: Short stable word for counting.
        """
        super().__init__(f"{place}: {reason}")
        self.reason = reason
        self.place = place
        self.code = code

    def reject(self, level: str = "trace") -> Reject:
        """The same as a value to report."""
        return Reject(level, self.place, self.reason, self.code)


class Importer(Protocol):
    """One format. Modules of ``traces.importers`` have this shape."""

    NAME: str
    """Stable name, as in ``--format``."""
    LABEL: str
    """Name for people."""

    def recognises(self, sample: Sample) -> bool:
        """Whether the beginning of a file looks like this format."""
        ...

    def read(
        self, source: BinaryIO, *, name: str, limits: Limits
    ) -> Iterator[TraceRecord | Reject]:
        """Read one file.

        Args:
            source: Open at the first byte; need not be seekable.
            name: Name of the file, for places and for ids.
            limits: Bounds on what is held in memory.

        Yields:
            Traces in the order of the file, and what could not be read.

        Raises:
            Unreadable: If nothing of the file can be read.
        """
        ...
