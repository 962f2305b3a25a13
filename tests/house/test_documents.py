"""The documents say what is true: links, variables, checks and packages."""

import re
import tomllib

import pytest
from django.core.management import call_command
from markdown_it import MarkdownIt

from tests.house.tree import ROOT, named, product, text_of, tracked

DOCUMENTS = [path for path in tracked() if path.suffix == ".md"]
READERS = "text|flag|integer|number|size|choice|listed"


def links(source):
    """Targets of all links and pictures."""
    waiting = MarkdownIt("commonmark").enable("table").parse(source)
    while waiting:
        token = waiting.pop()
        waiting.extend(token.children or ())
        target = token.attrGet("href") or token.attrGet("src")
        if target:
            yield str(target)


def anchors(source):
    """Fragments that lead to the headings, as code hosts make them."""
    for heading in re.findall(r"(?m)^#+ (.*)$", source):
        yield re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-")


def missing_target(document, link):
    """Whether a link leads nowhere in the repository; those outside are believed."""
    if re.match(r"[a-z]+:", link):
        return False
    path, _, fragment = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.exists():
        return True
    return bool(fragment) and fragment not in anchors(target.read_text("utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document):
    found = links(document.read_text("utf-8"))
    assert [link for link in found if missing_target(document, link)] == []


def table_names(document, heading):
    """First cells in backquotes, from a heading to the next of its level."""
    source = (ROOT / "docs" / document).read_text("utf-8")
    level = heading.partition(" ")[0]
    part = re.split(rf"(?m)^{level} ", source.partition(f"\n{heading}\n")[2])[0]
    cells = re.findall(r"(?m)^\| (`.*?) \|", part)
    return [name for cell in cells for name in re.findall(r"`(.+?)`", cell)]


def test_every_variable_is_documented():
    sources = [path for path in product() if named(path).startswith("agenteval_web/")]
    calls = rf'env\.(?:{READERS})\(\s*"([A-Z_]+)"'
    read = {name for path in sources for name in re.findall(calls, text_of(path))}
    documented = table_names("operating.md", "## Configuration")
    assert {name for name in documented if name.isupper()} == read


def test_every_check_is_documented():
    source = text_of(ROOT / "agenteval_web" / "checks.py")
    numbers = set(re.findall(r'"(agenteval\.[EW]\d+)"', source))
    documented = table_names("operating.md", "## Configuration")
    assert {name for name in documented if name.startswith("agenteval.")} == numbers


@pytest.mark.parametrize(
    ("heading", "where"),
    [
        ("## At run time", ("project", "dependencies")),
        ("## For development", ("dependency-groups", "dev")),
    ],
)
def test_every_package_is_documented(heading, where):
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for key in where:
        wanted = wanted[key]
    names = {re.split(r"[\[<>=]", name)[0] for name in wanted}
    assert set(table_names("dependencies.md", heading)) == names


COMMANDS = [
    path
    for path in product()
    if path.parent.name == "commands" and path.stem != "__init__"
]


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_every_command_is_documented_and_shows_an_example(path):
    assert f"python manage.py {path.stem}" in text_of(path)
    assert any(f"manage.py {path.stem}" in text_of(document) for document in DOCUMENTS)


def test_the_api_is_what_its_description_says(capsys):
    call_command("spectacular", "--validate", "--fail-on-warn")
    described = (ROOT / "docs" / "openapi.yaml").read_text("utf-8")
    assert capsys.readouterr().out == described, "meant? then: make openapi"
