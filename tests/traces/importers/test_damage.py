"""Damaged files: a reject that says where, or a part of the traces; no more."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.importers.golden import fixtures, label, read
from traces.domain.records import Reject, TraceRecord
from traces.importers import FORMATS, IMPORTERS

FILES = {label(path): path.read_bytes() for path in fixtures() if path.suffix != ".pb"}
NAMES = sorted(name for name in FILES if name.split("/")[0] in IMPORTERS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def check(found):
    assert found, "nothing was said"
    for one in found:
        assert isinstance(one, TraceRecord | Reject)
        if isinstance(one, Reject):
            assert one.place
            assert one.reason.strip()
            assert one.code
        else:
            assert 1 <= len(one.trace_id) <= 128
            assert all(1 <= len(span.span_id) <= 128 for span in one.spans)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.floats(0, 1), st.booleans())
def test_a_truncated_file(name, share, forced):
    data = FILES[name]
    cut = data[: int(share * len(data))]
    check(read(cut, name, name.split("/")[0] if forced else "auto"))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.floats(0, 1), st.integers(0, 7), st.booleans())
def test_a_flipped_bit(name, share, bit, forced):
    data = bytearray(FILES[name])
    data[int(share * (len(data) - 1))] ^= 1 << bit
    check(read(bytes(data), name, name.split("/")[0] if forced else "auto"))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.data())
def test_another_value_in_some_place(name, data):
    values = [json.loads(part) for part in _documents(FILES[name])]
    value = data.draw(st.sampled_from(values))
    replaced = _replace(value, data.draw(JSON), data)
    text = "\n".join(json.dumps(v if v is not value else replaced) for v in values)
    read(text, name, name.split("/")[0])
    read(text, name)


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "auto"])
@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", "[[]]", "[{}]", "x", "[1, 2]", '"text"', "{}\n{}"]
)
def test_a_file_of_no_format(format, text):
    assert all(isinstance(one, Reject) for one in read(text, "some.json", format))


def _documents(data):
    """The values of a fixture: one, or one a line; damaged lines left out."""
    try:
        return [json.dumps(json.loads(data))]
    except ValueError:
        decoder, text, found = json.JSONDecoder(), data.decode(), []
        while text := text.lstrip():
            try:
                value, end = decoder.raw_decode(text)
            except ValueError:
                end = text.find("\n") % (len(text) + 1)
            else:
                found.append(json.dumps(value))
            text = text[end:]
        return found


def _replace(value, other, data):
    """The value with another one somewhere inside."""
    copy = json.loads(json.dumps(value))
    inside, parent, key = copy, None, None
    while isinstance(inside, dict | list) and inside:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if parent is not None and data.draw(st.integers(0, 4)) == 0:
            break
        parent, key = inside, data.draw(st.sampled_from(keys))
        inside = parent[key]
    if parent is None:
        return other
    parent[key] = other
    return copy
