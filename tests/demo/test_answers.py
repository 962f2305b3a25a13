"""Healthy runs answer rightly, failing ones don't, at any time and seed."""

from datetime import UTC, datetime

import pytest

from agenteval_web.demo import build_demo
from agenteval_web.demo.analysis.warehouse import run_sql, warehouse
from agenteval_web.demo.customer.healthy import CHOICE, NOOR_ASKS, NOOR_CHOOSES
from agenteval_web.demo.tools import ToolError

RIGHT_ANYWAY = {"asks_three_times"}
TIMES = [
    (datetime(2026, 12, 1, 12, tzinfo=UTC), 7),
    (datetime(2027, 1, 4, 0, 10, tzinfo=UTC), 1),
    (datetime(2028, 3, 1, 23, 50, tzinfo=UTC), 2),
    (datetime(2027, 7, 18, 9, tzinfo=UTC), 3),
]


@pytest.mark.parametrize(("now", "seed"), TIMES)
def test_healthy_answers_are_right_and_failing_ones_are_not(now, seed):
    for trace in build_demo(now=now, seed=seed):
        right = all(text in trace.answer for text in trace.truth)
        assert trace.truth or trace.scenario == "killed_while_reading"
        expected = trace.fault is None or trace.scenario in RIGHT_ANYWAY
        assert right == (expected or not trace.truth), trace.scenario


def test_answer_is_what_the_first_span_gave(demo):
    for trace in demo.values():
        root = next(s for s in trace.record.spans if s.parent_id is None)
        given = [
            root.attributes.get(key, "")
            for key in ("gen_ai.output.messages", "output.value")
        ]
        declared = any("agenteval.output" in s.attributes for s in trace.record.spans)
        words = trace.answer.split("\n")[0].replace('"', '\\"')
        assert declared or any(words in text for text in given), trace.scenario


def test_session_remembers_what_was_said(demo):
    first, second = demo["ask_back"], demo["cancel_the_desk"]
    assert first.answer == CHOICE
    texts = "".join(str(dict(span.attributes)) for span in second.record.spans)
    assert NOOR_ASKS.replace("'", "\\'") in texts
    assert NOOR_CHOOSES in texts
    third = "".join(str(dict(s.attributes)) for s in demo["answers_half"].record.spans)
    assert second.answer in third


def test_notebook_remembers_what_was_said(demo):
    third = demo["forgets_members"].record.spans
    texts = "".join(str(dict(span.attributes)) for span in third)
    assert demo["revenue_by_district"].answer in texts
    assert demo["member_trips_compared"].answer in texts


def test_tables_can_be_read_and_not_written():
    data = warehouse(7, datetime(2026, 11, 17, tzinfo=UTC).date())
    database = data.connect()
    count = run_sql(database, "SELECT COUNT(*) FROM stations")
    assert count == {"columns": ["COUNT(*)"], "rows": [(104,)], "row_count": 1}
    with pytest.raises(ToolError, match="readonly"):
        run_sql(database, "DELETE FROM stations")


def test_sql_and_plain_counting_agree():
    data = warehouse(3, datetime(2027, 7, 4, tzinfo=UTC).date())
    counted = sum(row["trips"] for row in data.month("daily_trips", data.later))
    found = run_sql(
        data.connect(), "SELECT SUM(trips) FROM daily_trips WHERE day LIKE '2027-06-%'"
    )
    assert found["rows"] == [(counted,)]
