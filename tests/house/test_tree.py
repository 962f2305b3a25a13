"""The shape of the code: what may import what, what may stand where."""

import re
import tomllib

import pytest
from django.core.management import call_command
from importlinter.cli import lint_imports

from tests.house.tree import APPS, ROOT, named, product, text_of, tracked
from traces.importers import IMPORTERS

TOP = {*APPS, "templates", "static", "tests", "docs", ".ci"}
TOP_FILES = {
    *("manage.py", "pyproject.toml", "requirements.lock", "Makefile", ".gitignore"),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
}
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}
LONGEST_FILE = 400
READS_AND_WRITES = {"views", "api", "consumers", "tasks", "receivers", "otlp_views"}
# Put together here so that this file is no finding of its own.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com")
PLACES = ("/work" + "/", "/root" + "/", "/opt/" + "pypi", "shared/" + "design")


def test_imports_keep_to_the_contracts(capsys):
    config = str(ROOT / "pyproject.toml")
    status = lint_imports(config, no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_the_contract_of_formats_names_every_format():
    contracts = tomllib.loads(text_of(ROOT / "pyproject.toml"))["tool"]["importlinter"]
    (own,) = [c for c in contracts["contracts"] if c["id"] == "importers-independent"]
    modules = {importer.__name__ for importer in IMPORTERS.values()}
    assert set(own["modules"]) == modules


def test_nothing_stands_at_the_top_that_is_not_known():
    parts = [path.relative_to(ROOT).parts for path in tracked()]
    assert {first for first, *rest in parts if rest} <= TOP
    assert {first for first, *rest in parts if not rest} <= TOP_FILES


def test_names_say_what_is_inside():
    names = {named(path) for path in product() if VAGUE & {path.stem, *path.parts}}
    assert names == set()


def test_files_stay_short():
    lines = {named(path): len(text_of(path).splitlines()) for path in product()}
    assert {name: n for name, n in lines.items() if n > LONGEST_FILE} == {}


def test_pages_and_tasks_leave_the_database_to_selectors_and_services():
    found = [
        named(path)
        for path in product()
        if READS_AND_WRITES & {path.stem, path.parent.name}
        and re.search(r"\.objects\b", text_of(path))
    ]
    assert found == []


@pytest.mark.parametrize("word", [*HOSTS, *PLACES])
def test_no_file_names_a_registry_or_a_place_on_one_machine(word):
    assert [named(path) for path in tracked() if word in text_of(path)] == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_the_lock_holds_hashes_and_both_parts():
    lock = text_of(ROOT / "requirements.lock")
    runtime, mark, development = lock.partition("# --- development ---\n")
    assert mark
    assert "django==5.2" in runtime
    assert "pytest==" in development
    for part in (runtime, development):
        pins = re.split(r"(?m)^(?=[a-z])", part)[1:]
        assert [pin for pin in pins if "--hash=sha256:" not in pin] == []
