import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.converters import SenderId

IDS = SenderId()


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        ("5b8efff798038103d269b633813fc60c", "5b8efff798038103d269b633813fc60c"),
        ("runs/12", "runs~2F12"),
        ("..", "~2E~2E"),
        ("a.b~c", "a.b~7Ec"),
        ("日本", "日本"),
    ],
)
def test_ids_stand_in_paths(sent, part):
    assert IDS.to_url(sent) == part
    assert IDS.to_python(part) == sent


@given(st.text("ab/.~2EF%日", min_size=1, max_size=8))
def test_every_id_comes_back(sent):
    part = IDS.to_url(sent)
    assert "/" not in part
    assert part not in {".", ".."}
    assert IDS.to_python(part) == sent
