"""Names and definitions of failure categories."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from judging.services.defaults import shipped_taxonomy

register = template.Library()


@register.filter
def category_name(category: str) -> str:
    """Name of a category; "Unclassified" for failures without one."""
    return shipped_taxonomy().names(category)[-1]


@register.filter
def category_path(category: str) -> str:
    """Names from the group down: Execution › Parameter errors › Value error."""
    return " › ".join(shipped_taxonomy().names(category))


@register.filter
def category_definition(category: str) -> str:
    """What the category means; "" for failures without one."""
    known = shipped_taxonomy().by_id.get(category)
    return known.definition if known else ""


@register.simple_tag
def category(category_id: str, whole: bool = False) -> SafeString:
    """A category's name (or whole path), with its meaning on hover."""
    path = category_path(category_id)
    meaning = category_definition(category_id)
    shown = path if whole else category_name(category_id)
    title = f"{path}: {meaning}" if meaning else path
    return format_html('<span class="category" title="{}">{}</span>', title, shown)
