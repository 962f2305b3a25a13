import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.records import TraceRecord

LINES = (FIXTURES / "invariant" / "traces.jsonl").read_bytes()


@pytest.mark.parametrize("path", fixtures("invariant"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_annotations_name_their_message():
    first = next(one for one in read(LINES) if isinstance(one, TraceRecord))
    found = [(one.value, one.span_id) for one in first.labels]
    assert found == [("injection", "m2"), ("fine", "m3"), ("whole", "")]


def test_every_shape_of_a_line_is_a_trace():
    found = read(LINES)
    assert [isinstance(one, TraceRecord) for one in found] == [True, True, True, False]
    assert found[3].code == "no_messages"
    assert found[0].attributes["case"] == "3"
