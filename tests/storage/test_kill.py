"""Acknowledged means on disk: the server is killed while spans come in."""

import http.client
import random
import threading
import time
from contextlib import closing

import pytest
from django.conf import settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from tests.storage.server import Server

ROUNDS = 4
SENDERS = 4
SPANS = 20
SEED = 20_260_304


class Sender(threading.Thread):
    """Sends until the server is gone; keeps what was acknowledged."""

    def __init__(self, port, token, name):
        super().__init__(daemon=True)
        self.port, self.token, self.prefix = port, token, name
        self.acknowledged = []
        self.first = threading.Event()

    def run(self):
        # Of a server that died, the socket has to be closed here.
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        ) as connection:
            self.send(connection)

    def send(self, connection):
        for number in range(1_000_000):
            body, ids = request(self.prefix, number)
            try:
                connection.request("POST", "/v1/traces", body, self.headers())
                response = connection.getresponse()
                response.read()
            except (OSError, http.client.HTTPException):
                return
            if response.status == 200:
                self.acknowledged += ids
                self.first.set()

    def headers(self):
        return {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/x-protobuf",
        }


def request(prefix, number):
    """A body with new spans of two traces, one of them seen before."""
    export = ExportTraceServiceRequest()
    spans = export.resource_spans.add().scope_spans.add().spans
    ids = []
    for place in range(SPANS):
        trace = f"{prefix:016x}{(number + place % 2) // 2:016x}"
        span = f"{number * SPANS + place + 1:016x}"
        made = spans.add(trace_id=bytes.fromhex(trace), span_id=bytes.fromhex(span))
        made.name, made.start_time_unix_nano = "chat", 1_000
        made.attributes.add(key="input", value={"string_value": "x" * 1_000})
        ids.append(f"{trace}/{span}")
    return export.SerializeToString(), ids


def attack(server):
    """Kill the server at random moments; what was acknowledged, over all rounds."""
    chance = random.Random(SEED)
    token = server.set_up()
    acknowledged = []
    for turn in range(ROUNDS):
        server.start()
        names = [turn * SENDERS + each + 1 for each in range(SENDERS)]
        senders = [Sender(server.port, token, name) for name in names]
        for sender in senders:
            sender.start()
        assert all(sender.first.wait(30) for sender in senders), server.log.read_text()
        time.sleep(chance.uniform(0.0, 1.0))
        server.kill()
        for sender in senders:
            sender.join(30)
            acknowledged += sender.acknowledged
    return token, acknowledged


def check(server):
    token, acknowledged = attack(server)
    stored = server.read()
    lost = set(acknowledged) - set(stored["spans"])
    print(f"{len(acknowledged)} spans acknowledged, {len(lost)} lost in {ROUNDS} kills")
    assert not lost
    assert len(acknowledged) == len(set(acknowledged)) >= ROUNDS * SENDERS * SPANS
    # Counters are as right as the rows.
    assert len(stored["spans"]) == stored["counts"] == stored["counted"]["span_count"]
    assert stored["traces"] == stored["counted"]["trace_count"]
    server.start()
    stats = server.get("/api/v1/projects/shop/stats", token)
    assert (stats["traces"], stats["spans"]) == (stored["traces"], stored["counts"])


@pytest.mark.sqlite
def test_nothing_acknowledged_is_lost_on_sqlite(tmp_path):
    server = Server(tmp_path)
    try:
        check(server)
    finally:
        server.kill()


@pytest.fixture
def database():
    """URL of a new database on the server that the tests run on."""
    import psycopg

    given = settings.DATABASES["default"]
    place = {
        "host": given["HOST"] or None,
        "port": given["PORT"] or None,
        "user": given["USER"] or None,
        "password": given["PASSWORD"] or None,
    }
    connection = psycopg.connect(dbname="postgres", autocommit=True, **place)
    connection.execute("DROP DATABASE IF EXISTS agenteval_kill WITH (FORCE)")
    connection.execute("CREATE DATABASE agenteval_kill")
    secret = f":{given['PASSWORD']}" if given["PASSWORD"] else ""
    yield (
        f"postgres://{given['USER']}{secret}@{given['HOST']}:{given['PORT'] or 5432}"
        "/agenteval_kill"
    )
    connection.execute("DROP DATABASE agenteval_kill WITH (FORCE)")
    connection.close()


@pytest.mark.postgres
def test_nothing_acknowledged_is_lost_on_postgresql(tmp_path, database):
    server = Server(tmp_path, database)
    try:
        check(server)
    finally:
        server.kill()
