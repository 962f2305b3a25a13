"""All that is checked without running the product, side by side.

Prints one line a check with its time, and what a failed one said.
"""

import os
import secrets
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

MOST_LINES = 80
BIN = Path(sys.executable).parent
APPS = ("agenteval_web", "traces", "judging", "annotation")
MANAGE = (sys.executable, "manage.py")
PRODUCTION = {
    "AGENTEVAL_HTTPS": "1",
    "ALLOWED_HOSTS": "agenteval.example.org",
    "SECRET_KEY": secrets.token_urlsafe(64),
    "DATABASE_URL": "postgres://agenteval@localhost/agenteval",
    "REDIS_URL": "redis://localhost/0",
}
CHECKS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "types": ((str(BIN / "mypy"), *APPS), {}),
    "format": ((str(BIN / "ruff"), "format", "--check", "."), {}),
    "lint": ((str(BIN / "ruff"), "check", "."), {}),
    "imports": ((str(BIN / "lint-imports"),), {}),
    "templates": (
        (str(BIN / "djlint"), "--check", "--lint", "--quiet", "templates"),
        {},
    ),
    "migrations": ((*MANAGE, "makemigrations", "--check", "--dry-run"), {}),
    "deployment": (
        (*MANAGE, "check", "--deploy", "--fail-level", "WARNING"),
        PRODUCTION,
    ),
    "documents": (
        (sys.executable, "-m", "pytest", "-q", "tests/house/test_documents.py"),
        {},
    ),
}


@dataclass(frozen=True)
class Result:
    """How a check ended."""

    name: str
    passed: bool
    seconds: float
    output: str


def run(name: str) -> Result:
    """Run one check."""
    command, extra = CHECKS[name]
    started = time.monotonic()
    done = subprocess.run(
        command,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "agenteval_web.settings"} | extra,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Result(name, not done.returncode, time.monotonic() - started, done.stdout)


def main() -> int:
    """Run all; 1 if one failed."""
    failed = False
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for result in threads.map(run, CHECKS):
            word = "ok" if result.passed else "FAILED"
            print(f"{result.name:<11} {word}  {result.seconds:.1f} s", flush=True)
            if not result.passed:
                print("\n".join(result.output.splitlines()[-MOST_LINES:]), flush=True)
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
