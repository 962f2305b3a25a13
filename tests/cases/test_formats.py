"""Files of any format, damaged value by value: nothing raises, every page opens."""

import io
import json
import random
from pathlib import Path

import pytest

from judging.services.digesting import digest_batch
from tests.cases.conftest import LATER, NOW, agent, open_api, open_pages, request
from traces.models import Trace
from traces.services.imports import import_file

FIXTURES = Path(__file__).parent.parent / "fixtures"
FILES = sorted(
    path
    for path in FIXTURES.rglob("*")
    if path.is_file() and ".expected." not in path.name
)
JUNK = (None, True, -1, 2**70, 1e308, float("nan"), "", "NaN", "a\0b", "\ud800", [], {},
    [[]], {"a": {}}, "x" * 5_000, "\u202e<script>alert(1)</script>", [None], 0.5)  # fmt: skip
SHARE = 0.05


def imported(project, content, *, name="file.json", format="auto"):
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    return import_file(
        project=project, stream=io.BytesIO(data), name=name, format=format, now=NOW
    )


def damaged(value, chance):
    """The value with some of its parts replaced by what no format expects."""
    if chance.random() < SHARE:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {key: damaged(part, chance) for key, part in value.items()}
    if isinstance(value, list):
        return [damaged(part, chance) for part in value]
    return value


def documents(path):
    """The whole file if it is one JSON document, else its good lines."""
    text = path.read_text("utf-8")
    for parts in ([text], text.splitlines()):
        found = [json.loads(part) for part in parts if is_json(part)]
        if found:
            return found
    return [text]


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def settle():
    """Digest all; no digest may have failed."""
    while digest_batch(now=LATER, quiet_before=LATER).done:
        pass
    failed = Trace.objects.filter(digest_state="failed")
    assert list(failed.values_list("trace_id", "digest_error")) == []


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_values_of_other_kinds_cost_no_more_than_themselves(project, path):
    chance = random.Random(path.name)
    for _turn in range(2):
        parts = [json.dumps(damaged(one, chance)) for one in documents(path)]
        imported(project, "\n".join(parts), format=path.parent.name)
    settle()


FACTS = ("name", "session", "user", "workflow", "case", "run", "agent", "outcome",
    "environment", "version", "source", "tags", "reference", "extra", "judge")  # fmt: skip


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: ascii(junk)[:20])
def test_facts_of_a_trace_may_be_anything(project, reader, junk):
    facts = dict.fromkeys(FACTS, junk)
    label = {"kind": "label", "trace_id": "t/1 ü", "label": junk, "value": junk,
        "source": junk, "note": junk, "span_id": junk}  # fmt: skip
    lines = [
        {"agenteval": 1, "kind": "trace", "trace_id": "t/1 ü", "attributes": facts},
        {**label, "label": "root_step", "source": "us", "value": "1"},
        label,
        {"kind": "span", "trace_id": "t/1 ü", "span_id": "a", "name": "a",
            "attributes": facts | {"agenteval.output": junk}},
    ]  # fmt: skip
    imported(project, "\n".join(json.dumps(line) for line in lines))
    settle()
    for trace in Trace.objects.all():
        open_pages(reader, trace.trace_id)
        open_api(reader, trace.trace_id)


@pytest.mark.parametrize("trace_id", ["a/b", "..", "%2e%2e", "?q#f", "a b", "é", "~", "\\", "<b>", "x" * 128])  # fmt: skip
def test_ids_of_any_signs_have_pages(project, reader, trace_id):
    line = {"kind": "span", "trace_id": trace_id, "span_id": trace_id, "name": "a",
        "attributes": {"agenteval.output": "said"}}  # fmt: skip
    head = {"agenteval": 1, "kind": "trace", "trace_id": trace_id}
    imported(project, f"{json.dumps(head)}\n{json.dumps(line)}")
    settle()
    open_pages(reader, trace_id)
    open_api(reader, trace_id)


@pytest.mark.parametrize(
    "name", ["", "../../etc/x.json", "a\0b", "\ud800", "x" * 5_000]
)
def test_names_of_files_only_name(project, name):
    report = imported(project, json.dumps(request(agent(1))), name=name)
    assert report.imported == 1
    assert ".." not in imported(project, b"{]", name=name).rejects[0].place
