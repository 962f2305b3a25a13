"""Which faults there are, where they begin, and what follows from them."""

import json
import tomllib
from collections import Counter
from pathlib import Path

import judging
from tests.demo.spans import results, tool_of, version_of

TAXONOMY = Path(judging.__file__).parent / "taxonomy" / "v1.toml"
PARAMETERS = {"type-mismatch", "value-error", "missing-required"}


def failing(demo):
    return [trace for trace in demo.values() if trace.fault]


def leaves():
    rows = tomllib.loads(TAXONOMY.read_text(encoding="utf-8"))["category"]
    parents = {row.get("parent") for row in rows}
    return {row["id"] for row in rows} - parents


def labels(trace):
    return {label.kind: label for label in trace.record.labels}


def test_every_leaf_of_the_taxonomy_has_a_fault(demo):
    assert {trace.fault.category for trace in failing(demo)} == leaves()


def test_labels_point_to_existing_spans(demo):
    for trace in failing(demo):
        spans = {span.span_id for span in trace.record.spans}
        found = labels(trace)
        assert set(found) == {"root_step", "category", "outcome"}
        assert found["root_step"].span_id in spans
        assert found["category"].span_id == found["root_step"].span_id
        assert found["category"].value == trace.fault.category
        assert found["outcome"].value == "failed"


def test_healthy_runs_are_labelled_passed_and_nothing_else(demo):
    for trace in demo.values():
        if trace.fault is None:
            assert [label.value for label in trace.record.labels] == ["passed"]


def test_faults_begin_in_a_span_that_has_such_a_step(demo):
    for trace in failing(demo):
        label = labels(trace)["root_step"]
        span = next(s for s in trace.record.spans if s.span_id == label.span_id)
        declared = span.attributes.get("agenteval.step.type")
        assert label.value == trace.fault.step_type
        assert declared in (None, label.value)
        assert bool(tool_of(span)) == (label.value == "EXEC")


def test_new_version_has_more_parameter_errors(demo):
    errors = Counter(
        version_of(trace)
        for trace in failing(demo)
        if trace.fault.category in PARAMETERS
    )
    assert errors == {"2.3.0": 1, "2.4.0": 6}


def test_no_attribute_gives_the_fault_away(demo):
    for trace in failing(demo):
        text = json.dumps([dict(span.attributes) for span in trace.record.spans])
        assert trace.fault.description not in text


def test_wrong_order_number_is_not_found(demo):
    trace = demo["swapped_digits"]
    assert results(trace, "get_order") == [
        '{"error": "Order TB-48310 does not exist."}'
    ]


def test_timeout_is_retried_three_times_and_given_up(demo):
    errors = results(demo["query_times_out"], "run_sql")
    assert len(errors) == 4
    assert all("statement timeout" in error for error in errors)
    assert "There is no data" in demo["query_times_out"].answer


def test_cut_rows_make_the_total_too_low(demo):
    trace = demo["adds_up_what_is_left"]
    said = float(trace.answer.split()[3])
    assert said < float(trace.truth[0].split()[0])


def test_forgotten_stations_are_refused_and_lower_the_total(demo):
    trace = demo["station_audit"]
    closed = [json.loads(text) for text in results(trace, "close_district")]
    refused = [answer["error"] for answer in closed if "error" in answer]
    assert refused == [
        "409 Conflict: Docklands has 20 stations, hours of 13 were given."
    ]
    reports = [json.loads(text) for text in results(trace, "audit_district")]
    assert all(report["closed"] for report in reports)
    total = sum(report["repair_hours"] for report in reports)
    assert f"{total} hours" in trace.answer
    assert total < float(trace.truth[0].split()[0])


def test_unfiled_invoice_is_counted_in_the_batch(demo):
    trace = demo["month_end"]
    filed = [json.loads(text) for text in results(trace, "file_invoice")]
    assert sum("error" in answer for answer in filed) == 1
    paid = sum(answer.get("payable_eur", 0) for answer in filed)
    said = float(trace.answer.split()[-2])
    assert trace.answer.startswith("20 invoices are processed and filed.")
    assert said > paid


def test_half_a_document_is_filed_with_nothing(demo):
    trace = demo["broken_text"]
    filed = json.loads(results(trace, "file_invoice")[0])
    assert filed["payable_eur"] == 0


def test_filing_before_validation_is_refused(demo):
    assert "409 Conflict" in results(demo["files_first"], "file_invoice")[0]
    assert json.loads(results(demo["files_first"], "validate_invoice")[0])["valid"]


def test_killed_run_has_no_answer(demo):
    assert demo["killed_while_reading"].answer == ""
    assert len(results(demo["killed_while_reading"], "read_document")[:3]) == 3
