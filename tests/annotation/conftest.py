"""What all tests of campaigns share."""

from tests.annotation.services.conftest import make_campaign, project

__all__ = ["make_campaign", "project"]
