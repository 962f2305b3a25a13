"""Each check fires on its fault and stays silent beside it."""

from __future__ import annotations

import pytest

from judging.domain.checks import CHECKS
from judging.domain.settings import METRICS
from judging.domain.text import text_of
from judging.judges.offline import judge
from judging.services.defaults import shipped_taxonomy
from tests.judging.checks.runs import IDS, fired, found, run

FIRES = [
    ("paramgen.malformed", {"arguments": '{"order_id": ', "malformed": "not valid JSON"}),
    ("paramgen.missing_required", {"arguments": {}}),
    ("paramgen.missing_required", {"arguments": {"order_id": ""}}),
    ("paramgen.wrong_type", {"arguments": {"order_id": "TB-4821", "count": "three"}}),
    ("paramgen.not_in_enum", {"arguments": {"order_id": "TB-4821", "kind": "odd"}}),
    ("paramgen.unknown_argument", {"arguments": {"order_id": "TB-4821", "x": 1}}),
    ("paramgen.placeholder", {"arguments": {"order_id": "<order id>"}}),
    ("paramgen.made_up", {"arguments": {"order_id": "TB-9999"}}),
    ("paramgen.lacks_argument", {"result": "Error: missing required field order_id"}),
    ("paramgen.refused_argument", {"error": "invalid value for order_id"}),
    ("toolsel.unknown_tool", {"tool": "find_order"}),
    ("toolsel.same_call_again", {"again": 2}),
    ("exec.stated_error", {"error": "boom"}),
    ("exec.traceback", {"result": "Traceback (most recent call last):\n  File x"}),
    ("exec.error_text", {"result": "Error: the order is locked"}),
    ("exec.error_text", {"result": {"success": False, "reason": "locked"}}),
    ("exec.http_status", {"result": "HTTP/1.1 503 from upstream"}),
    ("exec.exit_code", {"result": "exitcode: 1 (execution failed)"}),
    ("exec.timeout", {"error": "TimeoutError: no answer in 30 s"}),
    ("exec.rate_limit", {"result": "429: rate limit reached"}),
    ("exec.no_access", {"result": "Error: permission denied"}),
    ("exec.not_found", {"result": "Error: order not found"}),
    ("exec.code_syntax", {"result": "SyntaxError: invalid syntax"}),
    ("exec.failing_tests", {"result": "=== 2 failed, 5 passed in 1.2s ==="}),
    ("exec.missing_argument", {"error": "missing required argument order_id"}),
    ("exec.invalid_argument", {"error": "validation error: order_id"}),
    ("exec.empty_result", {"result": []}),
    ("exec.empty_result", {"result": ""}),
    ("exec.markup", {"result": "<!DOCTYPE html><html><body>Sign in</body></html>"}),
    ("exec.cut_result", {"result": "row 1\nrow 2\n[truncated: 90 rows]"}),
    ("exec.broken_json", {"result": '{"orders": [{"id": "TB-4821", "state": "ship'}),
    ("synth.empty", {"answer": " "}),
    ("synth.cut", {"finish": "length"}),
    ("synth.refusal", {"answer": "I'm sorry, I can't help with that."}),
    ("synth.gives_up", {"answer": "I couldn't reach the shop. Please try again later."}),
    ("synth.only_promise", {"answer": "Let me look that up for you."}),
    ("synth.leaves_out", {"request": "Where are TB-4821 and TB-7715?"}),
    ("synth.claims_after_failure",
     {"tool": "cancel_order", "error": "locked", "answer": "I've cancelled your order."}),
    ("synth.claims_without_call", {"answer": "Your order has been cancelled."}),
    ("synth.unsupported_value", {"answer": "Parcel ZX-55120 is on its way."}),
    ("synth.unclosed_code", {"answer": "Run this:\n```\nls"}),
]  # fmt: skip

SILENT = [
    ("paramgen.made_up", {"arguments": {"order_id": "TB-4821"}}),
    ("paramgen.made_up", {"arguments": {"q": "orders of last week"}}),
    ("paramgen.made_up", {"arguments": {"net": 8777.5}, "request": "8.777,50 net"}),
    ("paramgen.made_up",
     {"arguments": {"order_id": "TB-4823"}, "request": "All from TB-4821 to TB-4830."}),
    ("paramgen.made_up", {"arguments": {"date": "2024-05-24"}, "request": "On May 24."}),
    ("paramgen.placeholder", {"arguments": {"kind": "bar"}}),
    ("paramgen.wrong_type", {"arguments": {"order_id": "TB-4821", "count": 3.0}}),
    ("exec.error_text", {"result": "No errors were found in the log."}),
    ("exec.http_status", {"result": "Room 404 is free."}),
    ("exec.exit_code", {"result": "exitcode: 0 (execution succeeded)"}),
    ("exec.not_found", {"result": "A long page. " * 60 + "One link was not found."}),
    ("exec.failing_tests", {"result": "=== 0 failed, 5 passed in 1.2s ==="}),
    ("exec.empty_result", {"result": 0}),
    ("exec.broken_json", {"result": '{"a": 1}'}),
    ("toolsel.same_call_again", {"result": "waiting", "later": "shipped"}),
    ("synth.unsupported_value",
     {"result": {"net": 100.25, "tax": 19.05}, "answer": "Together 119.30."}),
    ("synth.unsupported_value", {"result": {"n": 104233}, "answer": "104,233 trips in 2026."}),
    ("synth.claims_after_failure",
     {"tool": "cancel_order", "answer": "I've cancelled your order."}),
    ("synth.only_promise", {"answer": "It is shipped. If you need more, let me know!"}),
    ("synth.unsupported_value", {"answer": "It comes within 24h, on the 10th."}),
    ("synth.leaves_out", {"request": "Where is TB-4821?"}),
]  # fmt: skip


@pytest.mark.parametrize(("check", "given"), FIRES)
def test_it_fires(check, given):
    assert check in fired(run(**given))


@pytest.mark.parametrize(("check", "given"), SILENT)
def test_it_stays_silent(check, given):
    assert check not in fired(run(**given))


def test_a_clean_run_has_no_finding():
    assert fired(run()) == set()


def test_every_check_is_tried():
    tried = {check for check, _ in FIRES} | {"synth.model_error", "synth.said_before"}
    assert set(IDS) == tried


def test_ids_are_unique_and_every_name_is_known():
    known = shipped_taxonomy().by_id
    assert len(set(IDS)) == len(IDS)
    for check in CHECKS:
        assert known[check.category].level == 3
        assert all(check.metric in METRICS[step_type] for step_type in check.types)
        assert 1 <= check.cap <= 4
        assert check.rule.endswith(".")


def test_an_error_that_was_made_good_weighs_less():
    lost = found(run(error="busy"), "exec.stated_error")
    kept = found(run(error="busy", later="shipped"), "exec.stated_error")
    assert (lost.cap, kept.cap) == (2.0, 3.0)


def test_a_made_up_value_names_what_it_nearly_is():
    finding = found(run(arguments={"order_id": "TB-4812"}), "paramgen.made_up")
    assert "tb-4821" in finding.message
    assert finding.cap == 1.0


@pytest.mark.parametrize(("check", "given"), FIRES)
def test_evidence_stands_where_it_says(check, given):
    made = run(**given)
    finding = found(made, check)
    assert finding.evidence
    for one in finding.evidence:
        if one.start >= 0:
            content = made.content(one.step)
            values = {"output": content.output, "error": content.error}
            values["arguments"] = content.call.arguments if content.call else None
            text = text_of(values[one.where])
            assert text[one.start : one.start + len(one.text)] == one.text


HOSTILE = ["\0\ud800" * 50, "```" * 5_000, "a1" * 40_000, "[" * 5_000, "9" * 5_000,
           "error " * 20_000, {"a": {"b": [None] * 500}}, "(" * 20_000, " " * 50_000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_judged_like_any_other(text):
    made = run(
        result=text, answer=text, arguments={"x": text}, request=str(text)[:9_000]
    )
    assert judge(made) == judge(made)
