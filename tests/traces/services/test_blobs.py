from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.domain.records import Scope
from traces.services.blobs import (
    compress,
    encode,
    pack,
    scope_content,
    scope_of,
    unpack,
)

TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20
)


@given(JSON)
def test_what_is_packed_comes_back(value):
    assert unpack(pack(value)) == value


def test_short_values_are_not_compressed():
    assert pack({"a": 1}) == b'\x00{"a":1}'


def test_long_values_are_compressed():
    assert len(pack(["word"] * 1000)) < 100


def test_postgresql_gives_memoryviews():
    assert unpack(memoryview(pack(["word"] * 100))) == ["word"] * 100


def test_an_unknown_form_is_named():
    with pytest.raises(ValueError, match=r"form b'\\x07'"):
        unpack(b"\x07{}")


def test_nul_and_lone_surrogates_are_replaced():
    assert encode({"a\0": ["\ud800x"]}) == (
        b'{"a\xef\xbf\xbd":["\xef\xbf\xbdx"]}',
        True,
    )


def test_a_backslash_before_u0000_is_no_nul():
    assert unpack(pack("\\u0000")) == "\\u0000"
    assert encode("\\u0000")[1] is False


def test_whole_numbers_beyond_64_bits_become_text():
    assert unpack(pack([2**64, -(2**63) - 1])) == [
        "18446744073709551616",
        "-9223372036854775809",
    ]


def test_numbers_json_lacks_become_text_beside_something_unclean():
    assert unpack(pack([float("nan"), float("-inf"), "\0"])) == [
        "NaN",
        "-Infinity",
        "\ufffd",
    ]


def test_read_only_mappings_and_tuples_are_json():
    assert unpack(pack(MappingProxyType({"a": (1, 2)}))) == {"a": [1, 2]}


def test_any_depth_is_safe():
    deep = []
    for _ in range(20_000):
        deep = [deep]
    assert b"nested deeper than 200" in encode(deep)[0]


def test_scopes_come_back():
    scope = Scope("openinference", "1.0", {"a": 1}, {"service.name": "shop"})
    assert scope_of(compress(encode(scope_content(scope))[0])) == scope
