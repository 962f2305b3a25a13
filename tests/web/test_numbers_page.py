"""The help page tells the truth: limits, filters and anchors it names exist."""

import re
from pathlib import Path

from agenteval_web.lib.documents import document
from traces.domain.query import parse
from traces.listing_selectors import COUNTED, SCAN
from traces.overview_selectors import A_DAY, DAYS

TEXT = (Path(__file__).parents[2] / "docs/numbers.md").read_text("utf-8")
TEMPLATES = Path(__file__).parents[2] / "templates"


def test_limits_are_the_real_ones():
    assert f"the newest {A_DAY} runs of each day" in TEXT
    assert f"counted up to {COUNTED:,}" in TEXT
    assert f"the next {SCAN:,} traces" in TEXT
    assert DAYS == 28
    assert "last four weeks" in TEXT


def test_every_filter_in_the_table_is_understood():
    table = TEXT[TEXT.index("| you type") :]
    for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        for example in re.findall(r"`([^`]+)`", row):
            query = parse(example)
            assert query.terms, example
            assert not query.problems, example


def test_pages_link_to_headings_that_exist():
    html = document("numbers").html
    for path in TEMPLATES.rglob("*.html"):
        for anchor in re.findall(r'how\.html" with anchor="([^"]+)"', path.read_text()):
            assert f'id="{anchor}"' in html, path.name
