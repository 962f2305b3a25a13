import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.records import Reject, TraceRecord
from traces.importers.mast.text import turns_of
from traces.importers.times import nanoseconds

FOLDER = FIXTURES / "mast"


@pytest.fixture
def records():
    found = read((FOLDER / "records.json").read_bytes())
    return [one for one in found if isinstance(one, TraceRecord)]


def said(trace):
    return [
        (span.attributes.get("gen_ai.agent.name"), len(_given(span)))
        for span in trace.spans
        if "gen_ai.output.messages" in span.attributes
    ]


def _given(span):
    return span.attributes.get("gen_ai.input.messages", ())


@pytest.mark.parametrize("path", fixtures("mast"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_chatdev(records):
    chatdev = records[0]
    assert chatdev.attributes["name"] == "make a counter"
    assert said(chatdev) == [("Programmer", 2), ("Chief Executive Officer", 2)]
    assert {span.attributes.get("mast.phase") for span in chatdev.spans} == {
        None,
        "LanguageChoose",
    }
    # The day stands before the month: the second of March.
    assert chatdev.spans[1].start_ns == nanoseconds("2026-03-02T10:00:02Z")


def test_addressees_alone_hear(records):
    assert said(records[1]) == [("Coder", 1), ("Coder", 0), ("Tester", 3)]


def test_metagpt_in_one_text(records):
    assert said(records[2]) == [("Ann", 0), ("Bob", 1)]


def test_labels_have_names_and_say_who_gave_them(records):
    found = [(one.source, one.value, one.note) for r in records for one in r.labels]
    assert found == [
        ("mast_llm", "Disobey Task Specification", "1.1"),
        ("mast_llm", "Incorrect Verification", "3.3"),
        ("mast", "Step repetition", "2 of 3 annotators"),
    ]


def test_gold_labels_meet_their_trace(records):
    (gold,) = read((FOLDER / "gold.json").read_bytes())
    assert gold.trace_id == records[3].trace_id == "mast-adder"
    (one,) = gold.labels
    assert (one.source, one.value) == ("mast_gold", "No or Incomplete Verification")


def test_other_logs_are_refused():
    rejects = [
        one
        for one in read((FOLDER / "records.json").read_bytes())
        if isinstance(one, Reject)
    ]
    assert [one.code for one in rejects] == ["unknown_log"]
    assert "HyperAgent" in rejects[0].reason


@pytest.mark.parametrize("log", ["", "x", "[2026-", "[" * 10_000, "a: **b<->" * 5000])
def test_text_without_turns(log):
    assert turns_of(log) == []
