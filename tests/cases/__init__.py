"""What breaks other tools, with inputs of our own: one file an area."""
