"""What every test shares: where things are, and what had to be left out.

A test that needs something this machine may lack carries a marker. Where the
thing is missing the test is skipped, and ``tests.suite`` prints it at the very
end. With CI=true nothing that can be installed may be missing: the test fails.
"""

import json
import os
import shutil
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings

# A busy machine is no finding.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")

ROOT = Path(__file__).resolve().parent.parent
SHARED = "shared_data"
"""The one thing that may lack in CI too: it can't be installed."""


def shared_folder():
    """Folder of the published traces: AGENTEVAL_SHARED, else beside the project."""
    return Path(os.environ.get("AGENTEVAL_SHARED") or ROOT.parent / "shared")


def chromium_path():
    """The browser to drive: CHROMIUM, else the system's; None without one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [os.environ.get("CHROMIUM"), *map(shutil.which, names)]
    return next(filter(None, found), None)


def on_postgres():
    """Whether the tests run on PostgreSQL."""
    return settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


NEEDS = {
    "browser": (chromium_path, "no Chromium on this machine (or set CHROMIUM)"),
    "redis": (
        lambda: os.environ.get("TEST_REDIS_URL"),
        "no Redis on this machine (or set TEST_REDIS_URL)",
    ),
    SHARED: (
        (shared_folder() / "data").is_dir,
        "the published traces are not on this machine (set AGENTEVAL_SHARED)",
    ),
}


DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}


def belongs_here(item):
    """Whether a test is to run on the database at hand.

    On PostgreSQL run only the tests that touch a database; the others have run on
    SQLite already.
    """
    if not on_postgres():
        return not item.get_closest_marker("postgres")
    if item.get_closest_marker("sqlite"):
        return False
    touches = item.get_closest_marker("django_db") or item.get_closest_marker(
        "postgres"
    )
    return bool(touches) or not DATABASE_FIXTURES.isdisjoint(item.fixturenames)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what belongs to the other database."""
    elsewhere = [item for item in items if not belongs_here(item)]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        left = set(elsewhere)
        items[:] = [item for item in items if item not in left]


def pytest_runtest_setup(item):
    """Skip a test that lacks something; in CI, fail it."""
    for marker, (present, reason) in NEEDS.items():
        if item.get_closest_marker(marker) and not present():
            if os.environ.get("CI") and marker != SHARED:
                pytest.fail(f"{reason}; in CI nothing is left out", pytrace=False)
            pytest.skip(reason)


def pytest_terminal_summary(terminalreporter):
    """Tell ``tests.suite`` which tests ran, and which were skipped and why."""
    path = os.environ.get("AGENTEVAL_TEST_LOG")
    if not path:
        return
    lines = [
        json.dumps(told(report, outcome)) + "\n"
        for outcome in ("passed", "failed", "skipped")
        for report in terminalreporter.stats.get(outcome, [])
    ]
    with Path(path).open("a", encoding="utf-8") as file:
        file.writelines(lines)


def told(report, outcome):
    """What the suite needs to know of one test."""
    why = report.longrepr if outcome == "skipped" else ""
    why = why[2] if isinstance(why, (tuple, list)) else str(why)
    return {
        "test": report.nodeid,
        "ran": outcome != "skipped",
        "reason": why.removeprefix("Skipped: "),
        "excused": SHARED in report.keywords,
    }


def pytest_make_parametrize_id(val, argname):
    """Name bytes by their length: compressed ones hold the time they were made."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the published traces; the test carries ``shared_data``."""
    return shared_folder() / "data"


@pytest.fixture(scope="session")
def redis_url():
    """URL of a Redis server for tests; the test carries ``redis``."""
    return os.environ["TEST_REDIS_URL"]
