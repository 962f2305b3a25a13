from datetime import UTC, datetime, timedelta

import pytest

from agenteval_web.lib.wording import (
    THIN,
    ago,
    day_and_time,
    duration,
    money,
    number,
    percent,
    score,
    utc,
)

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12_345, "12,345"),
        (2.0, "2"),
        (2.314, "2.31"),
        (0.00041239, "0.00041"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3.0"), (1.7, "1.7"), (2.96, "2.96"), (2.999, "3.0")]
)
def test_scores_keep_the_decimal_that_decides(value, text):
    assert score(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "$0"),
        (12.5, "$12.50"),
        (0.1, "$0.10"),
        (0.012, "$0.012"),
        (1234, "$1,234.00"),
    ],
)
def test_money(value, text):
    assert money(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.004, "<1 %"), (0.34, "34 %"), (0.997, ">99 %"), (1, "100 %")],
)
def test_percent_is_exact_at_the_ends(share, text):
    assert percent(share).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (59_990, "59.9 s"),
        (60_000, "1 min"),
        (75_400, "1 min 15 s"),
        (9_000_000, "2 h 30 min"),
        (90_000_000, "1 d 1 h"),
    ],
)
def test_durations(milliseconds, text):
    assert duration(milliseconds).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("back", "text"),
    [
        (timedelta(seconds=30), "just now"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=25), "1 d ago"),
        (timedelta(days=7), ""),
        (timedelta(days=-1), ""),
    ],
)
def test_ago_speaks_of_the_last_week_only(back, text):
    assert ago(NOW - back, NOW).replace(THIN, " ") == text


def test_moments_name_their_zone_and_the_year_where_needed():
    tokyo = NOW.astimezone(datetime.fromisoformat("2026-01-01T00:00+09:00").tzinfo)
    assert utc(tokyo) == "2026-03-04 12:00:00 UTC"
    assert day_and_time(tokyo, NOW) == "4 Mar 21:00"
    assert day_and_time(NOW.replace(year=2025), NOW) == "4 Mar 2025 12:00"
