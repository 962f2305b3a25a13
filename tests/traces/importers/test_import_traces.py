import io
import json
import zipfile
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.traces.importers.golden import FIXTURES
from traces.models import Trace
from traces.services.projects import create_project

pytestmark = pytest.mark.django_db

GOOD = FIXTURES / "who_and_when" / "orchestrated.json"
MIXED = FIXTURES / "openai_chat" / "conversations.jsonl"


@pytest.fixture
def project():
    return create_project(
        name="Harbour", slug="harbour", actor=None, now=timezone.now()
    )


def run(*args, fails=False):
    out = io.StringIO()
    command = ("import_traces", *map(str, args), "--project", "harbour")
    if fails:
        with pytest.raises(CommandError) as error:
            call_command(*command, stdout=out, stderr=io.StringIO())
        return out.getvalue(), str(error.value)
    call_command(*command, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_it_imports_once(project):
    assert run(GOOD) == "orchestrated.json: 1 imported, 0 unchanged, 0 rejected\n"
    assert run(GOOD) == "orchestrated.json: 0 imported, 1 unchanged, 0 rejected\n"
    trace = Trace.objects.get(project=project)
    assert (trace.source, trace.span_count) == ("who_and_when", 10)


def test_it_names_what_was_rejected(project):
    said, error = run(MIXED, fails=True)
    assert error == "2 rejected."
    assert "conversations.jsonl: 2 imported, 0 unchanged, 2 rejected" in said
    assert "conversations.jsonl: line 2, column 46, byte 175: not valid JSON" in said


def test_json_has_counts_and_places(project):
    said, _ = run(MIXED, "--json", fails=True)
    found = json.loads(said)
    assert (found["imported"], found["rejected"], found["changed"]) == (2, 2, 0)
    assert found["files"][0]["rejects"][1]["code"] == "no_messages"


def test_a_folder_may_hold_other_files(project, tmp_path):
    (tmp_path / "notes.md").write_text("# Notes")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "run.json").write_bytes(GOOD.read_bytes())
    assert "2 files: 1 imported, 0 unchanged, 0 rejected, 1 skipped" in run(tmp_path)


def test_an_archive_may_hold_other_files(project, tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.md", "# Notes")
        archive.write(GOOD, "run.json")
    assert "all.zip: 1 imported, 0 unchanged, 0 rejected, 1 skipped" in run(path)


def test_a_file_that_is_no_trace_is_rejected_when_it_is_named(project, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("# Notes")
    said, error = run(path, fails=True)
    assert error == "1 rejected."
    assert "notes.md: neither JSON nor another format that is known." in said


def test_changed_text_is_no_rejection(project, tmp_path):
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "a\\u0000b"}]')
    assert "1 imported, 0 unchanged, 0 rejected, 1 changed" in run(path)


def test_it_reads_standard_input(project, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(GOOD.read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run("-") == "standard input: 1 imported, 0 unchanged, 0 rejected\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["no/such/file"], "There is no file or folder 'no/such/file'."),
        ([GOOD, "--format", "morse"], "invalid choice: 'morse'"),
    ],
)
def test_bad_input_is_one_clear_line(project, args, words):
    assert words in run(*args, fails=True)[1]


def test_an_unknown_project_is_named():
    assert run(GOOD, fails=True)[1] == "There is no project 'harbour'."
