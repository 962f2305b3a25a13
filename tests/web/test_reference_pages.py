from django.urls import reverse

from judging.domain.checks import CHECKS
from judging.services.defaults import shipped_taxonomy
from tests.traces.views.conftest import client_as, person, project  # noqa: F401


def test_the_taxonomy_is_shown_with_its_definitions(client_as, project):  # noqa: F811
    url = reverse("taxonomy", args=(project.slug,))
    html = client_as("viewer").get(url).content.decode()
    for category in shipped_taxonomy().categories:
        assert f'id="{category.id}"' in html
    assert "?q=root%3Aparameter-errors%2Ctype-mismatch%2Cvalue-error" in html


def test_every_check_is_shown_once(client_as, project):  # noqa: F811
    url = reverse("checks", args=(project.slug,))
    html = client_as("viewer").get(url).content.decode()
    for check in CHECKS:
        assert html.count(f'id="{check.id}"') == 1


def test_strangers_find_nothing(client_as, project):  # noqa: F811
    for name in ("taxonomy", "checks"):
        url = reverse(name, args=(project.slug,))
        assert client_as("").get(url).status_code == 404
