"""Reads of judged traces: always of something the caller may see."""
