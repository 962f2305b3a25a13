"""Live updates: a page subscribes to what it shows."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from judging.selectors.batches import batch_in
from judging.services import notify
from traces.models import Project
from traces.selectors import project_for, trace_in

REFUSED = 4404
"""Close code for what isn't there or isn't theirs: the two look the same."""


class _Follower(AsyncJsonWebsocketConsumer):
    """Joins one group if its user may see what the group is about."""

    async def connect(self) -> None:
        """Join, or close without telling why."""
        self.group = await self._group_for(self.scope)
        if self.group is None:
            await self.close(code=REFUSED)
            return
        notify.serve_here()
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        """Leave."""
        del code
        if self.group is not None:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(
        self, text_data: str | None = None, bytes_data: bytes | None = None, **_: Any
    ) -> None:
        """Pages have nothing to say here."""
        del text_data, bytes_data

    async def changed(self, event: dict[str, Any]) -> None:
        """Hand a message on."""
        await self.send_json({k: v for k, v in event.items() if k != "type"})

    @database_sync_to_async
    def _group_for(self, scope: dict[str, Any]) -> str | None:
        project = project_for(scope["user"], scope["url_route"]["kwargs"]["project"])
        return self.named(project, scope["url_route"]["kwargs"]) if project else None

    @staticmethod
    def named(project: Project, address: dict[str, Any]) -> str | None:
        """The group of an address within a project, None if it isn't there."""
        raise NotImplementedError


class TraceFollower(_Follower):
    """Verdicts of one trace as they come."""

    @staticmethod
    def named(project: Project, address: dict[str, Any]) -> str | None:
        """The group of a trace."""
        found = trace_in(project, address["trace_id"])
        return None if found is None else notify.trace_group(found.pk)


class BatchFollower(_Follower):
    """Progress of one batch."""

    @staticmethod
    def named(project: Project, address: dict[str, Any]) -> str | None:
        """The group of a batch."""
        found = batch_in(project, address["batch"])
        return None if found is None else notify.batch_group(found.pk)


class ProjectFollower(_Follower):
    """Progress of everything that is judged in a project."""

    @staticmethod
    def named(project: Project, address: dict[str, Any]) -> str | None:
        """The group of the project."""
        del address
        return notify.project_group(project.pk)
