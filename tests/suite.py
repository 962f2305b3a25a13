"""The whole suite: on SQLite, in a browser, and what touches a database on PostgreSQL.

The last lines say how each part ended, and what was left out and why. With
CI=true nothing may be left out but what can't be installed. Arguments go to every pytest:
``python -m tests.suite -k tokens``.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.services import services

IN_CI = bool(os.environ.get("CI"))
NOTHING_COLLECTED = 5
PARTS = (
    ("SQLite", ["-n", "2", "-m", "not browser"]),
    ("Browser", ["-n", "2", "-m", "browser"]),
    ("PostgreSQL", ["-n", "2", "-m", "not browser"]),
)


def main(arguments: list[str]) -> int:
    """Run all parts; the exit status is 0 if all that must pass did."""
    endings: dict[str, str] = {}
    failed = False
    with services() as found, tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        for name, options in PARTS:
            extra = {**found, "AGENTEVAL_TEST_LOG": str(log)}
            if name == "PostgreSQL":
                if "TEST_DATABASE_URL" not in found:
                    endings[name] = "left out: not on this machine"
                    failed |= IN_CI
                    continue
                extra["DATABASE_URL"] = found["TEST_DATABASE_URL"]
            status, endings[name] = run([*options, *arguments], extra)
            failed |= status not in {0, NOTHING_COLLECTED}
        left_out = read_left_out(log)
    report(endings, left_out)
    missed = any(not excused for _reason, excused in left_out)
    return int(failed or (IN_CI and missed))


def run(arguments: list[str], extra: dict[str, str]) -> tuple[int, str]:
    """Run pytest; its exit status and last line."""
    colour = "yes" if sys.stdout.isatty() else "no"
    command = [sys.executable, "-m", "pytest", f"--color={colour}", *arguments]
    last = ""
    with subprocess.Popen(
        command, env=os.environ | extra, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            last = line.strip() or last
    return process.returncode, last.strip("= ")


def read_left_out(log: Path) -> Counter[tuple[str, bool]]:
    """Tests that ran in no part, counted by reason and whether CI excuses it."""
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    told = [json.loads(line) for line in lines]
    ran = {one["test"] for one in told if one["ran"]}
    skipped = {one["test"]: one for one in told if one["test"] not in ran}
    return Counter((one["reason"], one["excused"]) for one in skipped.values())


def report(endings: dict[str, str], left_out: Counter[tuple[str, bool]]) -> None:
    """Print what happened, last what did not."""
    print()
    for name, ending in endings.items():
        print(f"{name:<11} {ending}")
    print("Left out:" if left_out else "Left out:   nothing")
    for (reason, _excused), count in sorted(left_out.items()):
        print(f"  {count} tests: {reason}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
