"""The demo project: three invented workflows, played by scripted agents.

``build_demo`` gives the traces, ``schemas`` what each workflow should look like.
Nothing here knows Django; docs/demo.md tells what is in it.
"""

from agenteval_web.demo.build import DemoTrace, build_demo
from agenteval_web.demo.schemas import schemas

__all__ = ["DemoTrace", "build_demo", "schemas"]
