"""Every address by every role in every project, read from the list of addresses.

An address that has no rule here fails: who may open it has to be said.
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from judging.services.digesting import digest_trace
from tests.traces.graph.spans import tool
from traces.domain.records import TraceRecord
from traces.models import ApiToken, Membership, Project, SavedView, Step, Trace
from traces.services.imports import store_trace_record
from traces.services.tokens import issue_token

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ROLES = (*Membership.Role.values, "root")
TOKENS = tuple(f"token:{scope}" for scope in ApiToken.Scope.values)
STRANGERS = ("nobody", "stranger", "token:foreign")
READERS = {*ROLES, "token:read", "token:gate", "token:admin"}
ADDERS = {"engineer", "admin", "root"}
MANAGERS = {"admin", "root"}
CAMPAIGNERS = {"engineer", "steward", "admin", "root"}
THINGS = {"trace_id", "key", "token", "view"}
"""What addresses name inside a project."""
SECRET = "Refund-of-a-secret-order"


class Rule(NamedTuple):
    """Who may read and who may write at an address.

    Attributes:
        get, post: Roles that may; None where the method isn't answered.
        otherwise: What members meet who may not.
    """

    get: set[str] | None = None
    post: set[str] | None = None
    otherwise: str = "refused"


PUBLIC = {
    "healthz",
    "readyz",
    "metrics",
    "sign-in",
    "sign-in-link",
    "preferences",
    "docs",
    "otlp",
    "otlp-langfuse",
    "api-schema",
}
"""Open to all: what operators ask, the front door, the API's description, and
OTLP, which answers to tokens alone (tests/traces/api/test_otlp.py)."""

SIGNED_IN = {"home", "projects", "sign-out"}
"""For whoever is signed in; lists hold one's own only."""

PAGES = {
    "overview": Rule({*ROLES}),
    "traces": Rule({*ROLES}),
    "traces-newer": Rule({*ROLES}),
    "campaigns": Rule({*ROLES}),
    "campaign-new": Rule(CAMPAIGNERS, CAMPAIGNERS),
    "look": Rule(None, {*ROLES}),
    "traces-delete": Rule(None, MANAGERS),
    "view-save": Rule(None, {*ROLES}),
    "view-delete": Rule(None, {"root"}, "hidden"),  # whose view it is
    "upload": Rule(ADDERS, ADDERS),
    "review": Rule({*ROLES}),
    "settings": Rule({*ROLES}, MANAGERS),
    "tokens": Rule({*ROLES}, MANAGERS),
    "token-revoke": Rule(None, MANAGERS),
    "ingestion": Rule({*ROLES}),
    "taxonomy": Rule({*ROLES}),
    "checks": Rule({*ROLES}),
    "trace": Rule({*ROLES}),
    "trace-step": Rule({*ROLES}),
    "trace-diagnosis": Rule({*ROLES}),
    "trace-outline": Rule({*ROLES}),
    "trace-drawing": Rule({*ROLES}),
    "trace-svg": Rule({*ROLES}),
}
API = {
    "api-project-stats": Rule({*ROLES, *TOKENS}),
    "api-traces": Rule(READERS),
    "api-trace": Rule(READERS),
    "api-traces-import": Rule(None, {*ADDERS, "token:ingest", "token:admin"}),
    "api-trace-graph": Rule(READERS),
    "api-step": Rule(READERS),
}
LABELLING = {
    *("api-campaigns", "api-campaign", "api-campaign-next", "api-assignment"),
    *("api-draft", "api-renew", "api-release", "api-submit", "api-skip"),
    *("campaign", "campaign-turn", "campaign-join", "campaign-leave"),
    *("label-next", "label-nothing", "label"),
}
"""Seen by a campaign's raters and managers; held by tests/annotation."""


def addresses(resolver=None):
    """Name by address, of all there are."""
    for entry in (resolver or get_resolver()).url_patterns:
        if hasattr(entry, "url_patterns"):
            yield from addresses(entry)
        else:
            yield entry.name


NAMES = list(addresses())


def test_every_address_has_one_rule():
    ruled = [*PUBLIC, *SIGNED_IN, *PAGES, *API, *LABELLING]
    assert None not in NAMES, "an address without a name"
    assert sorted(NAMES) == sorted(ruled)


def parameters(name):
    """What an address names."""
    ((possibilities, *_rest),) = get_resolver().reverse_dict.getlist(name)
    return possibilities[0][1]


class World:
    """Two projects with the same inside, and people who belong to the first."""

    def __init__(self):
        self.clients, self.tokens = {}, {}
        self.ours, self.theirs = self.project("shop"), self.project("bank")
        for role in (*ROLES, "stranger"):
            self.clients[role] = self.client(role)
        for scope in ApiToken.Scope.values:
            self.tokens[f"token:{scope}"] = self.token(self.ours, scope)
        self.tokens["token:foreign"] = self.token(self.theirs, "admin")
        self.inside = {p.slug: self.things(p) for p in (self.ours, self.theirs)}

    def project(self, slug):
        return Project.objects.create(slug=slug, name=slug, created_at=NOW)

    def client(self, role):
        user = User.objects.create_user(role)
        if role == "root":
            User.objects.filter(pk=user.pk).update(is_superuser=True)
        elif role != "stranger":
            Membership.objects.create(
                project=self.ours, user=user, role=role, created_at=NOW
            )
        client = Client(raise_request_exception=True)
        client.force_login(User.objects.get(pk=user.pk))
        return client

    @staticmethod
    def token(project, scope):
        made = issue_token(
            project=project, name="t", scope=scope, actor=None, now=timezone.now()
        )
        return made[1]

    @staticmethod
    def things(project):
        """What addresses name, of one project."""
        span = tool("a", 1, 2, run="find", result="Error: no")
        span = replace(span, trace_id=project.slug)
        record = TraceRecord(project.slug, (span,), attributes={"name": SECRET})
        store_trace_record(project=project, record=record, source="test", now=NOW)
        trace = Trace.objects.get(project=project)
        digest_trace(trace=trace, now=NOW)
        World.token(project, "read")
        spare = project.tokens.order_by("-pk").first()
        root = User.objects.get(username="root")
        view = SavedView.objects.create(
            project=project, user=root, name="v", created_at=NOW
        )
        return {
            "project": project.slug,
            "slug": project.slug,
            "trace_id": trace.trace_id,
            "key": Step.objects.filter(trace=trace).first().key,
            "token": spare.pk,
            "view": view.pk,
        }

    def ask(self, who, method, url):
        client, headers = self.clients.get(who) or Client(), {}
        if who in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        return getattr(client, method)(url, headers=headers)

    def url(self, name, slug, **other):
        """An address with the things of a project, or some of another's."""
        given = self.inside[slug] | other
        return reverse(name, kwargs={key: given[key] for key in parameters(name)})


@pytest.fixture
def world(db):
    return World()


def verdict(answer):
    """What an answer comes to: done, refused, hidden, asked to sign in."""
    if answer.status_code == 302 and "/sign-in/" in answer.headers["Location"]:
        return "sign in"
    names = {401: "sign in", 403: "refused", 404: "hidden", 405: "no such method"}
    return names.get(answer.status_code, "done")


def expected(who, rule, method, *, api):
    """What somebody should meet at an address of a project they are not in."""
    allowed = getattr(rule, method)
    refusal = "hidden" if who in STRANGERS else rule.otherwise
    if who == "nobody" or (not api and who.startswith("token")):
        refusal = "sign in"
    if allowed is None:
        return {"no such method"} if who in ROLES else {"no such method", refusal}
    return {"done"} if who in allowed else {refusal}


EVERYBODY = (*ROLES, *TOKENS, *STRANGERS)


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_may_do_what_in_their_project(world, method):
    wrong = {}
    for name, rule in (PAGES | API).items():
        url, api = world.url(name, "shop"), name in API
        url += "?project=shop" if api else ""
        for who in EVERYBODY:
            answer = world.ask(who, method, url)
            if verdict(answer) not in expected(who, rule, method, api=api):
                wrong[name, who] = answer.status_code
            if verdict(answer) != "done" and SECRET in answer.content.decode():
                wrong[name, who] = "tells"
    assert wrong == {}


@pytest.mark.parametrize("method", ["get", "post"])
def test_pages_of_other_projects_are_not_there(world, method):
    wrong = {}
    for name, rule in PAGES.items():
        wanted = "no such method" if getattr(rule, method) is None else "hidden"
        for who in Membership.Role.values:
            answer = world.ask(who, method, world.url(name, "bank"))
            if verdict(answer) != wanted or SECRET in answer.content.decode():
                wrong[name, who] = answer.status_code
    assert wrong == {}


def test_things_of_other_projects_are_out_of_reach(world):
    wrong = {}
    for name, rule in (PAGES | API).items():
        method = "get" if rule.get else "post"
        for thing in THINGS & set(parameters(name)):
            other = {thing: world.inside["bank"][thing]}
            url = world.url(name, "shop", **other)
            url += "?project=shop" if name in API else ""
            for who in (*ROLES, *TOKENS):
                answer = world.ask(who, method, url)
                if verdict(answer) == "done" or SECRET in answer.content.decode():
                    wrong[name, thing, who] = answer.status_code
    assert wrong == {}


@pytest.mark.parametrize("name", sorted(SIGNED_IN - {"sign-out"}))
def test_the_rest_is_for_those_who_have_signed_in(world, name):
    url = reverse(name)
    assert verdict(world.ask("nobody", "get", url)) == "sign in"
    assert verdict(world.ask("stranger", "get", url)) == "done"
    assert "bank" not in world.ask("viewer", "get", url).content.decode()
