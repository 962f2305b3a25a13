"""Variables are read by type; a bad one names itself and stops nothing by itself."""

import pytest

from agenteval_web import env


@pytest.fixture
def problems(monkeypatch):
    found = []
    monkeypatch.setattr(env, "problems", found)
    return found


@pytest.mark.parametrize(
    ("value", "read"),
    [("64M", 64 * 1024**2), ("1g", 1024**3), ("2KiB", 2048), ("17", 17), ("", 5)],
)
def test_sizes_have_units(monkeypatch, problems, value, read):
    monkeypatch.setenv("LIMIT", value)
    assert (env.size("LIMIT", 5), problems) == (read, [])


@pytest.mark.parametrize("value", ["M", "0", "-1", "1.5M", "many", "5T"])
def test_a_size_that_is_none_is_a_problem(monkeypatch, problems, value):
    monkeypatch.setenv("LIMIT", value)
    assert env.size("LIMIT", 5) == 5
    assert problems == [f"LIMIT: {value!r} is not a size such as 64M"]


@pytest.mark.parametrize(
    ("value", "read"), [("1", True), ("Yes", True), ("off", False), ("", True)]
)
def test_switches(monkeypatch, problems, value, read):
    monkeypatch.setenv("SWITCH", value)
    assert (env.flag("SWITCH", default=True), problems) == (read, [])


def test_a_switch_that_is_neither_is_a_problem(monkeypatch, problems):
    monkeypatch.setenv("SWITCH", "maybe")
    assert env.flag("SWITCH", default=True) is True
    assert problems == ["SWITCH: 'maybe' is neither yes nor no"]


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "0", "٣"])
def test_whole_numbers_have_a_lowest(monkeypatch, problems, value):
    monkeypatch.setenv("COUNT", value)
    assert env.integer("COUNT", 7, lowest=1) == 7
    assert problems == [f"COUNT: {value!r} is not a whole number of at least 1"]


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "soon"])
def test_seconds_are_finite(monkeypatch, problems, value):
    monkeypatch.setenv("DELAY", value)
    assert env.number("DELAY", 1.0) == 1.0
    assert problems == [f"DELAY: {value!r} is not a number of at least 0"]


def test_one_of_the_known_words(monkeypatch, problems):
    monkeypatch.setenv("LEVEL", "info")
    assert env.choice("LEVEL", ("WARNING", "INFO")) == "INFO"
    monkeypatch.setenv("LEVEL", "loud")
    assert env.choice("LEVEL", ("WARNING", "INFO")) == "WARNING"
    assert problems == ["LEVEL: 'loud' is none of WARNING, INFO"]


def test_lists_are_cut_at_commas(monkeypatch):
    monkeypatch.setenv("HOSTS", " a.example , ,b.example")
    assert env.listed("HOSTS") == ["a.example", "b.example"]


def test_a_secret_may_stand_in_a_file(monkeypatch, problems, tmp_path):
    (tmp_path / "key").write_text("secret\n")
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "key"))
    assert env.text("KEY") == "secret"
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "gone"))
    assert env.text("KEY", "default") == "default"
    assert problems == [f"KEY_FILE: No such file or directory: {tmp_path / 'gone'}"]


def test_empty_is_unset(monkeypatch):
    monkeypatch.setenv("AGENTEVAL_HOME", "")
    assert env.text("AGENTEVAL_HOME", "here") == "here"
