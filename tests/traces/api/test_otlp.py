import asyncio
import gzip
import json
import logging
import zlib
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)

from tests.traces.api.conftest import JSON, PROTOBUF, export
from traces.models import ApiToken, IngestReject, Span, Trace
from traces.otlp_views import otlp_first
from traces.services import otlp, tokens
from traces.services.tokens import issue_token, revoke_token
from traces.services.writer import WRITER, GroupWriter, OverloadedError

URL = "/v1/traces"


@pytest.fixture
def secret(shop):
    return make_token(shop)


def make_token(shop, scope="ingest", **given):
    made = {"project": shop, "name": "t", "actor": None, "now": timezone.now()}
    return issue_token(scope=scope, **(made | given))[1]


@pytest.fixture
def post(client, secret):
    """Send a body as Django sees it."""

    def send(body, media=PROTOBUF, url=URL, **headers):
        given = {"authorization": f"Bearer {secret}"} | headers
        return client.post(url, body, media, headers=given)

    return send


def said(response):
    """What an answer refuses: number of spans, and the words."""
    answer = ExportTraceServiceResponse.FromString(response.content).partial_success
    return answer.rejected_spans, answer.error_message


def status(response):
    assert response["Content-Type"] == PROTOBUF
    return Status.FromString(response.content)


def test_a_200_means_committed(post, shop):
    response = post(export(1, 2).SerializeToString())
    assert (response.status_code, response.content) == (200, b"")
    assert response["Content-Type"] == PROTOBUF
    assert Span.objects.count() == 2
    trace = Trace.objects.get()
    assert (trace.trace_id, trace.source) == (
        "0af7651916cd43dd8448eb211c80319c",
        "otlp",
    )


ONE_SPAN = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "startTimeUnixNano": "1",
                        }
                    ]
                }
            ]
        }
    ]
}


@pytest.mark.parametrize(
    "media", [JSON, "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_is_answered_in_json(post, media):
    response = post(json.dumps(ONE_SPAN), media)
    assert (response.status_code, response.json()) == (200, {})
    assert response["Content-Type"] == JSON
    assert Span.objects.get().span_id == "eee19b7ec3c1b174"


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("GZIP", gzip.compress), ("deflate", zlib.compress)],
)
def test_compressed_bodies(post, encoding, pack):
    body = pack(export(1).SerializeToString())
    assert post(body, **{"content-encoding": encoding}).status_code == 200
    assert Span.objects.count() == 1


def test_langfuse_clients_send_the_token_as_a_password(client, secret):
    basic = "Basic cGstbGYtMTpTRUNSRVQ="  # pk-lf-1:SECRET
    assert tokens.secret_in(basic) == "SECRET"
    import base64

    pair = base64.b64encode(f"pk-lf-1:{secret}".encode()).decode()
    response = client.post(
        "/api/public/otel/v1/traces",
        export(1).SerializeToString(),
        PROTOBUF,
        headers={"authorization": f"Basic {pair}"},
    )
    assert response.status_code == 200


def test_x_api_key(client, secret):
    body, headers = export(1).SerializeToString(), {"x-api-key": secret}
    assert client.post(URL, body, PROTOBUF, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ae_unknown", "Bearer x\x00y", "Basic !", "Digest a"],
)
def test_who_is_not_known_is_401(client, shop, header):
    body = export(1).SerializeToString()
    response = client.post(URL, body, PROTOBUF, headers={"authorization": header})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert status(response).code == 16


def test_expired_and_revoked_tokens_are_401(client, shop):
    now = timezone.now()
    expired = make_token(shop, expires_at=now - timedelta(seconds=1))
    used = make_token(shop)
    body = export(1).SerializeToString()

    def send(secret):
        headers = {"authorization": f"Bearer {secret}"}
        return client.post(URL, body, PROTOBUF, headers=headers).status_code

    assert (send(expired), send(used)) == (401, 200)
    row = tokens.authenticate(used, now)
    revoke_token(token=row, actor=None, now=now)
    assert send(used) == 401


@pytest.mark.parametrize("scope", ["read", "gate"])
def test_a_token_for_something_else_is_403(client, shop, scope):
    headers = {"authorization": f"Bearer {make_token(shop, scope)}"}
    response = client.post(URL, b"x", PROTOBUF, headers=headers)
    assert response.status_code == 403
    assert status(response).message == (
        f"The token may not send traces; its scope is '{scope}'."
    )


def test_a_token_for_everything_sends_too(client, shop):
    headers = {"authorization": f"Bearer {make_token(shop, 'admin')}"}
    body = export(1).SerializeToString()
    assert client.post(URL, body, PROTOBUF, headers=headers).status_code == 200


def test_use_of_a_token_is_noted_once_a_minute(post, shop):
    post(export(1).SerializeToString())
    first = ApiToken.objects.get().last_used_at
    assert timezone.now() - first < timedelta(seconds=30)
    post(export(2).SerializeToString())
    assert ApiToken.objects.get().last_used_at == first


@pytest.mark.parametrize(
    "media", ["text/plain", "application/xml", "", "application/grpc"]
)
def test_other_media_types_are_415(post, media):
    response = post(b"x", media)
    assert response.status_code == 415
    assert response["Accept"] == "application/x-protobuf, application/json"
    assert repr(media) in response.json()["message"]


def test_other_encodings_are_415(post):
    response = post(b"x", **{"content-encoding": "br"})
    assert response.status_code == 415
    assert response["Accept-Encoding"] == "gzip, deflate"


@pytest.mark.parametrize("method", ["get", "put", "delete", "head"])
def test_other_methods_are_405(client, method):
    response = getattr(client, method)(URL)
    assert (response.status_code, response["Allow"]) == (405, "POST, OPTIONS")


def test_options_says_what_is_allowed(client):
    response = client.options(URL)
    assert (response.status_code, response["Allow"]) == (204, "POST, OPTIONS")


def test_a_body_too_large_names_limit_and_variable(post, settings):
    settings.AGENTEVAL_MAX_BODY = 1_000
    response = post(b"x" * 1_001)
    assert response.status_code == 413
    assert status(response).message == (
        "The body is larger than 1,000 bytes (AGENTEVAL_MAX_BODY)."
    )
    WRITER.stop()
    assert IngestReject.objects.get().reason == status(response).message


def test_a_bomb_names_limit_and_variable(post, settings):
    settings.AGENTEVAL_MAX_DECOMPRESSED = 1_000_000
    bomb = gzip.compress(b"\0" * 100_000_000)
    response = post(bomb, **{"content-encoding": "gzip"})
    assert response.status_code == 413
    assert status(response).message == (
        "The decompressed body is larger than 1,000,000 bytes"
        " (AGENTEVAL_MAX_DECOMPRESSED)."
    )


@pytest.mark.parametrize(
    ("body", "media", "headers"),
    [
        (b"\xff\xff\xff", PROTOBUF, {}),
        (b"{", JSON, {}),
        (b"[" * 20_000, JSON, {}),
        (b'{"resourceLogs": []}', JSON, {}),
        (b"not gzip", PROTOBUF, {"content-encoding": "gzip"}),
    ],
)
def test_what_cannot_be_read_is_400_and_listed(post, shop, body, media, headers):
    response = post(body, media, **headers)
    assert response.status_code == 400
    WRITER.stop()
    reject = IngestReject.objects.get()
    assert (reject.level, reject.code) == ("request", "unreadable")
    if media == JSON:
        assert response.json()["code"] == 3
        assert reject.reason in response.json()["message"]


def test_a_logs_export_is_named(post):
    response = post(b'{"resourceLogs": []}', JSON)
    assert "logs" in response.json()["message"]


def test_one_bad_span_costs_no_other(post, shop):
    request = export(1, 2, 3)
    request.resource_spans[0].scope_spans[0].spans[1].span_id = b"\1"
    response = post(request.SerializeToString())
    assert response.status_code == 200
    rejected, message = said(response)
    assert rejected == 1
    assert message.startswith("resourceSpans[0].scopeSpans[0].spans[1].spanId")
    assert Span.objects.count() == 2
    assert IngestReject.objects.get().code == "bad_span_id"
    shop.refresh_from_db()
    assert shop.reject_count == 1


def test_one_bad_attribute_costs_no_span(post):
    request = export(1)
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.attributes.add(key="", value={"string_value": "x"})
    span.attributes.add(key="good", value={"string_value": "x"})
    response = post(request.SerializeToString())
    assert said(response)[0] == 0
    assert said(response)[1]
    assert Span.objects.count() == 1


def test_an_overloaded_server_says_when_to_come_again(post, monkeypatch):
    def refuse(self, batch):
        raise OverloadedError

    monkeypatch.setattr(GroupWriter, "submit", refuse)
    response = post(export(1).SerializeToString())
    assert (response.status_code, response["Retry-After"]) == (503, "1")
    assert status(response).code == 14


def test_a_full_queue_is_told_before_the_body_is_read(post, monkeypatch):
    monkeypatch.setattr(GroupWriter, "is_full", lambda self: True)
    assert post(export(1).SerializeToString()).status_code == 503


def test_too_much_in_memory_is_told(post, monkeypatch):
    monkeypatch.setattr(otlp, "MAX_HELD", 10)
    assert post(b"x" * 11).status_code == 503
    monkeypatch.setattr(otlp, "MAX_HELD", 11)
    assert post(b"x" * 11).status_code == 400


def test_a_database_that_stays_away_is_503(post, monkeypatch, caplog):
    def fail(batches):
        raise OperationalError("database is locked")

    monkeypatch.setattr("traces.services.writer.RETRY_FOR", 0.0)
    monkeypatch.setattr(WRITER, "_write", fail)
    with caplog.at_level(logging.CRITICAL):
        response = post(export(1).SerializeToString())
    assert (response.status_code, response["Retry-After"]) == (503, "5")


def test_a_fault_of_our_own_is_500(post, monkeypatch, caplog):
    def fail(batches):
        raise ZeroDivisionError

    monkeypatch.setattr(WRITER, "_write", fail)
    with caplog.at_level(logging.CRITICAL):
        response = post(export(1).SerializeToString())
    assert response.status_code == 500
    assert status(response).code == 13


def test_a_session_is_no_token(client, shop, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert client.post(URL, b"x", PROTOBUF).status_code == 401


def through(app, path, headers, messages, method="POST"):
    """Ask an ASGI application; what it sends."""
    sent, waiting = [], list(messages)

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    pairs = [(k.encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": pairs}
    asyncio.run(otlp_first(app)(scope, receive, send))
    return sent


def body_of(*parts):
    last = len(parts) - 1
    return [
        {"type": "http.request", "body": part, "more_body": place < last}
        for place, part in enumerate(parts)
    ]


async def behind(scope, receive, send):
    await send({"type": "behind"})


def test_the_shortcut_answers_as_the_view(secret):
    body = export(1, 2).SerializeToString()
    headers = {"authorization": f"Bearer {secret}", "content-type": PROTOBUF}
    sent = through(behind, URL, headers, body_of(body[:10], body[10:]))
    assert sent[0]["status"] == 200
    assert (b"content-length", b"0") in sent[0]["headers"]
    assert Span.objects.count() == 2


def test_the_shortcut_leaves_the_rest_alone():
    assert through(behind, "/v1/traces/", {}, []) == [{"type": "behind"}]


def test_the_shortcut_stops_reading_what_is_too_large(secret, settings):
    settings.AGENTEVAL_MAX_BODY = 10
    headers = {"authorization": f"Bearer {secret}", "content-type": PROTOBUF}
    sent = through(behind, URL, headers, body_of(b"x" * 6, b"x" * 6, b"never read"))
    assert sent[0]["status"] == 413
    declared = headers | {"content-length": "11"}
    assert through(behind, URL, declared, [])[0]["status"] == 413


def test_a_sender_that_goes_away_gets_nothing(secret):
    headers = {"authorization": f"Bearer {secret}", "content-type": PROTOBUF}
    messages = [*body_of(b"x", b"")[:1], {"type": "http.disconnect"}]
    assert through(behind, URL, headers, messages) == []
    assert Span.objects.count() == 0
