"""The drawing of a step graph: where things stand and what they look like."""
