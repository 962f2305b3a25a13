"""Text by strangers: kept exactly, shown as text, found by search, valid in JSON."""

import json

import pytest
from django.urls import reverse

from tests.cases.conftest import TRACE, agent, llm, request, span, tool
from traces.models import Trace

SCRIPT = "<script>alert(1)</script>"
HOSTILE = {
    "script": SCRIPT,
    "attribute": "\"' onmouseover=alert(1) x=",
    "template": "{{ 7|add:1 }}{% debug %}",
    "link": "[x](javascript:alert(1)) ![x](x onerror=alert(1))",
    "end of a data block": "</script><!--<script>alert(1)",
    "separators": "a\u2028b\u2029c\u0085d",
    "right to left": "\u202egnp.exe \u200b\ufeff",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f\x80",
    "halves": "\ud83d x \ude00",
    "NUL": "a\0b",
    "astral": "👩‍👩‍👧‍👦𝕏\U0010ffff",
    "combining": "e" + "\u0301" * 3_000,
}


def everywhere(text):
    """A run that says the text in every field that people see."""
    said = {
        "input__value": text,
        "session__id": text,
        "user__id": text,
        "metadata": json.dumps({text: text}),
        "tag__tags": {"arrayValue": {"values": [{"stringValue": text}]}},
    }
    names = {"name": text, "status": {"code": 2, "message": text}}
    failed = {"exception.type": text, "exception.message": text}
    event = {
        "name": "exception",
        "attributes": [
            {"key": k, "value": {"stringValue": v}} for k, v in failed.items()
        ],
    }
    return request(
        agent(1, lasts=90, fields=names, agent__name=text, **said),
        llm(2, 1, start=1, text=text, fields=names, llm__model_name=text, **said),
        tool(3, 1, start=30, result=text, fields=names | {"events": [event]})
        | {"traceState": text},
    )


@pytest.mark.parametrize("kind", HOSTILE)
def test_any_text_in_every_field_leaves_every_page_whole(take, opened, reader, kind):
    text = HOSTILE[kind]
    take(everywhere(text))
    graph = opened()
    for step in graph["steps"]:
        address = reverse("trace", args=["shop", TRACE])
        page = reader.get(address, {"step": step["id"]}).content.decode()
        assert "<script>alert" not in page
        assert "\"' onmouseover" not in page
        assert 'href="javascript:' not in page
    for name in ("overview", "traces", "review", "ingestion"):
        assert SCRIPT not in reader.get(reverse(name, args=["shop"])).content.decode()


def test_what_looks_like_markup_is_kept_to_the_letter(take, opened, reader):
    text = "write &lt;b&gt; &amp;amp; <b>, not &#x3C;"
    take(request(llm(1, text=text)))
    (step,) = opened()["steps"]
    found = reader.get(reverse("api-step", args=[step["id"]]), {"project": "shop"})
    assert text in json.dumps(found.json())
    page = reader.get(reverse("trace", args=["shop", TRACE]), {"step": step["id"]})
    assert "write &amp;lt;b&amp;gt; &amp;amp;amp; &lt;b&gt;" in page.content.decode()


@pytest.mark.parametrize("words", ["請求書", "größe", "счёт"])
def test_escaped_words_are_read_and_found(take, opened, reader, words):
    body = json.dumps(request(agent(1, input__value=json.dumps({"q": words}))))
    take(body)
    take(request(tool(2, 1, start=1, result=f"see {words} now")))
    step = opened()["steps"][0]
    listed = reader.get(reverse("traces", args=["shop"]), {"q": words}).content.decode()
    assert TRACE in listed
    page = reader.get(reverse("trace", args=["shop", TRACE]), {"step": step["id"]})
    assert words in page.content.decode()
    assert "\\u" + f"{ord(words[0]):04x}" not in page.content.decode()


@pytest.mark.parametrize("text", ["> " * 5_000 + "word", "- " * 5_000, "[" * 9_000,
    "*_" * 9_000, "`" * 9_001, "<div>" * 5_000, "|a" * 5_000 + "\n" + "|-" * 5_000])  # fmt: skip
def test_markdown_without_bottom_opens(take, opened, reader, text):
    take(request(llm(1, text=text, input__value=text)))
    step = opened()["steps"][-1]
    page = reader.get(reverse("trace", args=["shop", TRACE]), {"step": step["id"]})
    assert page.status_code == 200


@pytest.mark.parametrize("depth", [60, 250, 15_000])
def test_json_within_text_of_any_depth_opens(take, opened, depth):
    deep = '{"a":' * depth + "1" + "}" * depth
    take(request(tool(1, input__value=deep, result="[" * depth + "]" * depth)))
    assert len(opened()["steps"]) == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_lacks_are_kept_and_cost_nothing(take, opened, number):
    body = json.dumps(request(tool(1, rating=1.5), tool(2, start=20)))
    decoded = take(body.replace("1.5", number))
    assert len(decoded.spans) == 2
    assert len(opened()["steps"]) == 2


@pytest.mark.parametrize("field", ["name", "tool", "tag", "session"])
def test_a_name_longer_than_any_index_is_cut_in_the_list_only(take, opened, field):
    long = "ä" * 10_000
    said = {"tool__name": long} if field == "tool" else {}
    said |= {"session__id": long} if field == "session" else {}
    tags = {"arrayValue": {"values": [{"stringValue": long}]}}
    said |= {"tag__tags": tags} if field == "tag" else {}
    name = long if field == "name" else "run"
    take(request(tool(1, fields={"name": name}, **said)))
    opened()
    trace = Trace.objects.get()
    assert len(trace.name) <= 200
    assert all(len(tag) <= 100 for tag in (*trace.tags, *trace.tools))


def test_empty_names_and_values_have_pages_too(take, opened):
    empty = [{"key": "", "value": {}}, {"key": "a", "value": {}}, {}]
    made = span(1, fields={"name": "", "attributes": empty, "kind": None})
    decoded = take(request(made))
    assert decoded.rejects
    graph = opened()
    assert len(graph["steps"]) + len(graph["groups"]) == 1
