import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.importers.openinference import flatten


def span(**more):
    return {"context": {"trace_id": "t", "span_id": "s"}, "attributes": {}} | more


@pytest.mark.parametrize("path", fixtures("openinference"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


@pytest.mark.parametrize("around", ["data", "spans", "scenario one"])
def test_spans_within_an_object(around):
    spans = json.loads((FIXTURES / "openinference" / "flat.json").read_text())
    (trace,) = read(json.dumps({around: spans}))
    assert len(trace.spans) == 3


def test_flattening_keeps_values_whole():
    nested = {"a": {"b": [{"c": 1}, {"d": []}]}, "metadata": {"x": {"y": 1}}, "e": {}}
    flat = {"a.b.0.c": 1, "a.b.1.d": [], "metadata": {"x": {"y": 1}}, "e": {}}
    assert flatten(nested) == flat
    assert flatten(flat) == flat


def test_flattening_cannot_blow_up():
    value = {"leaf": 1}
    for _ in range(100):
        value = {"k" * 100: value}
    ((key, _),) = flatten(value).items()
    assert len(key) < 500


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"status_code": "OK"}, "ok"),
        ({"status_code": "STATUS_CODE_ERROR"}, "error"),
        ({"status": {"status_code": "StatusCode.ERROR"}}, "error"),
        ({"status": {"code": "Ok"}}, "ok"),
        ({}, "unset"),
    ],
)
def test_status_in_every_spelling(fields, status):
    (trace,) = read(json.dumps([span(**fields)]))
    assert trace.spans[0].status == status
