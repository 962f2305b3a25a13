"""The OTLP endpoint as a Django view, and as a shortcut in front of Django.

Both give the same answers. The shortcut spares every request the middleware
that only pages need, and refuses a body that is too large while it is still
coming in, where Django would first put all of it on disk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from traces.services.otlp import Arrival, receive

PATHS = frozenset({"/v1/traces", "/api/public/otel/v1/traces"})
CHUNK = 64 * 1024

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


@csrf_exempt
@login_not_required
async def otlp_traces(request: HttpRequest) -> HttpResponse:
    """Take spans in."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    answer = await receive(Arrival(request.method or "", headers, _read(request)))
    return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))


async def _read(request: HttpRequest) -> AsyncIterator[bytes]:
    while chunk := request.read(CHUNK):
        yield chunk


def otlp_first(app: App) -> App:
    """An ASGI application that answers OTLP itself and leaves the rest to ``app``."""

    async def serve(
        scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if scope["type"] == "http" and scope["path"] in PATHS:
            await _serve(scope, receive, send)
        else:
            await app(scope, receive, send)

    return serve


class _GoneError(Exception):
    """The sender went away before its request was complete."""


async def _serve(
    scope: MutableMapping[str, Any], receive_message: Receive, send: Send
) -> None:
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1")
        for name, value in scope["headers"]
    }
    try:
        answer = await receive(
            Arrival(scope["method"], headers, _chunks(receive_message))
        )
    except _GoneError:
        return
    fields = {**answer.headers, "Content-Length": str(len(answer.body))}
    await send(
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [(k.lower().encode(), v.encode()) for k, v in fields.items()],
        }
    )
    await send({"type": "http.response.body", "body": answer.body})


async def _chunks(receive_message: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive_message()
        if message["type"] == "http.disconnect":
            raise _GoneError
        more = message.get("more_body", False)
        yield message.get("body", b"")
