import sqlite3
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection

from tests.traces.services.conftest import NOW, span
from traces.models import Project, Span, Trace
from traces.services import writer as module
from traces.services.deletion import delete_traces
from traces.services.ingest import Batch, Receipt, write_batches
from traces.services.rows import prepare
from traces.services.writer import GroupWriter, OverloadedError


@pytest.fixture
def shop(transactional_db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def writer():
    """A writer whose thread gives its connection back at the end."""
    made = GroupWriter()
    yield made
    made.stop()


def batch(project, *spans):
    return Batch(project.pk, prepare(spans), "otlp", NOW)


def test_the_answer_comes_after_the_commit(shop, writer):
    receipt = writer.submit(batch(shop, span(1), span(2))).result(10)
    assert (receipt.stored, Span.objects.count()) == (2, 2)


def test_eight_senders_of_the_same_spans_store_them_once(shop, writer):
    spans = [span(n) for n in range(50)]
    with ThreadPoolExecutor(8) as senders:
        answers = senders.map(
            lambda _n: writer.submit(batch(shop, *spans)).result(20), range(8)
        )
        receipts = list(answers)
    assert sum(receipt.stored for receipt in receipts) == 50
    assert sum(receipt.unchanged for receipt in receipts) == 350
    trace = Trace.objects.get()
    assert (trace.span_count, trace.revision) == (50, 1)
    shop.refresh_from_db()
    assert (shop.trace_count, shop.span_count) == (1, 50)


def test_two_writers_of_the_same_spans_store_them_once(shop):
    """As in two server processes."""
    writers = [GroupWriter(), GroupWriter()]
    many = [span(n % 10, trace_id=f"{n // 10:032x}") for n in range(300)]
    answers = [
        each.submit(batch(shop, *many[begin : begin + 60]))
        for begin in range(0, 300, 60)
        for each in writers
    ]
    stored = sum(answer.result(30).stored for answer in answers)
    for each in writers:
        each.stop()
    shop.refresh_from_db()
    assert (stored, Span.objects.count(), shop.span_count) == (300, 300, 300)
    assert shop.trace_count == Trace.objects.count() == 30


def test_many_senders_with_many_traces(shop, writer):
    def send(sender):
        for turn in range(10):
            spans = [span(turn, trace_id=f"{sender:x}{n:x}") for n in range(1, 6)]
            writer.submit(batch(shop, *spans)).result(20)

    with ThreadPoolExecutor(8) as senders:
        list(senders.map(send, range(1, 9)))
    shop.refresh_from_db()
    assert (shop.trace_count, shop.span_count) == (40, 400)
    assert set(Trace.objects.values_list("span_count", "revision")) == {(10, 10)}


def test_a_bad_request_fails_alone(shop):
    def write(batches):
        if any(not each.prepared.rows for each in batches):
            raise ZeroDivisionError
        return write_batches(batches)

    writer = GroupWriter(write)
    jobs = [batch(shop, span(1)), batch(shop), batch(shop, span(2))]
    group = [module._Job(each) for each in jobs]
    writer.work(group)
    assert group[0].answer.result(0).stored == 1
    assert isinstance(group[1].answer.exception(0), ZeroDivisionError)
    assert group[2].answer.result(0).stored == 1
    assert Span.objects.count() == 2


def test_a_busy_database_is_tried_again(shop):
    pauses = []
    tries = iter([OperationalError("database is locked")] * 3)

    def write(batches):
        for error in tries:
            raise error
        return write_batches(batches)

    job = module._Job(batch(shop, span(1)))
    GroupWriter(write, pauses.append).work([job])
    assert job.answer.result(0).stored == 1
    assert pauses == [0.01, 0.02, 0.04]


def test_a_database_that_stays_away_is_told_to_everybody(shop, monkeypatch):
    monkeypatch.setattr(module, "RETRY_FOR", 0.0)

    def write(batches):
        raise OperationalError("gone")

    group = [module._Job(batch(shop)), module._Job(batch(shop))]
    GroupWriter(write).work(group)
    assert [str(job.answer.exception(0)) for job in group] == ["gone", "gone"]


class Stuck:
    """Writes nothing until it may; remembers its groups."""

    def __init__(self):
        self.go, self.started, self.groups = threading.Event(), threading.Event(), []

    def __call__(self, batches):
        self.started.set()
        self.go.wait(10)
        self.groups.append(len(batches))
        return [Receipt() for _batch in batches]


def test_what_waits_is_written_together(shop):
    stuck = Stuck()
    writer = GroupWriter(stuck)
    answers = [writer.submit(batch(shop))]
    stuck.started.wait(10)
    answers += [writer.submit(batch(shop)) for _ in range(20)]
    stuck.go.set()
    for answer in answers:
        answer.result(10)
    writer.stop()
    assert stuck.groups == [1, 20]


def test_a_group_has_a_largest_size(shop, monkeypatch):
    monkeypatch.setattr(module, "GROUP_SPANS", 3)
    stuck = Stuck()
    writer = GroupWriter(stuck)
    answers = [writer.submit(batch(shop))]
    stuck.started.wait(10)
    answers += [writer.submit(batch(shop, span(1), span(2))) for _ in range(3)]
    stuck.go.set()
    for answer in answers:
        answer.result(10)
    writer.stop()
    assert stuck.groups == [1, 1, 1, 1]


def test_too_much_waiting_is_refused(shop, monkeypatch):
    monkeypatch.setattr(module, "MAX_WAITING", 2)
    stuck = Stuck()
    writer = GroupWriter(stuck)
    writer.submit(batch(shop))
    stuck.started.wait(10)
    waiting = [writer.submit(batch(shop)) for _ in range(2)]
    with pytest.raises(OverloadedError):
        writer.submit(batch(shop))
    stuck.go.set()
    for answer in waiting:
        answer.result(10)
    writer.submit(batch(shop)).result(10)
    writer.stop()


def test_a_sender_that_went_away_is_not_waited_for(shop):
    stuck = Stuck()
    writer = GroupWriter(stuck)
    writer.submit(batch(shop))
    stuck.started.wait(10)
    gone, here = writer.submit(batch(shop)), writer.submit(batch(shop))
    gone.cancel()
    stuck.go.set()
    here.result(10)
    writer.stop()
    assert stuck.groups == [1, 1]


@pytest.mark.sqlite
def test_commits_wait_for_the_disk(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone() == (2,)
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)


@pytest.mark.sqlite
def test_somebody_else_may_write_meanwhile(shop, writer):
    """A lock held by another process makes senders wait, not fail."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = writer.submit(batch(shop, span(1)))
    with pytest.raises(TimeoutError):
        answer.result(0.5)
    other.execute("COMMIT")
    other.close()
    assert answer.result(10).stored == 1


def test_a_trace_deleted_meanwhile_is_made_again(shop, writer):
    for turn in range(20):
        answer = writer.submit(batch(shop, span(turn)))
        pks = list(Trace.objects.values_list("pk", flat=True))
        delete_traces(project=shop, traces=pks, actor=None, now=NOW)
        assert answer.result(10).stored == 1
    pks = list(Trace.objects.values_list("pk", flat=True))
    delete_traces(project=shop, traces=pks, actor=None, now=NOW)
    shop.refresh_from_db()
    assert (shop.trace_count, shop.span_count, Span.objects.count()) == (0, 0, 0)


def test_jobs_begin_unanswered(shop):
    assert isinstance(module._Job(batch(shop)).answer, Future)


def test_stopping_writes_what_waits(shop, writer):
    answer = writer.submit(batch(shop, span(1)))
    assert writer.stop()
    assert answer.done()
    assert Span.objects.count() == 1


def test_stopping_waits_no_longer_than_told(shop):
    stuck = Stuck()
    writer = GroupWriter(stuck)
    answer = writer.submit(batch(shop, span(1)))
    stuck.started.wait(10)
    assert not writer.stop(within=0.01)
    stuck.go.set()
    answer.result(10)
    writer.submit(batch(shop)).result(10)
    assert writer.stop()


def test_a_writer_that_never_wrote_has_ended():
    assert GroupWriter().stop(within=0)


def test_it_is_busy_while_much_comes_and_not_for_long_after(shop, monkeypatch):
    monkeypatch.setattr("traces.services.writer.BUSY_SPANS", 2)
    seconds = [0.0]
    writer = GroupWriter(clock=lambda: seconds[0])
    assert not writer.is_busy()
    for number in range(2):
        writer.submit(batch(shop, span(number + 1))).result(10)
    assert writer.is_busy()
    seconds[0] = 1.5
    assert not writer.is_busy()
    writer.stop()
