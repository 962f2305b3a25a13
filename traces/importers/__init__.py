"""Formats in which traces come: a table of importers and how to read any of them."""
