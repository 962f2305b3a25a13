import gzip
import io
import json
import zipfile

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.records import Reject, TraceRecord
from traces.importers import FORMATS, IMPORTERS, detect, read_any
from traces.importers.base import Limits, fit_id
from traces.importers.jsonstream import take_sample

CHAT = '{"messages": [{"role": "user", "content": "%s"}]}'


@pytest.mark.parametrize(
    "path", [p for p in fixtures() if p.parent.name in IMPORTERS], ids=label
)
def test_every_fixture_is_recognised_by_its_content(path):
    sample, _ = take_sample(io.BytesIO(path.read_bytes()))
    assert detect(sample) == path.parent.name


@pytest.mark.parametrize("path", fixtures("otlp"), ids=label)
def test_requests_in_files_read_as_expected(path):
    check(path)


@pytest.mark.parametrize("format", [f for f in FORMATS if f in IMPORTERS])
def test_every_format_has_fixtures_and_a_name_for_people(format):
    assert fixtures(format)
    assert IMPORTERS[format].LABEL


@pytest.mark.parametrize("format", [f for f in FORMATS if f in IMPORTERS])
def test_every_format_is_in_the_docs(format):
    pages = FIXTURES.parents[1] / "docs" / "formats"
    assert f"[{format}.md]({format}.md)" in (pages / "README.md").read_text()


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        ("", "empty_file", "empty"),
        ("# Notes\nhello", "not_traces", "neither JSON"),
        ("[see below] text", "not_traces", "neither JSON"),
        ('{"colour": 1, "size": 2}', "unknown_format", "'colour', 'size'"),
        ("[[1]]", "unknown_format", "a list of list"),
        ("{}".encode("utf-16"), "utf16", "UTF-16"),
    ],
)
def test_what_is_no_trace_is_named(data, code, words):
    (found,) = read(data, "notes.txt")
    assert (found.level, found.place, found.code) == ("file", "notes.txt", code)
    assert words in found.reason


def test_one_bad_trace_never_stops_the_rest():
    found = read("\n".join([CHAT % "a", '{"messages": [', CHAT % "b"]), "x.jsonl")
    assert [type(one) for one in found] == [TraceRecord, Reject, TraceRecord]
    assert found[1].place == "x.jsonl: line 2, column 15, byte 63"


def test_files_of_an_archive_are_told_apart_by_content():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in fixtures():
            if path.parent.name in IMPORTERS:
                archive.write(path, label(path))
    found = list(read_any(io.BytesIO(made.getvalue()), name="all.zip"))
    sources = {r.attributes["source"] for r in found if isinstance(r, TraceRecord)}
    assert sources == set(IMPORTERS)


def test_a_damaged_archive_gives_what_was_read_before():
    data = gzip.compress("\n".join(CHAT % n for n in range(20_000)).encode())
    found = read(data[: len(data) // 2], "x.jsonl.gz")
    assert len(found) > 100
    assert isinstance(found[0], TraceRecord)
    assert (found[-1].level, found[-1].code) == ("file", "bad_archive")


def test_limits_are_kept():
    limits = Limits(max_spans=2, max_trace_bytes=1000)
    many = {"messages": [{"role": "user", "content": "x"}] * 3}
    assert read(json.dumps(many), limits=limits)[0].code == "too_many_spans"
    assert read(CHAT % ("x" * 2000), limits=limits)[0].code == "too_long"


def test_changes_are_noted_on_their_trace():
    (trace,) = read(CHAT % "nul: \\u0000", "x.json")
    assert trace.spans[0].attributes["agenteval.output"] == "nul: \ufffd"
    (note,) = trace.rejects
    assert (note.code, note.trace_id) == ("text_cleaned", trace.trace_id)


def test_facts_are_text():
    data = '{"id": "%s", "tags": "a", "session_id": 7, "messages": [{"role": "user"'
    (trace,) = read(data % ("i" * 20) + ', "content": "x"}]}')
    assert trace.attributes["tags"] == ["a"]
    assert trace.attributes["session"] == "7"


def test_importing_again_gives_the_same_ids():
    for path in fixtures():
        data = path.read_bytes()
        assert read(data, path.name) == read(data, path.name)


def test_an_unknown_format_is_an_error():
    with pytest.raises(KeyError):
        read("{}", format="morse")


def test_ids_fit():
    assert fit_id("abc", fallback="x") == "abc"
    assert fit_id(None, fallback="x") == "x"
    assert len(fit_id("a" * 200, fallback="x")) == 64


def test_a_file_of_a_known_format_without_a_trace_is_named():
    (found,) = read(b'{"resourceSpans": []}', "empty.json")
    assert (found.level, found.place, found.code) == ("file", "empty.json", "no_traces")
