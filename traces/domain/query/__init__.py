"""The query language of the trace list: typed text to filters and back.

``failed:yes score:<3 root:value-error after:7d "order 1234"``

Terms are joined by *and*; commas inside a value mean *or*; a leading ``-``
means *not*. ``parse`` never raises: what it can't read is named as a problem
and left out, so that a half-typed query still gives a page.
"""

from traces.domain.query.fields import FIELDS, Field, Kind, field
from traces.domain.query.syntax import (
    MAX_LENGTH,
    MAX_TERMS,
    Problem,
    Query,
    parse,
    render,
)
from traces.domain.query.terms import DaysAgo, Op, Term, Value, render_term

__all__ = [
    "FIELDS",
    "MAX_LENGTH",
    "MAX_TERMS",
    "DaysAgo",
    "Field",
    "Kind",
    "Op",
    "Problem",
    "Query",
    "Term",
    "Value",
    "field",
    "parse",
    "render",
    "render_term",
]
