"""The layout of a drawing is made once for all selections and thresholds."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from judging.selectors import page
from traces.domain.layout.lanes import layout
from traces.domain.layout.model import LayoutNode


@pytest.fixture(autouse=True)
def empty():
    cache.clear()
    yield
    cache.clear()


def chain(length, lane=""):
    return [LayoutNode(i, (i - 1,) if i else (), lane, "s") for i in range(length)]


def counted(monkeypatch):
    made = []
    monkeypatch.setattr(page, "layout", lambda nodes: made.append(1) or layout(nodes))
    return made


def test_the_same_pattern_is_placed_once(monkeypatch):
    made = counted(monkeypatch)
    assert page.placed(chain(50)) == page.placed(chain(50)) == layout(chain(50))
    assert len(made) == 1


def test_another_agent_is_another_pattern(monkeypatch):
    made = counted(monkeypatch)
    page.placed(chain(50))
    page.placed(chain(50, "auditor"))
    assert len(made) == 2


def test_few_boxes_are_not_kept(monkeypatch):
    made = counted(monkeypatch)
    page.placed(chain(9))
    page.placed(chain(9))
    assert len(made) == 2
