"""The real server in a process of its own, to be killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60

SET_UP = """
import django
django.setup()
from django.core.management import call_command
from django.utils import timezone
from traces.services.projects import create_project
from traces.services.tokens import issue_token

call_command("migrate", verbosity=0)
now = timezone.now()
project = create_project(name="Shop", slug="shop", actor=None, now=now)
print(issue_token(project=project, name="t", scope="admin", actor=None, now=now)[1])
"""

READ = """
import django, json
django.setup()
from traces.models import Project, Span, Trace

spans = Span.objects.values_list("trace__trace_id", "span_id")
counted = Project.objects.values("trace_count", "span_count").get()
print(json.dumps({
    "spans": [f"{trace}/{span}" for trace, span in spans],
    "traces": Trace.objects.count(),
    "counted": counted,
    "counts": sum(Trace.objects.values_list("span_count", flat=True)),
}))
"""


class Server:
    """A server on a data folder or database; killed and started as often as wanted."""

    def __init__(self, home, database_url=""):
        self.env = os.environ | {
            "AGENTEVAL_HOME": str(home),
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "agenteval_web.settings",
            "SECRET_KEY": "only for tests",
            "PYTHONPATH": str(ROOT),
        }
        self.log = Path(home) / "log"
        self.process = None
        self.port = 0

    def script(self, code):
        """Run code inside the product; the last line that it prints."""
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, env=self.env, cwd=ROOT, check=True, capture_output=True, text=True
        )
        return done.stdout.splitlines()[-1]

    def set_up(self):
        """Make the tables and a project; a token."""
        return self.script(SET_UP)

    def read(self):
        """What is stored, read without the server."""
        return json.loads(self.script(READ))

    def start(self):
        """Start and wait until it answers."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-m", "uvicorn", "agenteval_web.asgi:application"]
        command += ["--port", str(self.port), "--lifespan", "off", "--no-access-log"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                env=self.env,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait()

    def _wait(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the server didn't start: {self.log.read_text()}")

    def kill(self):
        """Kill it with all it started, as a power cut would."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def get(self, path, token):
        """JSON from the API."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            headers={"Authorization": f"Bearer {token}"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
