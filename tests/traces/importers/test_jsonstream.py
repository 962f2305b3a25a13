import io
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.domain.records import Reject
from traces.importers.base import Limits
from traces.importers.jsonstream import JsonSource, digest, take_sample

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = st.integers(-(2**63), 2**64 - 1)
OBJECTS = st.lists(
    st.dictionaries(TEXTS, st.lists(TEXTS | NUMBERS, max_size=3)),
    min_size=1,
    max_size=5,
)


class Pipe(io.RawIOBase):
    """A stream that can't be sought and gives a few bytes at a time."""

    def __init__(self, data, step=7):
        self.rest = io.BytesIO(data)
        self.step = step

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self.rest.read(min(len(buffer), self.step))
        buffer[: len(part)] = part
        return len(part)


def source(data, **limits):
    data = data.encode() if isinstance(data, str) else data
    return JsonSource(io.BytesIO(data), limits=Limits(**limits))


def values(found):
    return [one.code if isinstance(one, Reject) else one.value for one in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"a": 1}, {"b": "]}\\""},\n [1]]', [{"a": 1}, {"b": ']}"'}, [1]]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('{"a":\n 1}\n\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('\ufeff{"a": 1}', [{"a": 1}]),
        ('{"a": 1}\r\n{"b": 2}\r\n', [{"a": 1}, {"b": 2}]),
        ("[]", []),
        ("", []),
    ],
)
def test_items_of_lists_and_lines(text, found):
    assert values(source(text).items()) == found


def test_documents_keep_their_lists():
    assert values(source('[{"a": 1}, {"b": 2}]').documents()) == [[{"a": 1}, {"b": 2}]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n{"b" 2}\n{"c": 3}\n', [{"a": 1}, "bad_json", {"c": 3}]),
        ('{"a": 1;\n{"b": 2}\n{"c": 3}\n', ["bad_json", {"b": 2}, {"c": 3}]),
        ('[{"a": 1}, {"b" 2}, {"c": 3}]', [{"a": 1}, "bad_json", {"c": 3}]),
        ('[{"a": 1}, 5, "x", {"c": 3}]', [{"a": 1}, "bad_json", {"c": 3}]),
        ('[{"a": 1}, {"b": ', [{"a": 1}, "truncated"]),
        ('[{"a": 1}, ', [{"a": 1}, "truncated"]),
        ("some text\n{1}", ["bad_json", "bad_json"]),
    ],
)
def test_damage_costs_one_value(text, found):
    assert values(source(text).items()) == found


@pytest.mark.parametrize("text", ['[{"a": "%s"}, {"b": 2}]', '{"a": "%s"}\n{"b": 2}\n'])
def test_a_value_that_is_too_long_costs_itself(text):
    found = source(text % ("x" * 200_000), max_trace_bytes=1000).items()
    assert values(found) == ["too_long", {"b": 2}]


def test_places_are_those_in_the_file():
    found = [item.place for item in source('[{"a": 1},\n  {"b": 2}]').items()]
    assert found == ["line 1, column 2, byte 1", "line 2, column 3, byte 13"]


def test_a_pipe_reads_like_a_file():
    text = json.dumps([{"n": n, "t": 'x\\"]' * n} for n in range(300)]).encode()
    pipe = JsonSource(io.BufferedReader(Pipe(text), 5), limits=Limits())
    assert values(pipe.items()) == json.loads(text)


@settings(deadline=None)
@given(OBJECTS, st.booleans(), st.booleans())
def test_every_value_comes_out_as_it_went_in(objects, ascii, indent):
    text = json.dumps(objects, ensure_ascii=ascii, indent=2 if indent else None)
    assert values(source(text).items()) == objects


def test_memory_holds_one_value():
    line = json.dumps({"text": "x" * 10_000}).encode() + b"\n"

    def lines():
        for _ in range(3000):
            yield line

    class Lines(io.RawIOBase):
        def __init__(self):
            self.rest, self.lines = b"", lines()

        def readable(self):
            return True

        def readinto(self, buffer):
            self.rest = self.rest or next(self.lines, b"")
            part, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)

    tracemalloc.start()
    count = sum(
        1 for _ in JsonSource(io.BufferedReader(Lines()), limits=Limits()).items()
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 3000
    assert peak < 2_000_000


def test_a_sample_leaves_the_file_as_it_was():
    sample, rest = take_sample(io.BytesIO(b'\xef\xbb\xbf{"a": 1}'), "f.json")
    assert (sample.value, sample.lines, sample.whole) == ({"a": 1}, False, True)
    assert rest.read() == b'\xef\xbb\xbf{"a": 1}'


def test_a_digest_knows_the_value_not_its_layout():
    assert digest({"a": 1, "b": [2]}) == digest(json.loads('{"b":[2],\n"a":1}'))
    assert digest({"a": 1}) != digest({"a": 2})
