import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read

RETAIL = (FIXTURES / "tau_bench" / "retail.json").read_bytes()


@pytest.mark.parametrize("path", fixtures("tau_bench"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_labels_say_how_the_run_ended():
    passed, failed, _ = read(RETAIL, "retail.json")
    assert [label.value for label in passed.labels] == ["passed", "1.0"]
    assert [label.value for label in failed.labels] == ["failed", "0.0"]


def test_ids_do_not_depend_on_the_name_of_the_file():
    named, unnamed = read(RETAIL, "gpt-retail.json"), read(RETAIL)
    assert [t.trace_id for t in named[:2]] == [t.trace_id for t in unnamed[:2]]
    assert named[0].attributes["case"] == "retail-3"
    assert unnamed[0].attributes["case"] == "3"


def test_the_policy_tells_the_domain_before_the_name_of_the_file():
    policy = RETAIL.replace(b"# Shop policy", b"# Airline agent policy")
    found = read(policy, "gpt-retail.json")[0]
    assert found.attributes["workflow"] == "airline"


def test_malformed_arguments_stay_text():
    failed = read(RETAIL)[1]
    call = failed.spans[2].attributes["gen_ai.output.messages"][0]["parts"][0]
    assert call["arguments"] == '{"order_id": '
    assert failed.spans[3].attributes["gen_ai.tool.call.arguments"] == '{"order_id": '
