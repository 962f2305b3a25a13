from traces.domain.query import parse
from traces.list_page import (
    COLUMNS,
    SHOWN,
    State,
    chips,
    completions,
    facets,
    headings,
    orders,
    read_state,
)
from traces.listing_selectors import Matches

FACETS = dict.fromkeys(
    (
        *("root", "workflow", "agent", "structure", "conformance"),
        *("tool", "tag", "model", "outcome"),
    ),
    (),
)


def matches(**values):
    return Matches(3, False, 1, 3, FACETS | values)


def test_what_goes_without_saying_is_not_in_the_address():
    assert State().url == "."
    assert read_state({}) == State()


def test_the_address_holds_everything():
    params = {"q": "failed:yes", "sort": "worst", "columns": "root,cost", "from": "abc"}
    state = read_state(params)
    assert state.url == "?q=failed%3Ayes&sort=worst&columns=root%2Ccost&from=abc"
    assert state.columns == ("root", "cost")


def test_nonsense_is_as_if_it_were_not_there():
    assert read_state({"sort": "evil", "columns": "evil"}).url == "?columns=-"
    assert read_state({"q": "score:abc"}).query.problems


def test_columns_come_from_the_chooser_in_the_order_of_the_table():
    assert read_state({"choose": "1"}, ["cost", "root"]).columns == ("root", "cost")


def test_no_column_at_all_can_be_chosen():
    state = read_state({"columns": "-"})
    assert state.columns == ()
    assert read_state({"columns": state.url.split("=")[1]}) == state


def test_a_time_filter_is_listed_by_start():
    assert read_state({"q": "after:7d"}).sort_name == "started"
    assert read_state({"q": "after:7d", "sort": "worst"}).sort_name == "worst"


def test_chips_lead_to_the_list_without_them():
    state = read_state({"q": "failed:yes refund", "sort": "worst", "from": "abc"})
    assert [(chip.text, chip.without) for chip in chips(state)] == [
        ("failed:yes", "?q=refund&sort=worst"),
        ("refund", "?q=failed%3Ayes&sort=worst"),
    ]


def test_menus_offer_values_and_mark_those_in_force():
    state = State(parse("workflow:a"))
    (menu,) = facets(state, matches(workflow=(("a", 2), ("b c", 1))))
    assert [(choice.url, choice.on) for choice in menu.choices] == [
        (".", True),
        ("?q=workflow%3Aa+workflow%3A%22b+c%22", False),
    ]


def test_headings_sort_where_an_index_can():
    by_label = {heading.label: heading.url for heading in headings(State())}
    assert by_label["Failed steps"] == "?sort=failed"
    assert by_label["Duration"] == "?sort=longest"
    assert by_label["Structure"] == ""
    assert len(by_label) == len(SHOWN)


def test_orders_mark_the_one_in_force():
    assert [order.label for order in orders(State()) if order.on] == ["Newest received"]


def test_completions_prefer_values_that_are_there():
    offered = {
        each["name"]: each["values"] for each in completions(matches(tag=(("x", 1),)))
    }
    assert offered["tag"] == ["x"]
    assert "flat" in offered["structure"]
    assert "score" in offered


def test_every_column_is_drawn(settings):
    cells = (settings.BASE_DIR / "templates/traces/_cells.html").read_text()
    at = [cells.index(f"if show.{name} %") for name in COLUMNS]
    assert at == sorted(at)
