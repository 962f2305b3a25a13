"""Pages around the trace page."""
