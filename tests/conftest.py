"""What every test shares: where things are, and what had to be left out.

A test that needs something this machine may lack carries a marker. Where the
thing is missing the test is skipped, and ``tests.suite`` prints it at the very
end. With CI=true nothing may be missing: the test fails instead.
"""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent


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
    "shared_data": (
        (shared_folder() / "data").is_dir,
        "the published traces are not on this machine (set AGENTEVAL_SHARED)",
    ),
}


def pytest_collection_modifyitems(config, items):
    """Leave out what belongs to the other database, and what can't run here."""
    other = "sqlite" if on_postgres() else "postgres"
    elsewhere = [item for item in items if item.get_closest_marker(other)]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if not item.get_closest_marker(other)]


def pytest_runtest_setup(item):
    """Skip a test that lacks something; in CI, fail it."""
    for marker, (present, reason) in NEEDS.items():
        if item.get_closest_marker(marker) and not present():
            if os.environ.get("CI"):
                pytest.fail(f"{reason}; in CI nothing is left out", pytrace=False)
            pytest.skip(reason)


def pytest_terminal_summary(terminalreporter):
    """Write what was skipped, and why, to the file that the suite prints last."""
    skipped = terminalreporter.stats.get("skipped", [])
    counted = Counter(_reason(report) for report in skipped)
    path = os.environ.get("AGENTEVAL_LEFT_OUT")
    if path and counted:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{n}\t{why}\n" for why, n in sorted(counted.items()))


def pytest_sessionfinish(session):
    """In CI a skipped test is a failure, whoever skipped it."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if os.environ.get("CI") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reason(report):
    told = report.longrepr
    text = told[2] if isinstance(told, (tuple, list)) else told
    return str(text).removeprefix("Skipped: ")


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the published traces; the test carries ``shared_data``."""
    return shared_folder() / "data"
