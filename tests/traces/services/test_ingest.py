from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.services.conftest import NOW, TRACE, span, stored
from traces.domain.records import (
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
)
from traces.models import IngestReject, Span, Trace
from traces.models import Scope as ScopeRow
from traces.services import rejects
from traces.services.ingest import Batch, Receipt, store_spans, write_batches
from traces.services.rejects import store_rejects
from traces.services.rows import prepare
from traces.signals import trace_stored

FULL = SpanRecord(
    trace_id=TRACE,
    span_id="00f067aa0ba902b7",
    parent_id="00f067aa0ba902b6",
    name="chat gpt",
    kind=3,
    start_ns=1_767_225_600_000_000_001,
    end_ns=1_767_225_601_000_000_002,
    status=SpanStatus.ERROR,
    status_message="upstream timed out",
    attributes={
        "llm.input": "Où est ma commande ? 📦",
        "n": 2**63,
        "list": [1, {"a": None}],
    },
    events=(SpanEvent("exception", 5, {"type": "E"}), SpanEvent("untimed")),
    links=(SpanLink("a" * 32, "b" * 16, {"why": "follows"}),),
    scope=Scope("instr", "1.2", {"k": "v"}, {"service.name": "shop"}),
    position=7,
)


def test_a_span_comes_back_as_it_was_sent(project, store):
    receipt = store(FULL)
    trace = Trace.objects.get()
    assert receipt == Receipt(stored=1, traces=(trace.pk,))
    assert stored(project) == [FULL]


def test_what_no_column_holds_comes_back_too(project, store):
    huge = replace(
        FULL,
        name="n" * 10_000,
        kind=2**40,
        start_ns=2**64 - 1,
        end_ns=-(2**70),
        position=2**40,
    )
    store(huge)
    assert stored(project) == [huge]
    assert len(Span.objects.get().name) == 200


def test_sending_again_changes_nothing(project, store):
    first, again = store(FULL), store(FULL)
    assert (again.stored, again.unchanged, again.updated) == (0, 1, 0)
    assert again.traces == ()
    trace = Trace.objects.get()
    assert (trace.revision, trace.span_count) == (1, 1)
    assert first.traces == (trace.pk,)


def test_the_later_version_of_a_finished_span_wins(project, store):
    store(FULL)
    receipt = store(replace(FULL, attributes={"llm.input": "corrected"}))
    assert (receipt.stored, receipt.unchanged, receipt.updated) == (0, 0, 1)
    assert stored(project)[0].attributes == {"llm.input": "corrected"}
    trace = Trace.objects.get()
    assert (trace.revision, trace.span_count) == (2, 1)


def test_a_finished_span_replaces_an_unfinished_one(project, store):
    store(replace(FULL, end_ns=None))
    assert store(FULL).updated == 1
    assert stored(project) == [FULL]


def test_an_unfinished_version_that_comes_late_is_left_out(project, store):
    store(FULL)
    assert store(replace(FULL, end_ns=None)).unchanged == 1
    assert stored(project) == [FULL]
    assert Trace.objects.get().revision == 1


def test_one_request_may_hold_a_span_twice(project, store):
    receipt = store(span(1), span(1), span(1, name="other"))
    assert (receipt.stored, receipt.unchanged, receipt.updated) == (1, 1, 1)
    assert [record.name for record in stored(project)] == ["other"]


def test_spans_of_a_trace_may_come_in_many_requests(project, store):
    store(span(2, parent_id="1"))
    store(span(1), span(3, trace_id="f" * 32), now=NOW + timedelta(hours=1))
    trace = Trace.objects.get(trace_id=TRACE)
    assert (trace.revision, trace.span_count) == (2, 2)
    assert trace.received_at == NOW
    assert trace.updated_at == NOW + timedelta(hours=1)
    project.refresh_from_db()
    assert (project.trace_count, project.span_count) == (2, 3)


def test_a_change_makes_the_digest_wait(project, store):
    store(span(1))
    Trace.objects.update(digest_state="done", digested_revision=1)
    store(span(1))
    assert Trace.objects.get().digest_state == "done"
    store(span(2))
    assert Trace.objects.get().digest_state == "waiting"


def test_a_scope_is_stored_once(project, store):
    scope = Scope("instr", "1", {}, {"service.name": "shop"})
    store(span(1, scope=scope), span(2, scope=replace(scope)))
    store(span(3, scope=scope), span(4))
    assert ScopeRow.objects.count() == 2


def test_projects_do_not_meet(project, store):
    other = type(project).objects.create(slug="o", name="O", created_at=NOW)
    store(span(1))
    store_spans(project_id=other.pk, spans=[span(1)], source="otlp", now=NOW)
    assert Trace.objects.count() == 2


def test_thousands_of_spans_in_one_request(project, store):
    receipt = store(*(span(n, trace_id=f"{n % 700:032x}") for n in range(1, 3_001)))
    assert (receipt.stored, len(receipt.traces)) == (3_000, 700)
    again = store(*(span(n, trace_id=f"{n % 700:032x}") for n in range(1, 3_002)))
    assert (again.stored, again.unchanged) == (1, 3_000)


BAD = [
    (replace(FULL, trace_id=""), "The trace id is empty."),
    (replace(FULL, span_id=""), "The span id is empty."),
    (replace(FULL, span_id="x" * 129), "The span id is longer than 128 characters."),
    (
        replace(FULL, parent_id="x" * 129),
        "The parent id is longer than 128 characters.",
    ),
]


@pytest.mark.parametrize(("bad", "reason"), BAD)
def test_a_bad_span_costs_no_other(project, store, bad, reason):
    assert store(span(1), bad, span(2)).stored == 2
    reject = IngestReject.objects.get()
    assert (reject.level, reject.place, reject.reason) == ("span", "span 1", reason)


def test_text_that_no_database_takes_is_replaced_and_said(project, store):
    store(span(1, name="a\0b", attributes={"in": "c\0d", "\ud800": 1}))
    record = stored(project)[0]
    assert record.name == "a\ufffdb"
    assert record.attributes == {"in": "c\ufffdd", "\ufffd": 1}
    assert IngestReject.objects.get().code == "text_replaced"
    project.refresh_from_db()
    assert project.reject_count == 1


def test_ids_with_text_that_no_database_takes(project, store):
    assert store(span(1, trace_id="t\0", parent_id="\udfff")).stored == 1
    assert stored(project, "t\ufffd")[0].parent_id == "\ufffd"


def test_several_requests_are_as_if_one_after_the_other(project):
    def batch(*spans):
        return Batch(project.pk, prepare(spans), "otlp", NOW)

    receipts = write_batches([batch(span(1)), batch(), batch(span(1), span(2))])
    assert [(r.stored, r.unchanged) for r in receipts] == [(1, 0), (0, 0), (1, 1)]
    assert Trace.objects.get().revision == 1


def test_the_next_stage_hears_after_the_commit(
    project, store, django_capture_on_commit_callbacks
):
    heard = []

    def listen(**kwargs):
        heard.append((kwargs["project_id"], kwargs["trace_pks"]))

    trace_stored.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            store(span(1))
            assert heard == []
        with django_capture_on_commit_callbacks(execute=True):
            store(span(1))
    finally:
        trace_stored.disconnect(listen)
    assert heard == [(project.pk, (Trace.objects.get().pk,))]


def test_rejects_are_bounded_and_all_counted(project, monkeypatch):
    monkeypatch.setattr(rejects, "KEPT", 3)
    monkeypatch.setattr(rejects, "PER_CALL", 2)
    for turn in range(3):
        many = [Reject("span", f"{turn}.{n}", "why", "code") for n in range(5)]
        store_rejects(project_id=project.pk, rejects=many, source="otlp", now=NOW)
    project.refresh_from_db()
    assert project.reject_count == 15
    kept = IngestReject.objects.order_by("pk").values_list("place", flat=True)
    assert list(kept) == ["1.1", "2.0", "2.1"]


def test_rejects_of_any_length_and_text_are_taken(project):
    long = Reject("l" * 99, "p" * 999, "r\0" * 999, "c" * 99, "t" * 999, "\ud800")
    store_rejects(project_id=project.pk, rejects=[long], source="s" * 999, now=NOW)
    assert IngestReject.objects.get().span_id == "\ufffd"


VERSIONS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([None, 2_000, 3_000])), max_size=12
)


@given(VERSIONS, st.lists(st.integers(0, 12), max_size=3))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_cutting_into_requests_makes_no_difference(project, store, versions, cuts):
    spans = [span(n, end_ns=end) for n, end in versions]
    Trace.objects.all().delete()
    edges = [0, *sorted(min(cut, len(spans)) for cut in cuts), len(spans)]
    for begin, end in pairwise(edges):
        store(*spans[begin:end])
    expected: dict[str, SpanRecord] = {}
    for record in spans:
        before = expected.get(record.span_id)
        if before is None or before.end_ns is None or record.end_ns is not None:
            expected[record.span_id] = record
    found = {r.span_id: r for r in stored(project)} if spans else {}
    assert found == expected
