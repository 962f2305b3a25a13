"""Pages of campaigns."""
