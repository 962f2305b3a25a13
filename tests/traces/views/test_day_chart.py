from datetime import date

from traces.day_chart import HEIGHT, WIDTH, day_chart
from traces.domain.trend import Day, Rate

DAYS = [
    Day(date(2026, 3, 1), Rate(0, 0)),
    Day(date(2026, 3, 2), Rate(1, 2)),
    Day(date(2026, 3, 3), Rate(4, 4)),
]


def test_bars_show_share_and_number():
    none, half, whole = day_chart(DAYS).bars
    assert (none.share_height, none.runs_height) == (0.0, 0.0)
    assert whole.share_height == 2 * half.share_height
    assert whole.runs_height == 2 * half.runs_height


def test_bars_stay_inside_and_apart():
    chart = day_chart(DAYS)
    for one, next_one in zip(chart.bars, chart.bars[1:], strict=False):
        assert one.x + one.width < next_one.x
    assert chart.bars[-1].x + chart.bars[-1].width <= WIDTH
    assert all(bar.share_y + bar.share_height == chart.base for bar in chart.bars)
    assert chart.runs_y + max(bar.runs_height for bar in chart.bars) < HEIGHT


def test_no_days_is_a_drawing_too():
    assert day_chart([]).bars == ()
