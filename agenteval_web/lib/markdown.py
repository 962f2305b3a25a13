"""Markdown that strangers wrote, as HTML that can't hurt the page."""

from __future__ import annotations

from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

MAX_LENGTH = 20_000
MAX_NESTING = 30
"""Deeper text is shown as plain text: the parser would leave parts out."""

_TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "s", "code", "pre", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}


def render(text: str) -> SafeString | None:
    """HTML of the text; None where plain text is the better answer.

    That is so for text longer than ``MAX_LENGTH`` and for text nested deeper
    than ``MAX_NESTING``. HTML in the text stays text, entities stay as they
    were written, images become links, headings start below those of the page.
    """
    if len(text) > MAX_LENGTH:
        return None
    tokens = _parser().parse(text)
    nested = [child for token in tokens for child in token.children or ()]
    if max((t.level for t in (*tokens, *nested)), default=0) >= MAX_NESTING - 2:
        return None
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
    html = _parser().renderer.render(tokens, _parser().options, {})
    return mark_safe(_clean(html))  # noqa: S308 (cleaned by nh3)


def _clean(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": False, "maxNesting": MAX_NESTING}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    return parser.disable(["entity", "image", "html_block", "html_inline"])
