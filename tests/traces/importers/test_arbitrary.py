"""Whatever JSON comes, a reader gives traces and rejects, and raises nothing."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.importers.golden import fixtures, read
from traces.domain.records import Reject, TraceRecord
from traces.importers import IMPORTERS

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


def keys_of(format):
    """Keys that occur in a format's fixtures, and their short texts."""
    keys, texts = {"type"}, {"x"}
    for path in fixtures(format):
        if path.suffix in {".json", ".jsonl", ".traj"}:
            for line in (path.read_text(), *path.read_text().splitlines()):
                stack = [loaded(line)]
                while stack:
                    value = stack.pop()
                    if isinstance(value, dict):
                        keys.update(value)
                        stack.extend(value.values())
                    elif isinstance(value, list):
                        stack.extend(value)
                    elif isinstance(value, str) and len(value) < 30:
                        texts.add(value)
    return sorted(keys), sorted(texts)


def loaded(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


@pytest.mark.parametrize("format", IMPORTERS)
def test_a_reader_raises_nothing(format):
    keys, texts = keys_of(format)
    names, words = st.sampled_from(keys), st.sampled_from(texts)
    values = st.recursive(
        LEAVES | words,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5)
        ),
        max_leaves=12,
    )

    @settings(max_examples=40, deadline=None)
    @given(st.lists(values, max_size=3), st.booleans())
    def law(found, lines):
        text = "\n".join(map(json.dumps, found)) if lines else json.dumps(found)
        for one in read(text, "some.json", format):
            assert isinstance(one, TraceRecord | Reject)

    law()
