"""Published traces that nobody here made: every file of the formats imports.

The traces are not part of the repository; where they are missing these tests
are left out and say so. The counts are printed (``pytest -rP``).
"""

from collections import Counter

import pytest

from tests.conftest import shared_folder
from traces.domain.records import Reject
from traces.importers import SKIPPED, read_member
from traces.importers.archives import walk
from traces.importers.base import Limits

pytestmark = pytest.mark.shared_data

NOT_LISTED = ("samples/",)
"""Jaeger and Tempo exports among the OTLP files: formats of their own."""


def count(folder):
    """Traces, spans and labels of a folder, and the rejects that count."""
    counts, rejects = Counter(), []
    for member in walk(folder, Limits()):
        if ".truth." in member.name or any(word in member.name for word in NOT_LISTED):
            continue
        found = [member] if isinstance(member, Reject) else ()
        for one in found or read_member(member, None, Limits()):
            if isinstance(one, Reject):
                rejects += [one] if one.code not in SKIPPED else []
                continue
            counts += Counter(traces=1, spans=len(one.spans), labels=len(one.labels))
            counts += Counter({f"as {one.attributes['source']}": 1})
            rejects += one.rejects
    return counts, rejects


@pytest.mark.parametrize(
    ("folder", "format"),
    [
        ("tau_bench", "tau_bench"),
        ("who_and_when", "who_and_when"),
        ("swe_agent", "swe_agent"),
        ("langfuse", "langfuse"),
        ("phoenix_openinference", "openinference"),
    ],
)
def test_every_file_imports(folder, format):
    path = shared_folder() / "data" / folder
    if not path.is_dir():
        pytest.skip(f"the published traces hold no {folder}")
    counts, rejects = count(path)
    print(f"{folder}: {dict(counts)}, {len(rejects)} rejects")
    assert rejects == []
    assert counts[f"as {format}"] == counts["traces"] > 0


def test_rejects_of_otlp_files_name_what_is_wrong():
    counts, rejects = count(shared_folder() / "data" / "otlp_genai")
    print(f"otlp_genai: {dict(counts)}, {Counter(reject.code for reject in rejects)}")
    assert counts["as otlp"] == counts["traces"] > 0
    assert not [reject for reject in rejects if reject.level in {"file", "trace"}]


def test_labels_name_turns_that_are_there():
    for member in walk(shared_folder() / "data" / "who_and_when", Limits()):
        for trace in read_member(member, None, Limits()):
            if not isinstance(trace, Reject):
                ids = {span.span_id for span in trace.spans}
                roots = [one for one in trace.labels if one.kind == "root_step"]
                assert [one.span_id in ids for one in roots] == [True]
