from django.urls import reverse

from tests.traces.views.conftest import NOW
from traces import intake_selectors
from traces.intake_selectors import rejects, sources
from traces.models import IngestReject


def refuse(project, code="bad_span_id", **columns):
    given = {
        "source": "otlp",
        "level": "span",
        "place": "spans[3]",
        "reason": "3 bytes",
    }
    return IngestReject.objects.create(
        project=project, at=NOW, code=code, **(given | columns)
    )


def page(client, query=""):
    return client.get(reverse("ingestion", args=("shop",)) + query).content.decode()


def test_what_was_refused_is_named(client_as, project):
    refuse(
        project, reason="The span id has 3 bytes; 8 are needed.", place="spans[3].id"
    )
    html = page(client_as("viewer"))
    assert "The span id has 3 bytes; 8 are needed." in html
    assert "spans[3].id" in html


def test_nothing_refused_says_so(client_as, project):
    assert "Nothing was refused." in page(client_as("viewer"))


def test_reasons_are_counted_and_filter(client_as, project):
    refuse(project, code="too_long", reason="cut")
    refuse(project)
    refuse(project)
    found = rejects(project, "too_long", 0)
    assert found.codes == (("bad_span_id", 2), ("too_long", 1))
    assert [row.reason for row in found.rows] == ["cut"]
    assert "3 bytes" not in page(client_as("viewer"), "?code=too_long")


def test_older_ones_are_one_click_away(project, monkeypatch):
    monkeypatch.setattr(intake_selectors, "PAGE", 2)
    made = [refuse(project).pk for _ in range(3)]
    first = rejects(project, "", 0)
    assert [row.pk for row in first.rows] == made[:0:-1]
    second = rejects(project, "", first.before)
    assert ([row.pk for row in second.rows], second.before) == ([made[0]], 0)


def test_any_address_gives_a_page(client_as, project):
    client = client_as("viewer")
    refuse(project)
    for query in ("?before=x", "?before=-1", "?before=" + "9" * 5_000, "?code=%00"):
        assert "What was refused" in page(client, query)


def test_sources_of_the_newest_traces(project, make_trace):
    make_trace(source="tau_bench")
    make_trace()
    make_trace()
    assert [(s.name, s.count) for s in sources(project)] == [
        ("otlp", 2),
        ("tau_bench", 1),
    ]


def test_pages_cost_the_same_with_many(client_as, project, django_assert_num_queries):
    client = client_as("viewer")
    for _ in range(30):
        refuse(project)
    with django_assert_num_queries(7):
        # session, user, project, codes, rows, sources, switcher
        page(client)
