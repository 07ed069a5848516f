"""The files that pages need: a style sheet, scripts, an icon. They come with the package and change with it only."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "static"


@cache
def version() -> str:
    """Part of their address: what a browser keeps is never older than the page."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.iterdir()))).hexdigest()[:16]
