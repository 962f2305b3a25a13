"""The failure taxonomy: three levels, stable ids, immutable versions.

Paper section 3.3 and appendix B: 3 groups, 9 categories for detection, 21
subcategories for diagnosis. Ids never change their meaning; names, parents and
definitions belong to a version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

UNCLASSIFIED = "unclassified"
"""Id for a failure that no category fits; it feeds governance."""


class TaxonomyError(ValueError):
    """A tree that can't be a taxonomy; the message names the category."""


@dataclass(frozen=True, slots=True)
class Category:
    """One node of the tree.

    Attributes:
        id: Stable id, lower case with hyphens.
        name: Name in this version.
        definition: What it means.
        parent: Id of the node above, "" at level 1.
        use_when: When to choose it.
        avoid_when: When to choose another, and which.
        level: 1, 2 or 3.
    """

    id: str
    name: str
    definition: str
    parent: str = ""
    use_when: str = ""
    avoid_when: str = ""
    level: int = 1


@dataclass(frozen=True)
class Taxonomy:
    """One version of the tree, in the order of its file."""

    name: str
    version: str
    categories: tuple[Category, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Category]:
        """Categories by id."""
        return {category.id: category for category in self.categories}

    @cached_property
    def digest(self) -> str:
        """32 hex digits over the content, the same for equal content."""
        text = json.dumps(self.content(), sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def content(self) -> dict[str, Any]:
        """The tree as JSON; ``parse`` reads it back."""
        return {
            "name": self.name,
            "version": self.version,
            "category": [_row(category) for category in self.categories],
        }

    def path(self, category_id: str) -> tuple[Category, ...]:
        """Nodes from level 1 down to the category; empty if it is unknown."""
        found: list[Category] = []
        node = self.by_id.get(category_id)
        while node is not None:
            found.append(node)
            node = self.by_id.get(node.parent)
        return tuple(reversed(found))

    def names(self, category_id: str) -> tuple[str, ...]:
        """Names from level 1 down; ("Unclassified",) if there is none."""
        names = tuple(category.name for category in self.path(category_id))
        return names or ("Unclassified",)

    def at_level(self, level: int) -> tuple[Category, ...]:
        """All nodes of one level, in file order."""
        return tuple(c for c in self.categories if c.level == level)


def parse(content: Mapping[str, Any]) -> Taxonomy:
    """Read a taxonomy from its JSON or TOML form.

    Raises:
        TaxonomyError: Two nodes share an id, a parent is unknown or comes
            later than its child, a node is deeper than level 3, or a name or
            a definition is missing.
    """
    categories: list[Category] = []
    levels: dict[str, int] = {"": 0}
    for row in content["category"]:
        category = _category(row, levels)
        levels[category.id] = category.level
        categories.append(category)
    return Taxonomy(str(content["name"]), str(content["version"]), tuple(categories))


def _category(row: Mapping[str, Any], levels: Mapping[str, int]) -> Category:
    category_id, parent = str(row.get("id", "")), str(row.get("parent", ""))
    problem = _problem(row, category_id, parent, levels)
    if problem:
        raise TaxonomyError(f"category {category_id!r}: {problem}")
    return Category(
        id=category_id,
        name=str(row["name"]),
        definition=str(row["definition"]),
        parent=parent,
        use_when=str(row.get("use_when", "")),
        avoid_when=str(row.get("avoid_when", "")),
        level=levels[parent] + 1,
    )


def _problem(
    row: Mapping[str, Any], category_id: str, parent: str, levels: Mapping[str, int]
) -> str:
    if not category_id or category_id in (*levels, UNCLASSIFIED):
        return "the id is missing, reserved or used twice"
    if parent not in levels:
        return f"its parent {parent!r} is unknown or comes later"
    if levels[parent] >= 3:
        return "it would be on level 4"
    if not row.get("name") or not row.get("definition"):
        return "name and definition are required"
    return ""


def _row(category: Category) -> dict[str, str]:
    row = {"id": category.id, "parent": category.parent, "name": category.name}
    row["definition"] = category.definition
    row |= {"use_when": category.use_when, "avoid_when": category.avoid_when}
    return {key: value for key, value in row.items() if value}


def unknown(ids: Iterable[str], taxonomy: Taxonomy) -> list[str]:
    """Ids that this version doesn't have, sorted; UNCLASSIFIED is always known."""
    return sorted(set(ids) - set(taxonomy.by_id) - {"", UNCLASSIFIED})
