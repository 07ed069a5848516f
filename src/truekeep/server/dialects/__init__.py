"""The wire of other services: thin routes that translate foreign words into ours and decide nothing."""

from __future__ import annotations

from fastapi import APIRouter

from . import botwire, kronvex, memstore, zerolatency

routers: tuple[APIRouter, ...] = tuple(dialect.routes.router for dialect in (memstore, botwire, kronvex, zerolatency))
