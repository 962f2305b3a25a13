"""Data analysis for an invented operator of shared bikes."""

WORKFLOW = "data-analysis"
