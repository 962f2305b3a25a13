"""What changes rows: storing, importing, deleting; tokens, projects, people."""
