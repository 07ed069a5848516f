"""The files that pages need: a style sheet, scripts, an icon. They come with the package and change with it only."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FOLDER = Path(__file__).parent / "static"


@cache
def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.iterdir()) if path.suffix in TYPES}


@cache
def version() -> str:
    """Part of their address: what a browser keeps is never older than the page."""
    return hashlib.sha256(b"".join(files().values())).hexdigest()[:16]
