"""Text that strangers wrote: exact, harmless, bounded."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval_web.lib import jsontree, markdown
from agenteval_web.templatetags.ui import excerpt, rich_text


def test_markdown_is_rendered():
    assert markdown.render("**a** `b`") == (
        "<p><strong>a</strong> <code>b</code></p>\n"
    )


def test_entities_are_shown_as_they_were_written():
    assert "&amp;lt;b&amp;gt;" in markdown.render("Output: &lt;b&gt;")


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "![a](https://tracker.example/p.png)",
        "[a](data:text/html,<script>)",
        '<a href="javascript:alert(1)">a</a>',
    ],
)
def test_nothing_active_comes_through(attack):
    html = markdown.render(attack)
    assert "<script" not in html
    assert "<img" not in html
    assert not re.search(r'<a [^>]*href="(?!https:)', html)


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5_000 + "word",
        "".join("  " * depth + "- a\n" for depth in range(500)),
        "a" * (markdown.MAX_LENGTH + 1),
    ],
)
def test_too_deep_or_too_long_is_plain_text(text):
    assert markdown.render(text) is None
    assert str(rich_text(text)).startswith('<pre class="plain">')


def test_headings_start_below_those_of_the_page():
    assert markdown.render("# One\n## Two") == "<h3>One</h3>\n<h4>Two</h4>\n"


@given(st.text(max_size=300))
@settings(max_examples=50)
def test_markdown_never_fails(text):
    assert "<script" not in (markdown.render(text) or "").lower()


def test_json_folds_and_counts():
    html = jsontree.render({"a": [1, 2], "b": None})
    assert '<span class="json-size">2 fields</span>' in html
    assert '<span class="json-atom">null</span>' in html
    assert html.count("<details") == html.count("</details>") == 2


def test_escaped_characters_in_json_text_are_decoded():
    html = jsontree.render({"arguments": r'{"q": "\u65e5\u672c"}'})
    assert "日本" in html


def test_json_text_is_escaped():
    html = jsontree.render({"<b>": "<script>", "c": "&lt;"})
    assert "&lt;b&gt;" in html
    assert "<script>" not in html
    assert "&amp;lt;" in html


def test_deep_and_wide_json_is_bounded():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert len(jsontree.render(deep)) < 20_000
    assert "98,000 more" in jsontree.render(list(range(100_000)))


@pytest.mark.parametrize("text", ["[" * 20_000, "{", "plain", "12", '"a"', "[]"])
def test_text_that_holds_no_tree_is_text(text):
    assert jsontree.read(text) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
)


@given(VALUES)
@settings(max_examples=60)
def test_every_value_gives_balanced_html(value):
    html = jsontree.render(value)
    for tag in ("details", "ul", "li"):
        assert html.count(f"<{tag}") == html.count(f"</{tag}>")
    assert jsontree.render(json.loads(json.dumps(value))) == html


def test_excerpt_shows_first_lines_and_says_what_is_left_out():
    found = excerpt("\n".join("abcdefghij"))
    assert found["head"] == "\n".join("abcdef")
    assert found["long"]
    assert not excerpt("short")["long"]
    assert excerpt("x" * 100_007)["left_out"] == 7
