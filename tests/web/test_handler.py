"""Requests over ASGI: whole on one thread, bounded, sent when complete."""

import asyncio

import pytest
from django.templatetags.static import static

from agenteval_web.handler import PATIENCE, ThreadedHandler
from tests.web import slow_urls

ASK = {"type": "http.request", "body": b"", "more_body": False}


@pytest.fixture(autouse=True)
def urls(settings):
    settings.ROOT_URLCONF = slow_urls.__name__


def exchange(path, *messages, method="GET"):
    """Send messages to a new handler; what it sent back."""
    waiting, sent = list(messages or [ASK]), []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(ThreadedHandler()(scope, receive, send))
    return sent


def body(*parts):
    """Messages that bring a body in parts."""
    last = len(parts) - 1
    return [
        {"type": "http.request", "body": part, "more_body": place < last}
        for place, part in enumerate(parts)
    ]


def test_a_body_in_parts_and_a_cookie():
    head, content = exchange("/count", *body(b"abc", b"", b"de"), method="POST")
    assert head["status"] == 200
    assert dict(head["headers"])[b"set-cookie"].startswith(b"seen=yes; Path=/")
    assert (content["body"], content["more_body"]) == (b"5", False)


def test_asynchronous_views_work():
    assert exchange("/waiting")[1]["body"] == b"done"


def test_a_long_answer_is_sent_while_it_is_made_on_one_thread():
    slow_urls.THREADS.clear()
    _head, *parts = exchange("/long")
    assert [part["body"] for part in parts] == [b"part 0;", b"part 1;", b"part 2;", b""]
    assert [part["more_body"] for part in parts] == [True, True, True, False]
    assert len(set(slow_urls.THREADS)) == 1


def test_a_static_file_is_sent_whole_and_kept_for_good():
    head, content = exchange(static("css/tokens.css"))
    headers = dict(head["headers"])
    assert int(headers[b"content-length"]) == len(content["body"]) > 100
    assert b"immutable" in headers[b"cache-control"]


def test_a_body_that_is_too_long_is_refused_in_the_end(settings):
    settings.AGENTEVAL_MAX_BODY = 10
    head, content = exchange("/count", *body(b"12345678", b"901"), method="POST")
    assert head["status"] == 413
    assert b'"code":"too_large"' in content["body"]
    assert dict(head["headers"])[b"connection"] == b"close"


def test_a_body_without_end_is_cut_off(settings):
    settings.AGENTEVAL_MAX_BODY = 10
    endless = [{"type": "http.request", "body": b"x" * 9, "more_body": True}] * PATIENCE
    assert exchange("/count", *endless, *endless)[0]["status"] == 413


def test_nobody_is_answered_who_has_gone():
    assert exchange("/count", {"type": "http.disconnect"}) == []
