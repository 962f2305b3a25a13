"""Too much of everything: refused by name or cut with a mark, never in silence."""

import gzip
import io
import json
import tarfile
import zipfile

import pytest
from django.urls import reverse

from tests.cases.conftest import TRACE, agent, llm, request, span, tool
from tests.cases.test_formats import imported
from traces.importers import otlp
from traces.models import Project, Span, Trace
from traces.services.bodies import TooLargeError, decompress

MIB = 1024**2


def test_a_field_of_two_megabytes_is_cut_with_a_mark_in_valid_json(
    take, opened, reader, settings
):
    settings.AGENTEVAL_MAX_ATTRIBUTE = 20_000
    take(request(llm(1, input__value=json.dumps({"q": "long " * 400_000}))))
    step = opened()["steps"][-1]
    asked = reader.get(reverse("api-step", args=[step["id"]]), {"project": "shop"})
    content = asked.content.decode()
    assert len(content) < 100_000
    assert "cut" in content


def test_thousands_of_events_attributes_and_links_in_a_span_open(take, opened):
    said = {f"k{n}": "v" for n in range(5_000)}
    events = [{"name": f"e{n}", "timeUnixNano": "1"} for n in range(6_700)]
    take(request(tool(1, links=range(2, 2_000), fields={"events": events}, **said)))
    assert len(opened()["steps"]) == 1


def test_the_list_reads_previews_not_contents(take, opened, reader):
    long = "word " * 40_000
    take(request(llm(1, text=long, input__value=long)))
    opened()
    page = reader.get(reverse("traces", args=["shop"])).content
    assert len(page) < 200_000
    assert len(Trace.objects.get().preview) <= 300


def test_a_chain_of_containers_deeper_than_any_stack_opens(take, opened):
    deep = 1_500
    chain = [agent(n, n - 1, start=n, lasts=9_000) for n in range(1, deep)]
    take(request(*chain, tool(deep, deep - 1, start=deep)))
    assert len(opened()["steps"]) == 1


def test_a_wide_fan_of_one_parent_opens(take, opened):
    take(request(agent(1, lasts=9_000), *(tool(n, 1, start=n) for n in range(2, 120))))
    assert len(opened()["steps"]) == 118


def test_indexed_keys_of_any_number_make_no_lists_of_that_length(take, opened):
    keys = [f"llm.input_messages.{n}.message.content" for n in (0, 10**9, 10**30, -1)]
    take(request(llm(1, **dict.fromkeys(keys, "hello"))))
    assert opened()["steps"]


def test_one_request_of_too_many_spans_names_the_limit():
    body = json.dumps(request(*(span(n) for n in range(1, 12)))).encode()
    decoded = otlp.decode_json(body, otlp.Bounds(spans=10))
    assert len(decoded.spans) == 10
    assert any("10" in reject.reason for reject in decoded.rejects)


def test_a_bomb_is_stopped_where_the_limit_is():
    with pytest.raises(TooLargeError):
        decompress(gzip.compress(bytes(64 * MIB)), "gzip", MIB)


def zipped(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


def tarred(files):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()


GOOD = json.dumps(request(agent(1), tool(2, 1))).encode()


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("name", ["../../../up.json", "/abs.json", "a/../../b.json", "c:\\d.json"])  # fmt: skip
def test_no_name_in_an_archive_leads_out_of_it(project, pack, name, tmp_path):
    report = imported(project, pack([(name, GOOD)]), name="a")
    assert report.imported == 1
    assert Trace.objects.get().trace_id == TRACE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_of_an_archive_with_a_bad_file_the_good_one_is_taken(project, pack):
    files = [("a.json", b"{" * 9_000), ("b.json", GOOD), ("c.bin", bytes(MIB))]
    report = imported(project, pack(files), name="a")
    assert (report.imported, Span.objects.count()) == (1, 2)


def test_archives_in_archives_in_archives_end(project):
    packed = GOOD
    for _level in range(8):
        packed = zipped([("in.zip", packed)])
    report = imported(project, packed, name="a.zip")
    assert report.imported == 0
    assert "archives inside each other" in report.rejects[0].reason


def test_a_file_over_the_limit_is_refused_by_its_page(reader, project, settings):
    settings.AGENTEVAL_MAX_BODY = 1_000
    file = io.BytesIO(b"x" * 2_000)
    file.name = "long.json"
    page = reader.post(reverse("upload", args=["shop"]), {"file": file})
    assert "larger than" in page.content.decode()
    assert Project.objects.get().trace_count == 0
