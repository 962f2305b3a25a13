"""A model server that answers from a script, in the words of chat completions."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def says(text: str) -> dict[str, Any]:
    """A plain answer."""
    return {"role": "assistant", "content": text}


def calls(*wanted: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    """An answer that asks for tools: (id, name, arguments)."""
    listed = [
        {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for call_id, name, arguments in wanted
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


@contextmanager
def scripted_model(*answers: dict[str, Any]) -> Iterator[str]:
    """Serve the answers one after the other; give the base URL."""
    waiting = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            message = waiting.pop(0)
            body = json.dumps(
                _completion(message, len(answers) - len(waiting))
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _completion(message: dict[str, Any], number: int) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": f"chat-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000 + number,
        "model": "small-chat-1",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 7, "total_tokens": 47},
    }
