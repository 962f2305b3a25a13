import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from traces.importers import IMPORTERS

CHAT = {
    "messages": [
        {"role": "user", "content": "Where is order 12?"},
        {"role": "assistant", "content": "It left today."},
    ]
}


def send(client, *contents, **fields):
    files = [
        SimpleUploadedFile(f"file{number}.json", content)
        for number, content in enumerate(contents)
    ]
    url = reverse("upload", args=("shop",))
    headers = fields.pop("headers", None)
    return client.post(url, {"file": files, **fields}, headers=headers)


def test_files_are_taken_in(client_as, project):
    html = send(client_as("engineer"), json.dumps(CHAT).encode()).content.decode()
    assert "imported." in html
    assert project.traces.count() == 1


def test_the_same_file_again_changes_nothing(client_as, project):
    client = client_as("engineer")
    send(client, json.dumps(CHAT).encode())
    html = send(client, json.dumps(CHAT).encode()).content.decode()
    assert "was here already, unchanged" in html
    assert project.traces.count() == 1


def test_one_bad_file_costs_no_other(client_as, project):
    html = send(
        client_as("engineer"), b"\x00not a trace", json.dumps(CHAT).encode()
    ).content.decode()
    assert "refused" in html
    assert "file0.json" in html
    assert project.traces.count() == 1


@pytest.mark.parametrize("format_name", ["auto", "openai_chat", "nonsense"])
def test_formats_can_be_named(client_as, project, format_name):
    send(client_as("engineer"), json.dumps(CHAT).encode(), format=format_name)
    assert project.traces.count() == 1


def test_every_format_is_on_offer(client_as, project):
    html = client_as("engineer").get(reverse("upload", args=("shop",))).content.decode()
    for name, importer in IMPORTERS.items():
        assert f'value="{name}"' in html
        assert importer.LABEL


def test_files_beyond_the_limit_are_named(client_as, project, settings):
    settings.AGENTEVAL_MAX_BODY = 10
    html = send(client_as("engineer"), json.dumps(CHAT).encode()).content.decode()
    assert "larger than 10" in html
    assert project.traces.count() == 0


def test_scripts_get_the_result_alone(client_as, project):
    answer = send(
        client_as("engineer"),
        json.dumps(CHAT).encode(),
        headers={"X-Requested-With": "fetch"},
    )
    html = answer.content.decode()
    assert "<html" not in html
    assert "imported." in html


def test_names_of_files_are_text(client_as, project):
    file = SimpleUploadedFile("<img src=x>.json", b"nonsense")
    url = reverse("upload", args=("shop",))
    html = client_as("engineer").post(url, {"file": file}).content.decode()
    assert "<img" not in html
