"""JSON of the API: DRF's own words, only faster."""

import json
from datetime import UTC, datetime

import pytest
from django.utils.translation import gettext_lazy
from rest_framework.renderers import JSONRenderer

from agenteval_web.lib.rendering import FastJSONRenderer


@pytest.mark.parametrize(
    "data",
    [
        {"at": datetime(2026, 3, 4, 12, 0, 0, 123456, tzinfo=UTC)},
        {"text": gettext_lazy("Saved"), 1: "key", "none": None},
        {"beyond 64 bits": 10**308, "less": -(2**63) - 1},
        {"words": "é \u2028 </script>"},
        [],
    ],
)
def test_it_says_the_same(data):
    fast, own = FastJSONRenderer().render(data), JSONRenderer().render(data)
    assert json.loads(fast) == json.loads(own)


def test_nothing_is_nothing():
    assert FastJSONRenderer().render(None) == b""
