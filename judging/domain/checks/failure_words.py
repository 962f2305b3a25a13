"""Words by which tools say that they failed."""

from __future__ import annotations

from collections.abc import Mapping

from judging.domain.checks.text import Cue, cue

TIMEOUT, RATE, AUTH, ABSENT, REJECTED = "timeout", "rate", "auth", "absent", "rejected"

ABOUT: Mapping[str, Cue] = {
    TIMEOUT: cue(
        "time",
        "etimedout",
        "took too long",
        "deadline",
        pattern=r"""
        \btimed[ -]?out\b | \betimedout\b | \btook\ too\ long\b
        | \b(?:read|connect|connection|request|gateway|operation|execution)\ ?time-?out
        | \btime-?out(?:error|expired|exception|\ error|\ exceeded|\ expired|\ after
            |\ of|\ reached|\ waiting|:)
        | \bdeadline\ ?exceeded\b | \b(?:time|execution)\ limit\ (?:was\ )?(?:exceeded|reached)
        | \bexceeded\ (?:the|its|a)?\ ?(?:time\ limit|maximum\ execution\ time)
        """,
    ),
    RATE: cue(
        "rate",
        "too many requests",
        "quota",
        "resource",
        "throttl",
        "overloaded",
        pattern=r"""
        \brate[ _-]?limit | \btoo\ many\ requests\b | \bquota\ (?:exceeded|exhausted)
        | \bexceeded\ (?:your|the)\ (?:current\ )?quota | \bresource[ _]exhausted
        | \bthrottl(?:ed|ing) | \boverloaded_error\b
        """,
    ),
    AUTH: cue(
        "auth",
        "denied",
        "forbidden",
        "api",
        "token",
        "credential",
        "permission",
        "log in",
        "logged in",
        "login",
        pattern=r"""
        \bunauthori[sz]ed\b | \bauthentication\ (?:failed|required|error)
        | \bnot\ (?:authori[sz]ed|authenticated|logged\ in)\b | \bforbidden\b
        | \bapi[ _-]?key\ (?:is\ )?(?:missing|invalid|not|required)
        | \b(?:invalid|missing|incorrect|expired|no)\ (?:api[ _-]?key|token|credentials)
        | \b(?:permission|access)\ (?:is\ |was\ )?denied | \btoken\ (?:has\ |is\ )?expired
        | \blogin\ required | \binsufficient\ (?:permissions?|privileges|scopes?)
        """,
    ),
    REJECTED: cue(
        "invalid",
        "validation",
        "missing",
        "required",
        "unexpected",
        "must be",
        "should be",
        "expected",
        "cannot be",
        "not a valid",
        "not valid",
        "bad request",
        "unsupported",
        "unknown",
        "out of range",
        "unrecognized",
        "malformed",
        "mismatch",
        pattern=r"""
        \binvalid\ (?:\w+\ ){0,2}(?:argument|parameter|value|input|format|date|request
            |type|id|code|number|identifier|query|syntax|json|field|option)
        | \bvalidation\ ?(?:error|failed) | \bmissing\ (?:\d+\ )?(?:a\ )?required
        | \bmissing\ (?:\d+\ )?(?:argument|parameter|field|value)
        | \b(?:is|are)\ (?:a\ )?required\b | \bfield\ required\b
        | \bunexpected\ (?:keyword\ )?argument | \bunrecognized\ arguments?
        | \b(?:must|should)\ be\ (?:a|an|one|greater|less|between|positive|in|either|of)\b
        | \bexpected\ [^\n]{1,60}\ (?:but\ )?(?:got|received) | \bcannot\ be\ (?:empty|null|blank)
        | \bnot\ (?:a\ )?valid\b | \bbad\ request\b | \bout\ of\ range\b
        | \bunsupported\ (?:\w+\ )?(?:value|format|option|argument)
        | \bunknown\ (?:argument|parameter|option|field|column|key|flag) | \bmalformed\b
        """,
    ),
    ABSENT: cue(
        "not found",
        "no such",
        "exist",
        "find",
        "unknown",
        "404",
        "notfound",
        "no match",
        pattern=r"""
        \bnot\ found\b | \bnotfound\b | \bno\ such\b | \b(?:does|do|did)(?:\ not|n't)\ exist
        | \b(?:could|can)(?:\ ?not|n't|n’t)\ (?:be\ )?f(?:ind|ound)\b
        | \bunable\ to\ (?:find|locate) | \bunknown\ (?:\w+\ )?(?:id|user|order|record)\b
        """,
    ),
}

MESSAGE = cue(
    "error",
    "exception",
    "fail",
    "fatal",
    "unable",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "denied",
    "abort",
    "panic",
    "not permitted",
    "refused",
    pattern=r"""
    \A\W{0,8}(?:
      (?:[\w.]{0,60}(?:error|exception)|failed|failure|fatal|panic|aborted)\b
          (?=\W{0,3}(?::|-|–|!|\(|\[|$|in\b|at\b|to\b|while|when|executing|calling|occurred
             |with\b|during|code\b|from\b|running|getting|loading|parsing|invoking))
      | (?:an?\ |the\ )?(?:\w+\ ){0,3}(?:error|exception)\ (?:occurred|happened|was\ raised)
      | (?:tool|function|command|request|query|call)\ (?:call\ |execution\ )?failed\b
      | (?:i\ (?:was|am)\ )?unable\ to\b | (?:could|can)(?:\ ?not|n't|n’t)\b
      | (?:permission|access|request)\ (?:was\ )?(?:denied|refused)
      | (?:the\ )?(?:operation|action|request)\ (?:is|was)\ not\ (?:permitted|allowed)
    )
    """,
)
STACK = cue(
    "traceback (most recent",
    "exception in thread",
    "uncaught",
    "stack trace",
    "goroutine ",
    "panicked at",
    "    at ",
    pattern=r"""
    \btraceback\ \(most\ recent\ call\ last\) | \bexception\ in\ thread\ "
    | \bunhandled\ exception\b | \buncaught\ \w*error | \bpanicked\ at\b
    | ^\ {4}at\ [\w.$<>]+\ ?\([^)\n]{1,200}:\d+(?::\d+)?\)
    """,
)
EXIT = cue(
    "exit",
    "return code",
    "returncode",
    pattern=r"""
    (?:\bexit[ -]?code|\breturn[ -]?code|<returncode>|\bexit\ status|\bexited\ with
      (?:\ code|\ status)?|\bnon-zero\ exit\ status)
    (?:\W|\ was|\ is){0,8}?(?P<code>-?\d{1,10})
    """,
)
HTTP = cue(
    "http",
    "status",
    "client error",
    "server error",
    "not found",
    "forbidden",
    "unauthorized",
    "bad gateway",
    "unavailable",
    "bad request",
    "too many requests",
    pattern=r"""
    \b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|error\ code|response\ code)\b
       (?:\W|\ is|\ was|\ error|\ status){0,6}?(?P<a>[45]\d\d)\b
    | \b(?P<b>[45]\d\d)\ (?:client|server)\ error\b
    | \b(?P<c>4\d\d|5\d\d)\W{1,3}(?:bad\ request|unauthori[sz]ed|forbidden|not\ found
       |internal\ server\ error|bad\ gateway|service\ (?:temporarily\ )?unavailable
       |gateway\ time-?out|too\ many\ requests)
    """,
)
