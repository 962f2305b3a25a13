"""Services that refuse."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, lookup, room

PAGE = (
    "I opened the site. Here is a screenshot of the page.\n## Error 404\nFile not found"
)
FIRES = [
    ("exec.http_status", lookup("HTTP/1.1 503 from upstream")),
    ("exec.http_status", lookup({"status_code": 404})),
    ("exec.access", lookup("Error: permission denied")),
    ("exec.rate_limit", lookup("Error: rate limit reached, slow down")),
    ("exec.not_found", lookup("Error: order not found")),
    ("exec.not_found", lookup("User does not exist")),
    (
        "exec.wall",
        lookup("<html>Please verify you are a human</html>", tool="fetch_page"),
    ),
    ("synth.wall", room(("surfer", PAGE))),
]
SILENT = [
    ("exec.http_status", lookup("Room 404 is free.")),
    ("exec.http_status", lookup({"rows": [{"status_code": 404}]})),
    ("exec.access", lookup({"policy": "Access denied to guests is shown as a page."})),
    ("exec.rate_limit", lookup({"plan": "rate limit 100"})),
    ("exec.not_found", lookup("A long page. " * 60 + "One link was not found.")),
    ("exec.wall", lookup("<html>All 12 hotels</html>", tool="fetch_page")),
    ("synth.wall", room(("surfer", "The book is about captcha design."))),
    ("synth.wall", Talk().say("Error 404 means that a page was not found.")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
