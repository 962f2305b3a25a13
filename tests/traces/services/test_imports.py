import io
import json
from dataclasses import replace

import pytest

from tests.traces.services.conftest import NOW, TRACE, span, stored
from traces.domain.records import ReferenceLabel as Label
from traces.domain.records import Reject, TraceRecord
from traces.importers.agenteval import write
from traces.models import IngestReject, ReferenceLabel, Trace
from traces.services import imports
from traces.services.exports import export_records
from traces.services.imports import Outcome, import_file, store_trace_record
from traces.services.ingest import store_spans

LABELS = (
    Label("root_step", "ran the wrong query", "who_and_when", f"{1:016x}", "see log"),
    Label("outcome", "failed", "who_and_when"),
)
RECORD = TraceRecord(TRACE, (span(1), span(2)), LABELS, {"workflow": "refund"})


@pytest.fixture
def put(project):
    """Store a record."""

    def call(record):
        return store_trace_record(
            project=project, record=record, source="who_and_when", now=NOW
        )

    return call


def labels():
    rows = ReferenceLabel.objects.order_by("pk")
    return [(row.kind, row.value, row.span_id, row.note) for row in rows]


def test_a_new_trace_with_labels_and_facts(put, project):
    assert put(RECORD) is Outcome.IMPORTED
    trace = Trace.objects.get()
    assert (trace.source, trace.attributes) == ("who_and_when", {"workflow": "refund"})
    assert (trace.revision, trace.span_count) == (1, 2)
    assert labels() == [
        ("root_step", "ran the wrong query", f"{1:016x}", "see log"),
        ("outcome", "failed", "", ""),
    ]
    assert len(stored(project)) == 2


def test_the_same_again_changes_nothing(put):
    put(RECORD)
    before = list(ReferenceLabel.objects.values_list("pk", flat=True))
    assert put(RECORD) is Outcome.UNCHANGED
    assert list(ReferenceLabel.objects.values_list("pk", flat=True)) == before
    assert Trace.objects.get().revision == 1


@pytest.mark.parametrize(
    ("change", "revision"),
    [
        ({"spans": (span(1), span(2), span(3))}, 2),
        ({"attributes": {"workflow": "refund", "run": "7"}}, 2),
        ({"spans": (span(9),), "attributes": {"run": "7"}}, 2),
        ({"labels": LABELS[:1]}, 1),
    ],
)
def test_what_is_other_is_an_update(put, change, revision):
    put(RECORD)
    assert put(replace(RECORD, **change)) is Outcome.UPDATED
    assert Trace.objects.get().revision == revision


def test_facts_are_kept_and_added_to(put):
    put(RECORD)
    put(replace(RECORD, attributes={"run": "7"}))
    assert Trace.objects.get().attributes == {"workflow": "refund", "run": "7"}


def test_ones_own_export_of_what_a_program_sent_is_no_news(project):
    store_spans(project_id=project.pk, spans=RECORD.spans, source="otlp", now=NOW)
    exported = [file(record).read() for record in export_records(project=project)]
    report = load(project, io.BytesIO(b"".join(exported)))
    assert (report.imported, report.updated, report.unchanged) == (0, 0, 1)
    assert Trace.objects.get().revision == 1
    again = [file(record).read() for record in export_records(project=project)]
    assert again == exported


def test_labels_of_another_source_stay(put):
    put(RECORD)
    put(replace(RECORD, labels=(Label("score", "2", "agentrx"),)))
    assert [kind for kind, *_rest in labels()] == ["root_step", "outcome", "score"]


def test_labels_may_come_by_themselves(put):
    put(replace(RECORD, labels=()))
    assert put(replace(RECORD, spans=(), attributes={})) is Outcome.UPDATED
    assert len(labels()) == 2


def test_nothing_to_store_is_refused(put, project):
    assert put(replace(RECORD, spans=())) is Outcome.REJECTED
    assert not Trace.objects.exists()
    assert IngestReject.objects.get().code == "no_spans"
    project.refresh_from_db()
    assert (project.trace_count, project.reject_count) == (0, 1)


def test_text_that_no_database_takes(put):
    label = Label("k\0", "v\ud800", "s\0", "x\0", "n\0")
    record = TraceRecord("t\0", (span(1, trace_id="t\0"),), (label,), {"a\0": "b\0"})
    assert put(record) is Outcome.IMPORTED
    assert put(record) is Outcome.UNCHANGED
    assert Trace.objects.get().attributes == {"a\ufffd": "b\ufffd"}


def file(*records):
    return io.BytesIO(b"".join(map(write, records)))


def load(project, stream, name="runs.jsonl", format="auto"):
    return import_file(
        project=project, stream=stream, name=name, format=format, now=NOW
    )


def test_a_file_is_imported_once(project):
    other = replace(
        RECORD, trace_id="b" * 32, spans=(span(1, trace_id="b" * 32),), labels=()
    )
    first = load(project, file(RECORD, other))
    assert (first.imported, first.unchanged, first.rejected) == (2, 0, 0)
    again = load(project, file(RECORD, other))
    assert (again.imported, again.unchanged, again.traces) == (0, 2, 2)
    assert set(Trace.objects.values_list("source", flat=True)) == {"agenteval"}


def test_a_bad_line_costs_no_other(project):
    report = load(project, io.BytesIO(write(RECORD) + b"{broken\n"))
    assert (report.imported, report.rejected) == (1, 1)
    assert report.rejects[0].place.startswith("runs.jsonl")
    assert IngestReject.objects.get().source == "runs.jsonl"


def test_a_file_of_nothing_known(project):
    report = load(project, io.BytesIO(json.dumps({"a": 1}).encode()))
    assert (report.traces, report.rejected) == (0, 1)
    assert report.rejects[0].code == "unknown_format"


def test_a_format_that_is_not_there(project):
    with pytest.raises(KeyError):
        load(project, io.BytesIO(b"{}"), format="unheard-of")


def test_a_report_names_the_first_refusals_and_counts_all(project, monkeypatch):
    monkeypatch.setattr(imports, "NAMED", 2)
    report = imports.ImportReport("runs.jsonl")
    for number in range(3):
        report.refuse(Reject("span", str(number), "why", "bad_id"))
    report.refuse(Reject("file", "readme", "why", "not_traces"))
    assert (report.rejected, [r.place for r in report.rejects]) == (3, ["0", "1"])
