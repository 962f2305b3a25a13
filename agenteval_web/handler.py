"""Requests on a fixed set of threads, each from start to end on one of them.

Django's own ASGI handler changes threads several times a request and opens a
database connection for each, which costs four times the CPU time. Here a request
takes a thread only once its body is complete, and gives it back before a short
answer is sent, so that slow clients hold none.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import orjson
from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http.response import HttpResponse, HttpResponseBase
from django.urls import set_script_prefix

from agenteval_web.lib.api import PROBLEM_TYPE, problem

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

THREADS = 16
SHORT = 8 * 1024**2
"""Answers up to here are read whole, so that their thread is free at once."""
PATIENCE = 4
"""How often the largest body is read and forgotten before a client is cut off:
most clients only look at an answer after they have sent everything."""


class BodyTooLargeError(Exception):
    """The body is longer than ``AGENTEVAL_MAX_BODY``."""


class DisconnectedError(Exception):
    """The client went away before its request was complete."""


class ThreadedHandler(ASGIHandler):
    """Serves Django over ASGI with synchronous middleware and views."""

    def __init__(self) -> None:
        """Load the middleware; threads start when they are needed."""
        super().__init__()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the chain for threads, whatever Django's handler asks for."""
        del is_async
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        limit = settings.FILE_UPLOAD_MAX_MEMORY_SIZE
        with tempfile.SpooledTemporaryFile(max_size=limit, mode="w+b") as body:
            try:
                await _read_body(receive, body)
            except DisconnectedError:
                return
            except BodyTooLargeError:
                answer = _too_large()
            else:
                answer = await self._run(scope, body, send)
        for message in answer:
            await send(message)

    async def _run(
        self, scope: Scope, body: IO[bytes], send: Send
    ) -> tuple[Message, ...]:
        loop = asyncio.get_running_loop()

        async def sending(message: Message) -> None:
            await send(message)

        def send_now(message: Message) -> None:
            """Send from a thread; waits while the client is slow."""
            asyncio.run_coroutine_threadsafe(sending(message), loop).result()

        return await loop.run_in_executor(
            self._threads, self._respond, scope, body, send_now
        )

    def _respond(
        self, scope: Scope, body: IO[bytes], send_now: Callable[[Message], None]
    ) -> tuple[Message, ...]:
        """Make an answer; returns what of it is still to be sent."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response = (
            self.get_response(request)
            if request
            else refusal or HttpResponse(status=400)
        )
        try:
            head = _head(response)
            if (content := _short_content(response)) is not None:
                return head, _part(content, more=False)
            send_now(head)
            for part in response:
                send_now(_part(part, more=True))
            return (_part(b"", more=False),)
        finally:
            response.close()


async def _read_body(receive: Receive, body: IO[bytes]) -> None:
    limit = settings.AGENTEVAL_MAX_BODY
    size, more = 0, True
    while more and size <= limit * PATIENCE:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        part, more = message.get("body", b""), message.get("more_body", False)
        size += len(part)
        if size <= limit:
            body.write(part)
    if size > limit:
        raise BodyTooLargeError
    body.seek(0)


def _short_content(response: HttpResponseBase) -> bytes | None:
    """The whole content if it is known to be short, None if it must be streamed."""
    if isinstance(response, HttpResponse):
        return response.content
    length = response.get("Content-Length", "")
    short = length.isdigit() and int(length) <= SHORT
    return b"".join(response) if short else None


def _head(response: HttpResponseBase) -> Message:
    fields = [*response.items()]
    fields += [
        ("Set-Cookie", cookie.output(header="").strip())
        for cookie in response.cookies.values()
    ]
    headers = [(k.lower().encode("ascii"), v.encode("latin-1")) for k, v in fields]
    status = response.status_code
    return {"type": "http.response.start", "status": status, "headers": headers}


def _part(content: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


def _too_large() -> tuple[Message, ...]:
    limit = f"The request is longer than {settings.AGENTEVAL_MAX_BODY} bytes."
    content = orjson.dumps(problem(413, "too_large", limit))
    headers = [
        (b"content-type", PROBLEM_TYPE.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    head = {"type": "http.response.start", "status": 413, "headers": headers}
    return head, _part(content, more=False)
