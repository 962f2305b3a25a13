"""What a span stands for where no dialect says it, and who is handed over to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first_text, text, under
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall

TRANSPORT = (
    "http.", "url.", "rpc.", "grpc.", "db.", "messaging.", "network.", "net.",
    "faas.", "aws.", "asgi.", "graphql.", "redis.", "peer.", "server.", "client.",
    "user_agent.", "dns.", "tls.", "a2a.",
)  # fmt: skip
"""First parts of keys with which servers and clients of all kinds describe
themselves; a span that has them and nothing of agents is plumbing."""

SCOPES = re.compile(
    r"instrumentation[-./](?:net/)?(?:http|google\.golang\.org/grpc|requests|httpx|"
    r"urllib3?|aiohttp|fastapi|starlette|asgi|wsgi|flask|django|tornado|grpc|"
    r"sqlalchemy|psycopg2?|asyncpg|sqlite3|redis|pymongo|celery|kafka|pika|"
    r"botocore|boto3|undici|express|fs|dns|net|pg|mysql2?|ioredis)\b"
)
TRANSFER = re.compile(r"(?:transfer|handoff|hand_off|delegate)_to_(.+)\Z", re.DOTALL)
HAND_OFF = re.compile(r"hand[- ]?off(?: to|:)?\s+(.+)\Z", re.IGNORECASE | re.DOTALL)
ARROWS = ("→", "->")
PEOPLE = ("human", "person", "operator")
"""Whoever takes over outside the run: for the run that is a tool like others."""
_TARGETS = ("agent_name", "agent", "to_agent", "target", "name")
LONGEST_NAME = 200


def plain_role(span: SpanRecord, found: Fields) -> Role:
    """The role of a span that no dialect gives one."""
    if found.get("handoff_to"):
        return Role.HANDOFF
    says = found.get("input") is not None or found.get("output") is not None
    if not says and (_has_transport(span.attributes) or SCOPES.search(span.scope.name)):
        return Role.PLUMBING
    return Role.CHAIN


def _has_transport(said: Mapping[str, Json]) -> bool:
    return any(key.startswith(TRANSPORT) for key in said)


def hand_off(span: SpanRecord, role: Role, call: ToolCall | None) -> str:
    """The agent that a tool or a span of its own passes control to, "" if none."""
    name = call.name if call and call.name else span.name
    stated = first_text(span.attributes, "to_agent", "gen_ai.handoff.to_agent")
    arguments = call.arguments if call else None
    found = TRANSFER.match(name[:LONGEST_NAME])
    if found:
        asked = next(
            (text(under(arguments, key)) for key in _TARGETS if under(arguments, key)),
            "",
        )
        target = stated or asked or found[1]
        return "" if any(word in target.casefold() for word in PEOPLE) else target
    if role is Role.HANDOFF:
        return stated or _named(span.name)
    named = HAND_OFF.match(span.name[:LONGEST_NAME]) if role is not Role.LLM else None
    return _named(named[1]) if named else ""


def _named(words: str) -> str:
    """The last of the agents in ``Handoff: A → B``."""
    for arrow in ARROWS:
        words = words.rpartition(arrow)[2]
    match = HAND_OFF.match(words.strip()[:LONGEST_NAME])
    return (match[1] if match else words).strip()[:LONGEST_NAME]
