import json

from django.urls import reverse

from traces.list_page import COLUMNS
from traces.listing_selectors import newest_place


def page(client, query="", name="traces"):
    return client.get(reverse(name, args=("shop",)) + query)


def test_rows_link_to_their_traces(client_as, make_trace):
    trace = make_trace(name="Refund", preview="I want my money")
    html = page(client_as("viewer")).content.decode()
    assert f'href="/p/shop/traces/{trace.trace_id}/"' in html
    assert "I want my money" in html


def test_every_column_can_be_shown(client_as, make_trace):
    make_trace(tags=["a"], tools=["b"], cost_usd=0.1, input_tokens=5, outcome="passed")
    columns = ",".join(COLUMNS)
    html = page(client_as("viewer"), f"?columns={columns}").content.decode()
    assert html.count('<th scope="col"') == len(COLUMNS) + 2
    assert html.count("<td") == len(COLUMNS) + 2


def test_choosing_columns_gives_a_clean_address(client_as, project):
    answer = page(client_as("viewer"), "?choose=1&column=root&column=cost&q=failed:yes")
    assert answer.headers["Location"] == "?q=failed%3Ayes&columns=root%2Ccost"


def test_chosen_columns_are_remembered(client_as, make_trace):
    make_trace()
    client = client_as("viewer")
    page(client, "?choose=1&column=cost")
    html = page(client).content.decode()
    assert html.count('<th scope="col"') == 3
    page(client, "?choose=1")
    assert page(client).content.decode().count('<th scope="col"') == 2
    assert page(client, "?columns=root").content.decode().count("<th scope") == 3


def test_payloads_and_search_text_are_never_read(
    client_as, make_trace, django_assert_max_num_queries
):
    make_trace()
    client = client_as("viewer")
    with django_assert_max_num_queries(20) as asked:
        page(client)
    sql = " ".join(query["sql"] for query in asked.captured_queries)
    assert "payload" not in sql
    assert '"search"' not in sql
    assert '"attributes"' not in sql


def test_many_traces_cost_as_many_queries_as_one(
    client_as, make_trace, django_assert_num_queries
):
    client = client_as("viewer")
    for _ in range(60):
        make_trace(failed_count=1, root_category="timeout")
    with django_assert_num_queries(10):
        # session, user, blind?, project, role, page, counts, newest, views, switcher
        page(client)
    with django_assert_num_queries(12):
        # and twice where the search may stop
        page(client, "?q=failed:yes")


def test_problems_of_a_query_are_told(client_as, make_trace):
    make_trace()
    html = page(client_as("viewer"), "?q=score:abc").content.decode()
    assert "score needs a number, not “abc”" in html


def test_hostile_names_are_text(client_as, make_trace):
    make_trace(name="<script>alert(1)</script>", preview="</script><b>")
    html = page(client_as("viewer")).content.decode()
    assert "<script>alert(1)" not in html
    assert "</script><b>" not in html


def test_completions_are_data_not_code(client_as, make_trace):
    make_trace(workflow="</script><script>alert(1)</script>")
    html = page(client_as("viewer")).content.decode()
    assert "<script>alert" not in html


def test_an_empty_project_teaches(client_as, project):
    html = page(client_as("admin")).content.decode()
    assert "Send the first trace" in html
    assert "http://testserver/v1/traces" in html


def test_nothing_found_says_what_to_do(client_as, make_trace):
    make_trace()
    html = page(client_as("viewer"), "?q=nowhere").content.decode()
    assert "No trace matches" in html
    assert "clear all of them" in html


def test_new_traces_are_counted(client_as, project, make_trace):
    make_trace()
    since = newest_place(project).code()
    make_trace()
    answer = page(client_as("viewer"), f"?since={since}", "traces-newer")
    assert json.loads(answer.content) == {"new": 1, "most": 50, "traces": 2}


def test_deleting_asks_first_and_then_deletes(client_as, project, make_trace):
    client, trace, kept = client_as("admin"), make_trace(), make_trace()
    url = reverse("traces-delete", args=("shop",))
    asked = client.post(url, {"trace": trace.pk})
    assert "Delete 1 trace?" in asked.content.decode()
    wrong = client.post(url, {"trace": trace.pk, "confirm": "Shop"})
    assert "Nothing was deleted" in wrong.content.decode()
    client.post(url, {"trace": trace.pk, "confirm": "shop"})
    assert list(project.traces.values_list("pk", flat=True)) == [kept.pk]


def test_deleting_nothing_changes_nothing(client_as, project, make_trace):
    make_trace()
    url = reverse("traces-delete", args=("shop",))
    client_as("admin").post(url, {"trace": ["x", "-1", "9" * 30], "confirm": "shop"})
    assert project.traces.count() == 1


def test_any_address_gives_a_page(client_as, make_trace):
    make_trace()
    client = client_as("viewer")
    for query in (
        "?from=%00",
        "?q=%00",
        "?q=after:99999w",
        "?sort=x",
        "?q=id:%ff*",
        "?q=agent:%00",
    ):
        assert page(client, query).status_code == 200, query


def test_review_says_why_a_trace_is_there(client_as, make_trace):
    make_trace(structure="flat")
    make_trace(digest_state="failed", digest_error="RecursionError: too deep")
    html = page(client_as("viewer"), name="review").content.decode()
    assert "RecursionError: too deep" in html
    assert "No graph could be found" in html


def test_review_can_be_empty(client_as, make_trace):
    make_trace()
    html = page(client_as("viewer"), name="review").content.decode()
    assert "Nothing to review" in html
