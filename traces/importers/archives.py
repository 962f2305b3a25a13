"""Folders, archives and compressed files, opened one file at a time.

Nothing is written under a name from an archive; names only say where
something stood. What comes out is counted, so that a small file cannot fill
memory or keep a machine busy for ever.
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from traces.domain.records import Reject
from traces.importers.base import MIB, Limits, Unreadable
from traces.importers.streams import as_binary, read_fully, replay

TAR_MAGIC_AT = 257
HEAD = 512
SPOOLED_BYTES = 8 * MIB
LONGEST_NAME = 200
LONGEST_TAR_HEADER = MIB
LARGEST_WINDOW = 128 * MIB

_DAMAGE = (
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zstandard.ZstdError,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_SUFFIX = re.compile(r"\.(gz|bz2|zst)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Member:
    """One file, wherever it stood.

    Attributes:
        name: Its path, from the outermost archive or folder on.
        source: Open at the first byte, until the next member is asked for.
    """

    name: str
    source: BinaryIO


def walk(path: Path, limits: Limits) -> Iterator[Member | Reject]:
    """The files of a folder in the order of their names, or the one file.

    Links that lead out of the folder, hidden files and what is no ordinary
    file are left out.
    """
    if not path.is_dir():
        yield from _file(path, path.name, limits)
        return
    for number, (file, name) in enumerate(_ordinary(path)):
        if number >= limits.max_members:
            reason = f"more than the {limits.max_members} files allowed."
            yield Reject("file", safe_name(path.name), reason, "too_many_files")
            return
        yield from _file(file, name, limits)


def _ordinary(folder: Path) -> Iterator[tuple[Path, str]]:
    top = folder.resolve()
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        inside = file.resolve().is_relative_to(top)
        if inside and file.is_file() and not _is_hidden(name):
            yield file, name


def _file(file: Path, name: str, limits: Limits) -> Iterator[Member | Reject]:
    try:
        source = file.open("rb")
    except OSError as error:
        reason = f"cannot be opened: {error.strerror}."
        yield Reject("file", safe_name(name), reason, "cannot_open")
        return
    with source:
        yield from members(source, name=name, limits=limits)


def members(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[Member | Reject]:
    """The files in a file: itself, or what it holds if it is an archive."""
    return _Opener(limits).open(source, safe_name(name), 0)


def safe_name(name: str) -> str:
    """A name that only names: no way out of its folder, no control characters."""
    text = name.encode("utf-8", "replace").decode()
    parts = _CONTROL.sub("", text).replace("\\", "/").split("/")
    kept = [part for part in parts if part not in ("", ".", "..")]
    return "/".join(kept)[-LONGEST_NAME:]


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


class _Counted(io.RawIOBase):
    """A stream that ends in ``Unreadable`` where it is damaged or too long."""

    def __init__(self, source: BinaryIO, name: str, opener: _Opener) -> None:
        self._source = source
        self._name = name
        self._opener = opener

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            part = self._source.read(len(buffer))
        except _DAMAGE as error:
            raise _damaged(self._name, error) from error
        self._opener.count(len(part), self._name)
        buffer[: len(part)] = part
        return len(part)


def _damaged(name: str, error: BaseException) -> Unreadable:
    words = str(error) or type(error).__name__
    return Unreadable(f"cannot be unpacked: {words[:200]}.", name, "bad_archive")


class _TarInfo(tarfile.TarInfo):
    """Headers of a tar file, refused before a long one is read into memory."""

    _LONG = (
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    )

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in self._LONG and self.size > LONGEST_TAR_HEADER:
            raise tarfile.ReadError("a header is too long")
        made: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc]
        return made


class _Opener:
    """Opens archives within archives, counting what comes out of all."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unpacked = 0
        self.files = 0

    def count(self, size: int, name: str) -> None:
        """Count bytes that came out.

        Raises:
            Unreadable: When there are too many.
        """
        self.unpacked += size
        if self.unpacked > self.limits.max_unpacked_bytes:
            most = self.limits.max_unpacked_bytes
            reason = f"more than the {most} bytes allowed came out of the archive."
            raise Unreadable(reason, name, "too_much_unpacked")

    def open(
        self, source: BinaryIO, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        """The files in one file."""
        try:
            start = source.tell() if source.seekable() else 0
            head = read_fully(source, HEAD)
            unpack = self._unpacker(head)
            if unpack == self._zip and source.seekable():
                source.seek(start)
                opened = source
            else:
                opened = replay(head, source)
            if unpack is None:
                yield Member(name, opened)
            elif depth >= self.limits.max_archive_depth:
                most = self.limits.max_archive_depth
                reason = f"more than {most} archives inside each other."
                yield Reject("file", name, reason, "too_deep")
            else:
                yield from unpack(opened, name, depth + 1)
        except Unreadable as error:
            yield error.reject("file")
        except _DAMAGE as error:
            yield _damaged(name, error).reject("file")

    def _unpacker(self, head: bytes) -> _Unpack | None:
        """How to open a file that begins like this, None if it is no archive."""
        if head[TAR_MAGIC_AT : TAR_MAGIC_AT + 5] == b"ustar":
            return self._tar
        return next((self._by_magic(m) for m in _MAGIC if head.startswith(m)), None)

    def _by_magic(self, magic: bytes) -> _Unpack:
        if magic.startswith(b"PK"):
            return self._zip
        return partial(self._compressed, _MAGIC[magic])

    def _compressed(
        self, decoder: _Decoder, source: BinaryIO, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        inner = _SUFFIX.sub("", name)
        inner = f"{inner[:-4]}.tar" if inner.lower().endswith(".tgz") else inner
        stream = as_binary(_Counted(decoder(source), name, self))
        yield from self.open(stream, inner, depth)

    def _tar(
        self, source: BinaryIO, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        with tarfile.open(fileobj=source, mode="r|", tarinfo=_TarInfo) as archive:
            for info in archive:
                if not info.isreg() or info.issparse():
                    continue
                opened = archive.extractfile(info)
                if opened is not None:
                    stream = cast("BinaryIO", opened)
                    yield from self._inner(stream, name, info.name, depth)

    def _zip(
        self, source: BinaryIO, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        if source.seekable():
            yield from self._zip_members(source, name, depth)
            return
        # The directory of a zip file is at its end: a pipe has to be kept first.
        with tempfile.SpooledTemporaryFile(max_size=SPOOLED_BYTES) as spool:
            while part := source.read(MIB):
                self.count(len(part), name)
                spool.write(part)
            yield from self._zip_members(cast("BinaryIO", spool), name, depth)

    def _zip_members(
        self, source: BinaryIO, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        with zipfile.ZipFile(source) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield from self._zip_member(archive, info, name, depth)

    def _zip_member(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, depth: int
    ) -> Iterator[Member | Reject]:
        try:
            with archive.open(info) as opened:
                stream = cast("BinaryIO", opened)
                yield from self._inner(stream, name, info.filename, depth)
        except _DAMAGE as error:
            inner = f"{name}/{safe_name(info.filename)}"
            yield _damaged(inner, error).reject("file")

    def _inner(
        self, source: BinaryIO, name: str, inner: str, depth: int
    ) -> Iterator[Member | Reject]:
        """One file of an archive."""
        inner = safe_name(inner)
        if not inner or _is_hidden(inner):
            return
        self.files += 1
        if self.files > self.limits.max_members:
            reason = f"more than the {self.limits.max_members} files allowed."
            raise Unreadable(reason, name, "too_many_files")
        full = f"{name}/{inner}"[-LONGEST_NAME:]
        yield from self.open(as_binary(_Counted(source, full, self)), full, depth)


def _zstd(source: BinaryIO) -> BinaryIO:
    decoder = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    return cast("BinaryIO", decoder.stream_reader(source, read_across_frames=True))


_Unpack = Callable[[BinaryIO, str, int], Iterator[Member | Reject]]
_Decoder = Callable[[BinaryIO], BinaryIO]

_MAGIC: dict[bytes, _Decoder] = {
    b"\x1f\x8b": lambda source: cast("BinaryIO", gzip.GzipFile(fileobj=source)),
    b"BZh": lambda source: cast("BinaryIO", bz2.BZ2File(source)),
    b"\x28\xb5\x2f\xfd": _zstd,
    b"PK\x03\x04": lambda source: source,
    b"PK\x05\x06": lambda source: source,
}
