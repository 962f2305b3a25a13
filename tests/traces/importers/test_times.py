import pytest

from traces.importers.times import nanoseconds

NOON = 1_772_452_800


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2026-03-02T12:00:00Z", NOON * 10**9),
        ("2026-03-02T12:00:00", NOON * 10**9),
        ("2026-03-02 13:00:00.000000001+01:00", NOON * 10**9 + 1),
        ("2026-03-02T12:00:00.1234567899Z", NOON * 10**9 + 123_456_789),
        (NOON, NOON * 10**9),
        (NOON + 0.5, NOON * 10**9 + 5 * 10**8),
        (NOON * 1000, NOON * 10**9),
        (NOON * 10**6, NOON * 10**9),
        (str(NOON * 10**9 + 7), NOON * 10**9 + 7),
        ("1969-12-31T23:59:59.5Z", -5 * 10**8),
        (0, None),
        (True, None),
        ("yesterday", None),
        ("2026-13-02T12:00:00Z", None),
        ("9999-01-01T00:00:00Z", None),
        (None, None),
    ],
)
def test_times_in_every_spelling(value, found):
    assert nanoseconds(value) == found
