"""The console: look into a memory in a browser, and mend it. Pages are made here; a little script only helps."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from . import docs, history, login, operation, review, space, spaces, values
from .pages import Console
from .rendering import warm

__all__ = ["install", "routers", "warm"]

_PAGES = (login, spaces, space, review, history, values, operation, docs)
routers: tuple[APIRouter, ...] = tuple(page.pages.router for page in _PAGES)


def install(app: FastAPI) -> None:
    """What the pages of one process share."""
    app.state.console = Console(app.state.settings.session_secret)
