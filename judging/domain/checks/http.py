"""The service behind a tool refuses: status codes, access, limits, absence."""

from __future__ import annotations

from judging.domain.checks.failure_words import ABSENT, AUTH, RATE
from judging.domain.checks.failures import HTTP
from judging.domain.checks.text import Said, cue, match, output, short
from judging.domain.checks.tool_errors import EXEC, UNHANDLED, by_sign
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

_WALL = cue(
    "captcha",
    "human",
    "robot",
    "javascript",
    "unusual traffic",
    "chrome-error",
    "can’t be reached",
    "can't be reached",
    "browser",
    "404",
    "page not found",
    "access denied",
    "security check",
    pattern=r"""
    \bcaptcha\b | \bare\ you\ (?:a\ )?(?:human|robot)\b | \bnot\ a\ robot\b
    | \bverify\ (?:that\ )?you\ are\ (?:a\ )?human | \bunusual\ traffic\b
    | \b(?:enable|turn\ on)\ javascript\b | \bchrome-error:// | \bsecurity\ check\b
    | \bthis\ (?:site|page)\ can['’]t\ be\ reached | \bchecking\ your\ browser\b
    | \b(?:error\ )?404\b[\W_]{0,4}(?:error\b|file\ not\ found|page|not\ found)
    | \bpage\ not\ found\b | \[access\ denied\b
    """,
)
_SHOWS = cue(
    "screenshot",
    "viewport",
    "address:",
    "<html",
    pattern=r"""
    \bscreenshot\b | \bviewport\b | ^address:\ | <html
    """,
)
WALL_ZONE = 3_000


def shows_page(said: Said) -> bool:
    """Whether a text reports what a browser shows."""
    return _SHOWS.find(said, 0, min(WALL_ZONE, len(said.low))) is not None


def wall(run: Run, step: Step) -> Match | None:
    """A page that stands in the way of the one that was asked for."""
    said = output(run, step)
    hit = _WALL.find(said, 0, min(WALL_ZONE, len(said.low)))
    if hit is None or not (shows_page(said) or "http" in said.low[:WALL_ZONE]):
        return None
    evidence = said.line(hit.start())
    what = short(said.text[hit.start() : hit.end()])
    return match(f"The page shows “{what}” and not what was asked for.", evidence)


def _sign(name: str, title: str, rule: str, kind: str, what: str) -> Check:
    return Check(
        f"exec.{name}",
        title,
        f"{rule} Caps at 3 where the failure is handled.",
        EXEC,
        "success",
        UNHANDLED,
        "error-response",
        by_sign(kind, what),
    )


CHECKS = (
    _sign(
        "http_status",
        "HTTP status",
        "The result states an HTTP status of 400 or more as its own.",
        HTTP,
        "The service answered with an error status",
    ),
    _sign(
        "access",
        "Access refused",
        "The tool's error message speaks of missing or refused access.",
        AUTH,
        "Access was refused",
    ),
    _sign(
        "rate_limit",
        "Rate limit",
        "The tool's error message speaks of a rate limit or a quota.",
        RATE,
        "A limit was reached",
    ),
    _sign(
        "not_found",
        "Not found",
        "The tool's error message, or a result of few words, says that there is no "
        "such thing.",
        ABSENT,
        "There is no such thing",
    ),
    Check(
        "exec.wall",
        "Page in the way",
        "A web page is shown that asks for proof of a human, for JavaScript, denies "
        "access or says that there is no such page.",
        EXEC,
        "result_validity",
        2.0,
        "malformed-response",
        wall,
    ),
    Check(
        "synth.wall",
        "Page in the way",
        "The step reports a web page that asks for proof of a human, for JavaScript, "
        "denies access or says that there is no such page.",
        frozenset({StepType.SYNTH}),
        "completeness",
        2.0,
        "error-response",
        wall,
    ),
)
