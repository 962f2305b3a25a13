"""``manage.py judge``: all, one, what is left; clear words for what isn't there."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judging.models import Evaluation
from tests.judging.test_digest import spans
from traces.domain.records import TraceRecord
from traces.models import Project
from traces.services.imports import store_trace_record

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ID = "t" * 32

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stored():
    project = Project.objects.create(slug="shop", name="Shop", created_at=NOW)
    store_trace_record(
        project=project, record=TraceRecord(ID, spans()), source="test", now=NOW
    )


def judge(*arguments: str) -> str:
    out = StringIO()
    call_command("judge", "--project", "shop", *arguments, stdout=out)
    return out.getvalue()


def test_it_judges_what_waits_and_then_nothing():
    assert "Judged 1 traces, 0 could not" in judge("--pending")
    assert "Judged 0 traces" in judge("--pending")
    assert Evaluation.objects.count() == 1


def test_without_pending_all_is_judged_again():
    judge()
    judge()
    assert Evaluation.objects.count() == 2


def test_one_trace():
    assert "3 failed" in judge("--trace", ID)


@pytest.mark.parametrize("arguments", [("--trace", "nope"), ("--project", "nope")])
def test_what_is_not_there_is_named(arguments):
    with pytest.raises(CommandError, match="nope"):
        judge(*arguments)
