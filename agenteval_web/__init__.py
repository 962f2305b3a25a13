"""The site: wiring, settings, the server and its front door."""
