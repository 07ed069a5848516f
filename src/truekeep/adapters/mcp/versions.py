"""What differs between `mcp` 1.x and 2.x; no other module knows that there are two."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

from truekeep import __version__
from truekeep.adapters.common.adapter import MissingFramework

try:
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import CallToolResult, Resource, ToolAnnotations
except ModuleNotFoundError as error:
    raise MissingFramework("mcp", error) from error

IS_2 = find_spec("mcp.server.mcpserver") is not None
if IS_2:
    from mcp.server.mcpserver import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
    from mcp.server.mcpserver.resources import ResourceSecurity
else:
    from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.fastmcp.exceptions import ResourceError, ToolError

    ResourceNotFoundError = ResourceError

__all__ = [
    "CallToolResult",
    "Resource",
    "ResourceError",
    "ResourceNotFoundError",
    "Server",
    "ToolAnnotations",
    "ToolError",
    "arguments",
    "named",
    "own_logging",
    "session_manager",
    "spared_streams",
]

# Off: whoever mounts it checks Host and Origin before a request comes this far.
_UNCHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


def arguments() -> dict[str, Any]:
    """Those of the server's constructor that one of the two does not know."""
    if IS_2:
        # Names of spaces are no paths: "..", "/" and "c:" are as good as any.
        free = ResourceSecurity(reject_path_traversal=False, reject_absolute_paths=False)
        # Nothing is told about changes: listening for them would only hold connections, and workers up at their end.
        return {"version": __version__, "resource_security": free, "subscriptions": False}
    return {"stateless_http": True, "json_response": True, "transport_security": _UNCHECKED}


def session_manager(server: Any, *, max_bytes: int) -> Any:
    """What answers HTTP requests, each on its own: several workers need to share nothing. It can run once only."""
    if IS_2:
        server.streamable_http_app(
            stateless_http=True, json_response=True, max_request_body_size=max_bytes, transport_security=_UNCHECKED
        )
    else:
        server.settings.max_request_body_size = max_bytes
        server.streamable_http_app()
    return server.session_manager


def named(part: str) -> str:
    """A name out of the address of a resource; 1.x leaves it percent-encoded."""
    return part if IS_2 else unquote(part)


@contextmanager
def spared_streams() -> Iterator[None]:
    """Serve over standard input and output without losing them: 1.x closes what it has used."""
    if IS_2:
        yield
        return
    standard = sys.stdin, sys.stdout
    sys.stdin = open(os.dup(sys.stdin.fileno()), encoding="utf-8")  # noqa: PTH123, SIM115  # theirs to close
    sys.stdout = open(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")  # noqa: PTH123, SIM115  # as above
    try:
        yield
    finally:
        sys.stdin, sys.stdout = standard


@contextmanager
def own_logging() -> Iterator[None]:
    """Making a server would set up logging for the whole process: that is the host's affair."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
