"""Our own documentation as pages: ``docs/*.md`` with linkable headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import nh3
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(__file__).resolve().parents[2] / "docs"
_NAME = re.compile(r"[a-z0-9-]{1,40}\Z")
_LINK = re.compile(r"([a-z0-9-]{1,40})\.md(#[\w-]+)?\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """One page.

    Attributes:
        title: Text of its first heading.
        html: The rest; headings have ids made from their words.
        contents: Words and ids of the second-level headings.
    """

    title: str
    html: SafeString
    contents: tuple[tuple[str, str], ...]


@lru_cache(maxsize=32)
def document(name: str) -> Document | None:
    """The page of a name, None if there is none."""
    path = FOLDER / f"{name}.md"
    if not _NAME.match(name) or not path.is_file():
        return None
    parser = MarkdownIt("commonmark", {"html": False}).enable(
        ["table", "strikethrough"]
    )
    tokens = parser.parse(path.read_text("utf-8"))
    title, tokens = _split_title(tokens)
    contents = _name_headings(tokens)
    _link_pages(tokens)
    html = parser.renderer.render(tokens, parser.options, {})
    attributes = {"a": {"href", "title"}, "ol": {"start"}, "h2": {"id"}, "h3": {"id"}}
    clean = nh3.clean(html, attributes=attributes)
    return Document(title, mark_safe(clean), contents)  # noqa: S308 (cleaned by nh3)


def _split_title(tokens: list[Token]) -> tuple[str, list[Token]]:
    """The first heading becomes the page's own."""
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return tokens[1].content, tokens[3:]
    return "", tokens


def _name_headings(tokens: list[Token]) -> tuple[tuple[str, str], ...]:
    contents = []
    for token, words in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slugify(words.content))
            if token.tag == "h2":
                contents.append((words.content, slugify(words.content)))
    return tuple(contents)


def _link_pages(tokens: list[Token]) -> None:
    """Links between files become links between pages."""
    for token in (child for each in tokens for child in each.children or ()):
        found = _LINK.match(str(token.attrGet("href") or ""))
        if token.type == "link_open" and found:
            token.attrSet("href", f"/docs/{found[1]}/{found[2] or ''}")
