"""Tell open pages that something changed; they fetch what they show.

A message holds ids and counters, never content: what somebody may see is decided
when they fetch. A message that is lost costs nothing but time, because pages look
for themselves now and then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings

logger = logging.getLogger(__name__)

_server: list[asyncio.AbstractEventLoop] = []
"""The loop that serves sockets in this process: without Redis the messages have
to be handed over there, because the layer in memory belongs to one thread."""


def serve_here() -> None:
    """Remember the running loop as the one that serves sockets."""
    _server[:] = [asyncio.get_running_loop()]


def tell(groups: Iterable[str], message: dict[str, Any]) -> None:
    """Send a message to everybody in the groups; never raises.

    Args:
        groups: Names as the functions below make them.
        message: Small JSON; its ``type`` is set here.
    """
    layer = get_channel_layer()
    if layer is None:
        return
    for group in groups:
        sending = layer.group_send(group, {**message, "type": "changed"})
        try:
            if settings.REDIS_URL:
                async_to_sync(_awaited)(sending)
            elif _server and _server[0].is_running():
                asyncio.run_coroutine_threadsafe(_awaited(sending), _server[0])
            else:
                sending.close()
        except Exception as error:  # noqa: BLE001  # a page that isn't told looks for itself
            logger.warning("open pages could not be told: %s", error)
            return


async def _awaited(sending: Any) -> None:
    await sending


def trace_group(trace: int) -> str:
    """Pages that show a trace."""
    return f"trace.{trace}"


def batch_group(batch: int) -> str:
    """Pages that show a batch."""
    return f"batch.{batch}"


def project_group(project: int) -> str:
    """Pages that list a project's evaluations."""
    return f"evaluations.{project}"
