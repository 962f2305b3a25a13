"""Live updates beside the pages: WebSockets for signed-in people of this host.

Loaded with the first socket, so that a server without open pages stays small.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

Scope = dict[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]


def with_sockets(app: App) -> App:
    """Answer sockets, hand everything else on."""

    async def choose(scope: Scope, receive: Any, send: Any) -> None:
        chosen = _sockets() if scope["type"] == "websocket" else app
        await chosen(scope, receive, send)

    return choose


@cache
def _sockets() -> App:
    from channels.auth import AuthMiddlewareStack  # noqa: PLC0415  # see above
    from channels.routing import URLRouter  # noqa: PLC0415
    from channels.security.websocket import (  # noqa: PLC0415
        AllowedHostsOriginValidator,
    )

    from judging.routing import websocket_urlpatterns  # noqa: PLC0415

    routes: App = AllowedHostsOriginValidator(
        AuthMiddlewareStack(_or_nothing(URLRouter(websocket_urlpatterns)))
    )
    return routes


def _or_nothing(routes: App) -> App:
    """Close what has no address instead of failing."""

    async def routed(scope: Scope, receive: Any, send: Any) -> None:
        try:
            await routes(scope, receive, send)
        except ValueError:
            # Channels has no other word for an unknown address.
            await receive()
            await send({"type": "websocket.close", "code": 4404})

    return routed
