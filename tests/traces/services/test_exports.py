"""What goes out comes in again, and goes out the same."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.traces.importers.golden import fixtures, label
from traces.models import Project, Trace
from traces.services.imports import import_file

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def project_with(slug, *paths):
    project = Project.objects.create(slug=slug, name=slug, created_at=NOW)
    for path in paths:
        with Path(path).open("rb") as stream:
            import_file(
                project=project, stream=stream, name=path.name, format="auto", now=NOW
            )
    return project


def exported(slug, path, format="agenteval"):
    said = io.StringIO()
    call_command(
        "export_traces",
        project=slug,
        format=format,
        output=str(path),
        stderr=said,
    )
    count = Trace.objects.filter(project__slug=slug).count()
    assert said.getvalue() == f"Exported {count} traces.\n"
    return path.read_bytes()


@pytest.mark.parametrize("path", fixtures(), ids=label)
def test_export_import_export_is_the_same_file(tmp_path, path):
    project_with("first", path)
    out = tmp_path / "first.jsonl"
    data = exported("first", out)
    project_with("second", out)
    assert exported("second", tmp_path / "second.jsonl") == data
    assert data or not Trace.objects.exists()


@pytest.mark.parametrize("format", ["otlp", "openinference"])
def test_what_leaves_in_other_formats_is_read_by_their_importers(tmp_path, format):
    project_with("first", *fixtures("otlp", "tau_bench", "langfuse"))
    out = tmp_path / "first.jsonl"
    exported("first", out, format)
    project_with("second", out)
    counts = {
        slug: sorted(
            Trace.objects.filter(project__slug=slug).values_list(
                "span_count", flat=True
            )
        )
        for slug in ("first", "second")
    }
    assert counts["first"] == counts["second"] != []
    assert set(
        Trace.objects.filter(project__slug="second").values_list("source", flat=True)
    ) == {format}


def test_it_goes_to_standard_output(capfdbinary):
    project_with("first", *fixtures("agenteval"))
    call_command("export_traces", project="first", stderr=io.StringIO())
    first = capfdbinary.readouterr().out.splitlines()[0]
    assert json.loads(first)["agenteval"] == 1


def test_a_project_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="no project 'nowhere'"):
        call_command("export_traces", project="nowhere")


def test_a_file_that_can_not_be_written_is_named(tmp_path):
    project_with("first")
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("export_traces", project="first", output=str(tmp_path / "a/b"))
