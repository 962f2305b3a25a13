"""The only signal of the product."""

from django.dispatch import Signal

trace_stored = Signal()
"""Sent after the commit that added or changed spans.

Keyword arguments: ``project_id`` (int) and ``trace_pks`` (tuple of int, each
once). Receivers only wake somebody; they run before the next commit.
"""
