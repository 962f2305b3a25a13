"""A bounded reader of the part of JSON Schema that tools are described with.

Types, enums, required and extra properties, items, alternatives and local
references. No patterns (a stranger's pattern can run for ever) and nothing
fetched: a reference that leads out of the schema allows anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from traces.domain.records import Json

TYPE, ENUM, EXTRA, MISSING, EMPTY = "type", "enum", "extra", "missing", "empty"
MAX_DEPTH = 24
MAX_NODES = 2_000
MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One place where a value breaks its schema.

    Attributes:
        kind: ``type``, ``enum``, ``extra``, ``missing`` or ``empty``.
        path: Where, keys and places joined by dots.
        message: What is wrong there.
    """

    kind: str
    path: str
    message: str


def problems(value: Json, schema: Json) -> tuple[Problem, ...]:
    """Where a value breaks a schema, at most ``MAX_PROBLEMS`` places.

    Args:
        value: Arguments of a call.
        schema: JSON Schema of the arguments; what isn't understood allows
            anything.
    """
    if not isinstance(schema, dict):
        return ()
    return tuple(_Reader(schema).read(value, schema, "", 0)[:MAX_PROBLEMS])


class _Reader:
    """Walks a value along its schema, within a budget."""

    def __init__(self, root: Mapping[str, Json]) -> None:
        self.root = root
        self.nodes = 0

    def read(self, value: Json, schema: Json, path: str, depth: int) -> list[Problem]:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return []
        schema = self._resolved(schema)
        if schema is None or (value is None and schema.get("nullable") is True):
            return []
        found = _type_problem(value, schema, path) or _enum_problem(value, schema, path)
        if found:
            return [found]
        inner = self._alternatives(value, schema, path, depth)
        if isinstance(value, dict):
            inner += self._object(value, schema, path, depth)
        elif isinstance(value, list):
            items = schema.get("items")
            for place, item in enumerate(value):
                inner += self.read(item, items, _join(path, str(place)), depth + 1)
                if self.nodes > MAX_NODES:
                    break
        return inner

    def _resolved(self, schema: Json) -> Mapping[str, Json] | None:
        """The schema behind local references, None where anything goes."""
        for _ in range(MAX_DEPTH):
            if not isinstance(schema, dict):
                return None
            ref = schema.get("$ref")
            if not isinstance(ref, str):
                return schema
            schema = self._local(ref)
        return None

    def _local(self, ref: str) -> Json:
        found: Json = self.root
        if not ref.startswith("#/"):
            return None
        for name in ref[2:].split("/")[:MAX_DEPTH]:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def _alternatives(
        self, value: Json, schema: Mapping[str, Json], path: str, depth: int
    ) -> list[Problem]:
        found: list[Problem] = []
        for part in _listed(schema.get("allOf")):
            found += self.read(value, part, path, depth + 1)
        for key in ("anyOf", "oneOf"):
            options = _listed(schema.get(key))
            tried = [self.read(value, option, path, depth + 1) for option in options]
            if tried and all(tried):
                fewest = min(len(each) for each in tried)
                found += next(each for each in tried if len(each) == fewest)
        return found

    def _object(
        self,
        value: Mapping[str, Json],
        schema: Mapping[str, Json],
        path: str,
        depth: int,
    ) -> list[Problem]:
        properties = schema.get("properties")
        known = properties if isinstance(properties, dict) else {}
        found = _required(value, schema, known, path)
        for name, item in value.items():
            if name in known:
                found += self.read(item, known[name], _join(path, name), depth + 1)
            elif _closed(schema, known):
                what = f"{name!r:.80} is not among the tool's arguments"
                found.append(Problem(EXTRA, _join(path, name), what))
        return found


def _listed(value: Json) -> list[Json]:
    return value[:MAX_PROBLEMS] if isinstance(value, list) else []


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _closed(schema: Mapping[str, Json], known: Mapping[str, Json]) -> bool:
    """Whether a schema that names its properties allows no others."""
    if not known or "patternProperties" in schema:
        return False
    return schema.get("additionalProperties") is False


def _required(
    value: Mapping[str, Json],
    schema: Mapping[str, Json],
    known: Mapping[str, Json],
    path: str,
) -> list[Problem]:
    found = []
    for name in _listed(schema.get("required")):
        if not isinstance(name, str):
            continue
        if name not in value:
            what = f"the required argument {name!r:.80} is missing"
            found.append(Problem(MISSING, _join(path, name), what))
        elif _blank(value[name]) and _wants_text(known.get(name)):
            what = f"the required argument {name!r:.80} is empty"
            found.append(Problem(EMPTY, _join(path, name), what))
    return found


def _blank(value: Json) -> bool:
    return isinstance(value, str) and not value.strip()


def _wants_text(schema: Json) -> bool:
    if not isinstance(schema, dict) or "default" in schema:
        return False
    return "enum" not in schema or "" not in _listed(schema["enum"])


def _whole(value: Json) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


_IS: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": _whole,
    "number": lambda value: (
        isinstance(value, (int, float)) and not isinstance(value, bool)
    ),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def _type_problem(value: Json, schema: Mapping[str, Json], path: str) -> Problem | None:
    wanted = schema.get("type")
    names = wanted if isinstance(wanted, list) else [wanted]
    known = [n.lower() for n in names if isinstance(n, str) and n.lower() in _IS]
    if not known or len(known) < len(names):
        return None
    if any(_IS[name](value) for name in known):
        return None
    what = f"{_shown(value)} is not of the type {' or '.join(known)}"
    return Problem(TYPE, path, what)


def _enum_problem(value: Json, schema: Mapping[str, Json], path: str) -> Problem | None:
    allowed = schema.get("enum")
    if "const" in schema:
        allowed = [schema["const"]]
    if not isinstance(allowed, list) or not allowed or value in allowed:
        return None
    shown = ", ".join(_shown(each) for each in allowed[:6])
    return Problem(ENUM, path, f"{_shown(value)} is not one of {shown}")


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return repr(value[:40])
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)[:40]
