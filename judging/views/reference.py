"""What the words mean: the failure taxonomy and the named checks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from judging.domain.checks import CHECKS
from judging.domain.findings import Check
from judging.domain.settings import METRICS
from judging.domain.taxonomy import Category, Taxonomy, parse
from judging.services.defaults import ensure_taxonomy
from traces.models import Project
from traces.views.access import in_project


@require_GET
@in_project()
def taxonomy(request: HttpRequest, project: Project) -> HttpResponse:
    """The tree with its definitions; each category leads to its traces."""
    version = ensure_taxonomy(project=project, now=timezone.now())
    tree = parse(version.content)
    context = {"project": project, "tree": tree, "groups": _groups(tree)}
    return render(request, "judging/taxonomy.html", context)


@require_GET
@in_project()
def checks(request: HttpRequest, project: Project) -> HttpResponse:
    """Every named check: when it fires, what it caps, what it is a sign of."""
    context = {"project": project, "types": _by_type(), "count": len(CHECKS)}
    return render(request, "judging/checks.html", context)


Branch = tuple[Category, tuple[Category, ...], str]
"""A category, those right below it, and a query for traces that begin with any."""


def _groups(tree: Taxonomy) -> list[tuple[Category, list[Branch]]]:
    groups = []
    for group in tree.at_level(1):
        branches = []
        for category in _below(tree, group):
            leaves = _below(tree, category)
            ids = ",".join((category.id, *(leaf.id for leaf in leaves)))
            branches.append((category, leaves, f"root:{ids}"))
        groups.append((group, branches))
    return groups


def _below(tree: Taxonomy, parent: Category) -> tuple[Category, ...]:
    return tuple(each for each in tree.categories if each.parent == parent.id)


def _by_type() -> list[tuple[str, list[Check]]]:
    """Checks by the first step type they look at, types in the paper's order."""
    first = {check.id: _first_type(check) for check in CHECKS}
    types = (*METRICS, *sorted(set(first.values()) - set(METRICS)))
    grouped = ((t, [c for c in CHECKS if first[c.id] == t]) for t in types)
    return [(step_type, found) for step_type, found in grouped if found]


def _first_type(check: Check) -> str:
    order = [*METRICS, *sorted(check.types - set(METRICS))]
    return min(check.types, key=order.index)
