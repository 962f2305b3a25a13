import gzip
import io
import tarfile
import zipfile

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.domain.records import Reject
from traces.importers.archives import members, safe_name, walk
from traces.importers.base import Limits, Unreadable


class Unseekable(io.BytesIO):
    def seekable(self):
        return False


def zipped(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files, mode="w:gz"):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def opened(data, name="a", limits=None, kind=io.BytesIO):
    found = []
    for one in members(kind(data), name=name, limits=limits or Limits()):
        if isinstance(one, Reject):
            found.append((one.place, one.code))
            continue
        try:
            found.append((one.name, one.source.read()))
        except Unreadable as error:
            found.append((error.place, error.code))
    return found


FILES = {"b.json": b"{}", "d/c.json": b"[]"}


@pytest.mark.parametrize("kind", [io.BytesIO, Unseekable])
@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"{}", [("x", b"{}")]),
        (gzip.compress(b"{}", mtime=0), [("x", b"{}")]),
        (zstandard.compress(b"{}"), [("x", b"{}")]),
        (zipped(FILES), [("x/b.json", b"{}"), ("x/d/c.json", b"[]")]),
        (tarred(FILES), [("x/b.json", b"{}"), ("x/d/c.json", b"[]")]),
        (tarred(FILES, "w"), [("x/b.json", b"{}"), ("x/d/c.json", b"[]")]),
        (
            tarred(
                {"in.zip": zipped({"b.json.gz": gzip.compress(b"{}", mtime=0)})}, "w"
            ),
            [("x/in.zip/b.json", b"{}")],
        ),
        (b"", [("x", b"")]),
    ],
)
def test_what_a_file_holds(data, found, kind):
    assert opened(data, "x", kind=kind) == found


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("..\\a\\b", "a/b"),
        ("a/./b", "a/b"),
        ("a\x00\nb", "ab"),
        ("\udcff", "?"),
    ],
)
def test_names_only_name(name, safe):
    assert safe_name(name) == safe


def test_hidden_files_folders_and_links_are_left_out():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind in [("l", tarfile.SYMTYPE), ("d", tarfile.DIRTYPE)]:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert opened(made.getvalue()) == []
    assert opened(zipped({"__MACOSX/a": b"x", ".git/a": b"x", "e/": b""})) == []


def test_too_much_cannot_come_out():
    bomb = gzip.compress(b"0" * 5_000_000)
    assert opened(bomb, limits=Limits(max_unpacked_bytes=10_000)) == [
        ("a", "too_much_unpacked")
    ]
    many = zipped({f"{n}.json": b"{}" for n in range(5)})
    assert opened(many, limits=Limits(max_members=3))[3:] == [("a", "too_many_files")]


def test_archives_within_archives_end_somewhere():
    data = b"{}"
    for _ in range(6):
        data = gzip.compress(data)
    assert opened(data) == [("a", "too_deep")]


def test_a_header_of_a_tar_file_cannot_fill_memory():
    info = tarfile.TarInfo("long")
    info.type, info.size = tarfile.XHDTYPE, 2**33
    assert opened(info.tobuf() + b"\0" * 1024) == [("a", "bad_archive")]


def test_damage_costs_one_member():
    data = bytearray(zipped({"a.json": b"{}" * 200, "b.json": b"[]"}))
    data[38] ^= 0xFF
    assert opened(bytes(data)) == [("a/a.json", "bad_archive"), ("a/b.json", b"[]")]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([gzip.compress(b"[1]" * 99), zipped(FILES), tarred(FILES)]),
    st.floats(0, 1),
    st.integers(0, 7),
    st.booleans(),
)
def test_damaged_archives_say_so(data, share, bit, cut):
    at = int(share * (len(data) - 1))
    damaged = bytearray(data)
    damaged[at] ^= 1 << bit
    opened(bytes(damaged[:at] if cut else damaged))


def test_folders_are_walked_in_order(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("b/2.json", "a.json", "b/1.json", ".hidden"):
        (tmp_path / name).write_text(name)
    (tmp_path / "outside").symlink_to("/etc/hostname")
    found = [(one.name, one.source.read()) for one in walk(tmp_path, Limits())]
    names = ["a.json", "b/1.json", "b/2.json"]
    assert found == [(name, name.encode()) for name in names]
    assert [one.name for one in walk(tmp_path / "a.json", Limits())] == ["a.json"]
    assert list(walk(tmp_path, Limits(max_members=1)))[1].code == "too_many_files"
