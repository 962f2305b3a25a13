"""Formats in which traces go out: a table of writers.

A writer takes one trace and gives its lines, each with its line break; the lines
of several traces one after another are a file of the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from traces.domain.records import TraceRecord
from traces.exporters import openinference, otlp
from traces.importers import agenteval

EXPORTERS: Mapping[str, Callable[[TraceRecord], Iterator[bytes]]] = MappingProxyType(
    {
        "agenteval": agenteval.lines,
        "otlp": otlp.lines,
        "openinference": openinference.lines,
    }
)
"""Every writer by the name of its format; importers of that name read it."""
