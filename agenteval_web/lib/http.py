"""Requests that are too large never get in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from agenteval_web.lib.api import PROBLEM_TYPE, problem

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


def limit_bodies(app: App, most: int, variable: str) -> App:
    """An ASGI application whose requests have at most ``most`` bytes of body.

    Django puts a body on disk before any view can look at it. A request that
    declares too much is answered with 413; one that turns out too large ends
    as if its sender had gone away.

    Args:
        app: The application behind.
        most: Bytes allowed.
        variable: Name of the setting, for the answer.
    """

    async def serve(
        scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if scope["type"] == "http" and _declared(scope) > most:
            await _refuse(send, f"The body is larger than {most:,} bytes ({variable}).")
        elif scope["type"] == "http":
            await app(scope, _counting(receive, most), send)
        else:
            await app(scope, receive, send)

    return serve


def _declared(scope: MutableMapping[str, Any]) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"")
    return int(value) if value.isdigit() and len(value) < 20 else 0


def _counting(receive: Receive, most: int) -> Receive:
    left = most

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return bounded


async def _refuse(send: Send, message: str) -> None:
    body = orjson.dumps(problem(413, "too_large", message))
    headers = [
        (b"content-type", PROBLEM_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
