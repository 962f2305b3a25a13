"""The OTLP endpoint: from headers and a body to an answer.

It knows no web framework: ``traces.otlp_views`` fits it to two. A 200 is given
after the spans are committed. Work that takes time (decompressing, decoding,
making rows) is done on a few threads, writing on the writer's, so that the
event loop only waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.http import parse_header_parameters

from traces.domain.records import Reject
from traces.importers import otlp
from traces.models import ApiToken
from traces.services.bodies import (
    ENCODINGS,
    DamagedError,
    TooLargeError,
    decompress,
)
from traces.services.ingest import Batch, Receipt
from traces.services.rows import Prepared, prepare
from traces.services.tokens import (
    SENDERS,
    authenticate,
    believed,
    secret_in,
    still_there,
)
from traces.services.writer import AWAY, WRITER, OverloadedError

logger = logging.getLogger(__name__)

SOURCE = "otlp"
MEDIA = {"application/x-protobuf": False, "application/json": True}
"""Media types, and whether they are JSON."""
LISTED = frozenset({400, 413})
"""Refusals that the people of the project should hear of."""
THREADS = 2
"""Decoding holds the interpreter's lock most of the time; more gain nothing."""

NOT_KNOWN = "The token is unknown, revoked or expired."

MAX_HELD = 256 * 1024**2
"""Bytes of all bodies that may be in memory while they wait for a thread."""

_held = 0
_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="otlp")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request.

    Attributes:
        method: HTTP method.
        headers: By name in lower case.
        chunks: The body as it comes.
    """

    method: str
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender gets."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class RefusalError(Exception):
    """The request is not taken.

    Attributes:
        status: HTTP status.
        code: Number of ``google.rpc.Code``.
        headers: What else the answer says.
    """

    def __init__(
        self, status: int, code: int, message: str, headers: Mapping[str, str]
    ) -> None:
        """Refuse with one clear sentence."""
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers


def _invalid(message: str) -> RefusalError:
    return RefusalError(400, 3, message, {})


def _unauthenticated(message: str) -> RefusalError:
    challenge = {"WWW-Authenticate": 'Bearer realm="AgentEval"'}
    return RefusalError(401, 16, message, challenge)


def _too_large(what: str, variable: str) -> RefusalError:
    limit = getattr(settings, variable)
    message = f"The {what} is larger than {limit:,} bytes ({variable})."
    return RefusalError(413, 8, message, {})


def _unsupported(message: str, headers: Mapping[str, str]) -> RefusalError:
    return RefusalError(415, 3, message, headers)


def _busy(seconds: int) -> RefusalError:
    message = "The server has as much to do as it can hold; send again later."
    return RefusalError(503, 14, message, {"Retry-After": str(seconds)})


async def receive(arrival: Arrival) -> Answer:
    """Take a request in; answer once its spans are on disk."""
    as_json = MEDIA.get(_media_type(arrival.headers), True)
    try:
        return await _take(arrival)
    except RefusalError as refusal:
        body = otlp.encode_status(refusal.code, str(refusal), as_json=as_json)
        return _answer(refusal.status, body, as_json, refusal.headers)


def _answer(
    status: int, body: bytes, as_json: bool, headers: Mapping[str, str]
) -> Answer:
    media = "application/json" if as_json else "application/x-protobuf"
    return Answer(status, body, {"Content-Type": media, **headers})


async def _take(arrival: Arrival) -> Answer:
    if arrival.method == "OPTIONS":
        return Answer(204, b"", {"Allow": "POST, OPTIONS"})
    if arrival.method != "POST":
        message = "Traces are sent here with POST."
        raise RefusalError(405, 12, message, {"Allow": "POST, OPTIONS"})
    now = timezone.now()
    token = await _token(arrival.headers, now)
    request = _Request(
        token, _as_json(arrival.headers), _encoding(arrival.headers), now
    )
    if WRITER.is_full():
        raise _busy(1)
    try:
        work = await _decoded(request, arrival)
    except RefusalError as refusal:
        if refusal.status in LISTED:
            request.note(str(refusal))
        raise
    try:
        await asyncio.wrap_future(work.receipt)
    except AWAY as error:
        raise _busy(5) from error
    except Exception as error:
        raise await _failed(token) from error
    body = otlp.encode_response(work.decoded, as_json=request.as_json)
    return _answer(200, body, request.as_json, {})


async def _failed(token: ApiToken) -> RefusalError:
    """Why spans could not be stored: their project went, or a fault of our own."""
    loop = asyncio.get_running_loop()
    if not await loop.run_in_executor(_threads, _still_there, token):
        return _unauthenticated(NOT_KNOWN)
    # The writer has put the details into the log.
    return RefusalError(500, 13, "The spans could not be stored.", {})


async def _decoded(request: _Request, arrival: Arrival) -> _Work:
    """Read the body and hand it to a thread; it counts as held meanwhile."""
    global _held  # noqa: PLW0603 - only the event loop's thread counts
    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in _bounded(arrival):
            size += len(chunk)
            _held += len(chunk)
            if _held > MAX_HELD:
                raise _busy(1)
            parts.append(chunk)
        body = b"".join(parts)
        parts.clear()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_threads, request.submit, body)
    finally:
        _held -= size


async def _token(headers: Mapping[str, str], now: datetime) -> ApiToken:
    """Who sends.

    Raises:
        RefusalError: Nobody that is known, or somebody who may not.
    """
    secret = secret_in(headers.get("authorization", ""), headers.get("x-api-key", ""))
    if not secret:
        raise _unauthenticated("Send a token: Authorization: Bearer TOKEN.")
    token = believed(secret, now)
    if token is None:
        loop = asyncio.get_running_loop()
        token = await loop.run_in_executor(_threads, _look_up, secret, now)
    if token is None:
        raise _unauthenticated(NOT_KNOWN)
    if token.scope not in SENDERS:
        message = f"The token may not send traces; its scope is {token.scope!r}."
        raise RefusalError(403, 7, message, {})
    return token


def _look_up(secret: str, now: datetime) -> ApiToken | None:
    try:
        return authenticate(secret, now)
    finally:
        # No request ends on this thread, so nobody else would close it.
        connection.close()


def _still_there(token: ApiToken) -> bool:
    """Whether the sender's project is; unless the database denies it, it is."""
    try:
        return still_there(token)
    except AWAY:
        return True
    finally:
        connection.close()


def _media_type(headers: Mapping[str, str]) -> str:
    return parse_header_parameters(headers.get("content-type", ""))[0]


def _as_json(headers: Mapping[str, str]) -> bool:
    media = _media_type(headers)
    if media not in MEDIA:
        raise _unsupported(
            f"Content-Type {media[:100]!r} is not supported; send {' or '.join(MEDIA)}.",
            {"Accept": ", ".join(MEDIA)},
        )
    return MEDIA[media]


def _encoding(headers: Mapping[str, str]) -> str:
    encoding = headers.get("content-encoding", "").strip().casefold()
    if encoding not in ENCODINGS:
        message = f"Content-Encoding {encoding[:100]!r} is not supported."
        raise _unsupported(message, {"Accept-Encoding": "gzip, deflate"})
    return encoding


async def _bounded(arrival: Arrival) -> AsyncIterator[bytes]:
    """The chunks of the body, as long as it isn't too large."""
    most = settings.AGENTEVAL_MAX_BODY
    declared = arrival.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > most:
        raise _too_large("body", "AGENTEVAL_MAX_BODY")
    left = most
    async for chunk in arrival.chunks:
        left -= len(chunk)
        if left < 0:
            raise _too_large("body", "AGENTEVAL_MAX_BODY")
        yield chunk


@dataclass(frozen=True, slots=True)
class _Work:
    """A request on its way to the disk."""

    receipt: Future[Receipt]
    decoded: otlp.Decoded


@dataclass(frozen=True, slots=True)
class _Request:
    """A request whose sender is known."""

    token: ApiToken
    as_json: bool
    encoding: str
    now: datetime

    def submit(self, body: bytes) -> _Work:
        """Decode and queue; runs on a thread.

        Raises:
            RefusalError: The body can't be taken in, or too much is waiting.
        """
        try:
            decoded = self._decode(body)
            made = prepare(decoded.spans)
            for reject in made.rejects:
                decoded.refuse(reject)
            return _Work(WRITER.submit(self._batch(made, decoded)), decoded)
        except OverloadedError as error:
            raise _busy(1) from error
        except TooLargeError as error:
            raise _too_large(
                "decompressed body", "AGENTEVAL_MAX_DECOMPRESSED"
            ) from error
        except DamagedError as error:
            raise _invalid(str(error)) from error
        except otlp.DecodeError as error:
            raise _invalid(f"{error.place}: {error}") from error

    def _decode(self, body: bytes) -> otlp.Decoded:
        limit = settings.AGENTEVAL_MAX_DECOMPRESSED
        content = decompress(body, self.encoding, limit)
        decode = otlp.decode_json if self.as_json else otlp.decode_protobuf
        return decode(content, _bounds())

    def _batch(self, made: Prepared, decoded: otlp.Decoded) -> Batch:
        return Batch(
            project_id=self.token.project_id,
            prepared=made,
            source=SOURCE,
            at=self.now,
            rejects=tuple(decoded.rejects),
            unlisted=decoded.left_out,
            token=self.token,
        )

    def note(self, reason: str) -> None:
        """Put a refusal on the ingestion page; nobody waits for that."""
        note = otlp.Decoded()
        note.refuse(Reject("request", "body", reason, "unreadable"))
        try:
            WRITER.submit(self._batch(Prepared(), note))
        except OverloadedError:
            logger.warning("a refused request was not listed: %s", reason)


def _bounds() -> otlp.Bounds:
    return otlp.Bounds(
        attribute=settings.AGENTEVAL_MAX_ATTRIBUTE,
        depth=settings.AGENTEVAL_MAX_DEPTH,
        spans=settings.AGENTEVAL_MAX_SPANS_PER_REQUEST,
    )
