"""Pages are told what changes, each only what its reader may see."""

import asyncio
import json
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.test import Client

from agenteval_web import sockets
from agenteval_web.asgi import application
from judging.services import notify
from traces.models import Membership, Project, Trace

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
TRACE = "a/b c"
ADDRESS = "/ws/p/shop/traces/a~2Fb%20c/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def of_this_host(settings):
    settings.ALLOWED_HOSTS = ["localhost"]
    sockets._sockets.cache_clear()
    yield
    sockets._sockets.cache_clear()


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def trace(project):
    return Trace.objects.create(
        project=project, trace_id=TRACE, source="otlp", received_at=NOW, updated_at=NOW
    )


def cookie(project, *, member):
    user = User.objects.create_user("reader", password="pw")
    if member:
        Membership.objects.create(
            user=user, project=project, role=Membership.Role.VIEWER, created_at=NOW
        )
    client = Client()
    client.force_login(user)
    return f"agenteval_session={client.cookies['agenteval_session'].value}"


def socket(address, cookie="", origin="http://localhost"):
    headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    path = unquote(address)
    scope = {"type": "websocket", "path": path, "headers": headers, "query_string": b""}
    return ApplicationCommunicator(application, scope)


async def connected(window):
    await window.send_input({"type": "websocket.connect"})
    return (await window.receive_output(5))["type"] == "websocket.accept"


async def gone(window):
    await window.send_input({"type": "websocket.disconnect", "code": 1000})
    await window.wait(5)


def test_a_member_is_told(project, trace):
    signed_in = cookie(project, member=True)

    async def follow():
        window = socket(ADDRESS, signed_in)
        assert await connected(window)
        told = sync_to_async(notify.tell, thread_sensitive=False)
        await told([notify.trace_group(trace.pk)], {"evaluation": 7})
        message = await window.receive_output(5)
        await gone(window)
        return json.loads(message["text"])

    assert asyncio.run(follow()) == {"evaluation": 7}


@pytest.mark.parametrize(
    ("address", "member", "origin"),
    [
        (ADDRESS, False, "http://localhost"),
        (ADDRESS, True, "http://elsewhere.example"),
        ("/ws/p/shop/traces/other/", True, "http://localhost"),
        ("/ws/p/shop/batches/1/", True, "http://localhost"),
        ("/ws/p/other/evaluations/", True, "http://localhost"),
        ("/ws/nowhere/", True, "http://localhost"),
    ],
)
def test_nobody_else_is(project, trace, address, member, origin):
    signed_in = cookie(project, member=member)

    assert not asyncio.run(connected(socket(address, signed_in, origin)))


def test_a_stranger_is_not(project, trace):
    assert not asyncio.run(connected(socket(ADDRESS)))


def test_telling_nobody_costs_nothing(project):
    notify.tell([notify.project_group(project.pk)], {"evaluation": 1})
