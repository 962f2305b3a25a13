"""The demo's traces, built once for all tests."""

import pytest

from agenteval_web.demo import DemoTrace, build_demo
from tests.demo.spans import NOW


@pytest.fixture(scope="session")
def demo() -> dict[str, DemoTrace]:
    return {trace.scenario: trace for trace in build_demo(now=NOW)}
