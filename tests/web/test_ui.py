from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone

from agenteval_web.lib.statuses import STATUSES
from agenteval_web.lib.wording import THIN
from agenteval_web.lib.zones import zone_named


def shown(template, **context):
    text = Template("{% load ui taxonomy %}" + template).render(Context(context))
    return text.replace(THIN, " ")


@pytest.mark.parametrize(
    ("value", "band"), [(1.0, 1), (1.49, 1), (1.5, 2), (2.5, 3), (4.5, 5), (5.0, 5)]
)
def test_score_has_colour_digit_and_shape(value, band):
    html = shown("{% score value failed=True %}", value=value)
    assert f"score-band-{band}" in html
    assert "score-sign" in html
    assert ", failed" in html


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("no_finding", "no finding"),
        ("unscored", "unscored: timeout"),
        ("pending", "being judged"),
        ("boundary", "never scored"),
    ],
)
def test_no_score_says_why(state, words):
    assert words in shown("{% score None state=state reason='timeout' %}", state=state)


def test_share_comes_with_its_numbers():
    assert "34 %" in shown("{% share 41 120 %}")
    assert "(41 of 120)" in shown("{% share 41 120 %}")
    assert "n = 0" in shown("{% share 0 0 %}")


def test_moment_is_relative_with_utc_on_hover():
    moment = timezone.now() - timedelta(hours=3)
    html = shown("{% when moment %}", moment=moment)
    assert ">3 h ago<" in html
    assert "UTC" in html
    assert "2020" in shown("{% when m %}", m=datetime(2020, 1, 1, tzinfo=UTC))


def test_zones_are_names_and_nothing_else():
    assert str(zone_named("Asia/Tokyo")) == "Asia/Tokyo"
    for bad in ("", "../../etc/passwd", "Nowhere/City", "x" * 99, "\0"):
        assert zone_named(bad) is UTC


def test_category_has_its_path_and_meaning():
    html = shown("{% category 'value-error' %}")
    assert ">Value error<" in html
    assert "Execution › Parameter errors › Value error: " in html
    assert "Unclassified" in shown("{% category '' %}")


def test_every_status_has_a_word_and_a_meaning():
    assert all(status.label and status.help for status in STATUSES.values())


def test_long_ids_are_shortened_and_can_be_copied():
    html = shown("{% short_id 'abcdefghijklmnop' %}")
    assert ">abcdefgh…<" in html
    assert 'data-copy="abcdefghijklmnop"' in html


def test_hostile_text_is_escaped_everywhere():
    html = shown("{% excerpt t %}{% short_id t %}{% status 'outcome' t %}", t="<b>'\"")
    assert "<b>" not in html
