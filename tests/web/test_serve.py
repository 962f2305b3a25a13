"""The whole product as a process: starts, answers, stops, and keeps what it took."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from agenteval_web.serving import is_loopback
from tests.house.tree import ROOT
from tests.web.http import Browser, call

STOP_SECONDS, DIGEST_SECONDS = 30, 60
TRACE = "0af7651916cd43dd8448eb211c80319c"
SPANS = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": TRACE,
                            "spanId": "b7ad6b7169203331",
                            "name": "chat",
                            "startTimeUnixNano": "1700000000000000000",
                            "endTimeUnixNano": "1700000001000000000",
                            "attributes": [
                                {
                                    "key": "openinference.span.kind",
                                    "value": {"stringValue": "TOOL"},
                                }
                            ],
                        }
                    ]
                }
            ]
        }
    ]
}


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def environment(tmp_path):
    """A machine where nothing is set but the data folder."""
    ours = ("AGENTEVAL", "DJANGO", "SECRET", "DATABASE", "PYTEST")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return kept | {"AGENTEVAL_HOME": str(tmp_path), "DEMO": "0"}


def manage(environment, *arguments):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def serving(environment, port, *options):
    """A running server, and what it printed until it was ready."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port), *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("Ctrl-C"):
                break
        yield process, said
    finally:
        process.kill()
        process.communicate(timeout=STOP_SECONDS)


def test_a_start_signs_in_once_and_a_signal_ends_it(environment, port, tmp_path):
    with serving(environment, port) as (process, said):
        link = re.search(r"http://\S+/sign-in/\S+/", said)[0]
        assert link.startswith(f"http://127.0.0.1:{port}/")
        first, second = Browser(), Browser()
        assert first.get(link).status == 200
        assert first.get(f"http://127.0.0.1:{port}/projects/").status == 200
        assert "sign-in" in second.get(f"http://127.0.0.1:{port}/projects/").url
        second.get(link)
        assert "sign-in" in second.get(f"http://127.0.0.1:{port}/projects/").url
        process.send_signal(signal.SIGINT)
        assert process.wait(STOP_SECONDS) == 0
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


@pytest.fixture
def sender(environment, port):
    """Headers of a program that may send to a new project."""
    manage(environment, "migrate")
    made = "from traces.models import Project; from django.utils import timezone; "
    made += "Project.objects.create(slug='p', name='P', created_at=timezone.now())"
    manage(environment, "shell", "-c", made)
    asked = ("create_token", "--project", "p", "--scope", "admin", "--json")
    token = json.loads(manage(environment, *asked).stdout)["token"]
    return {"Authorization": f"Bearer {token}"}


def until_digested(port, sender):
    """Wait for the first step; what the project then holds."""
    stats = f"http://127.0.0.1:{port}/api/v1/projects/p/stats"
    deadline = time.monotonic() + DIGEST_SECONDS
    while not (found := call(stats, None, sender).json())["steps"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def test_what_was_taken_is_digested_after_a_sudden_death(environment, port, sender):
    with serving(environment, port) as (process, _said):
        taken = call(f"http://127.0.0.1:{port}/v1/traces", SPANS, sender)
        process.kill()
        assert taken.status == 200
        process.wait()
    with serving(environment, port):
        assert until_digested(port, sender) == {"traces": 1, "spans": 1, "steps": 1}


@pytest.mark.redis
def test_a_worker_of_its_own_digests_over_redis(environment, port, sender, redis_url):
    own = f"{redis_url.rpartition('/')[0]}/{port % 15 + 1}"
    environment |= {"REDIS_URL": own}
    command = [sys.executable, "-m", "celery", "-A", "agenteval_web", "worker"]
    with (
        subprocess.Popen(
            [*command, "--concurrency", "1"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as worker,
        serving(environment, port),
    ):
        try:
            call(f"http://127.0.0.1:{port}/v1/traces", SPANS, sender)
            found = until_digested(port, sender)
        finally:
            worker.terminate()
    assert found == {"traces": 1, "spans": 1, "steps": 1}
    assert worker.returncode == 0


def test_a_port_in_use_is_said_in_one_line(environment, port):
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        refused = manage(environment, "serve", "--port", str(port))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert f"can't listen on 127.0.0.1 port {port}: Address already in use" in line


def test_a_bad_variable_is_named_and_nothing_starts(environment, port):
    bad = environment | {"AGENTEVAL_MAX_BODY": "lots"}
    refused = manage(bad, "serve", "--port", str(port))
    assert refused.returncode == 1
    assert "agenteval.E001" in refused.stderr
    assert "AGENTEVAL_MAX_BODY: 'lots' is not a size such as 64M" in refused.stderr


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)],
)
def test_which_addresses_only_this_machine_reaches(host, alone):
    assert is_loopback(host) is alone
