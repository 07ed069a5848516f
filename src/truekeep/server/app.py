"""The app: routes, errors and the things that they share, put together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from truekeep import __version__, steps
from truekeep.assembly import open_parts
from truekeep.engine.runtime.opened import Opened
from truekeep.errors import ConfigurationError
from truekeep.extras import to_install

from . import console, mcp, problems, routes, serving
from .connections import PATIENCE, Patience
from .deliveries import Deliveries
from .desk import Desk
from .dialects import botwire, kronvex, memstore, zerolatency
from .gate import Gate
from .metrics import Metrics
from .openapi import openapi
from .settings import ServerSettings, load, metrics_folder
from .watcher import Watcher

if TYPE_CHECKING:
    from .tracing import Traces

log = logging.getLogger(__name__)

# FastAPI's own would hand the messages of exceptions to whatever OpenTelemetry finds configured.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_DIALECTS = [dialect.routes.router for dialect in (memstore, botwire, kronvex, zerolatency)]
_LAST_ROUND = timedelta(seconds=0.5)  # that the upkeep in hand is waited for when the server stops
_FLUSH_EVERY = 5.0  # seconds, for counts, the last use of keys and the audit


def create_app(settings: ServerSettings | None = None, *, opened: Opened | None = None) -> FastAPI:
    """The server as an ASGI app. With `opened` it serves that store and leaves it open at the end."""
    settings = settings or load()
    metrics = Metrics(metrics_folder())
    traces = _traces() if settings.traces else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        mine = opened or open_parts(
            at=settings.at,
            embedder=settings.embedder,
            extractor=settings.extractor,
            judge=settings.judge,
            redact=settings.redact,
        )
        desk = app.state.desk = Desk(mine, settings, metrics)
        app.state.watcher = Watcher(desk)
        app.state.deliveries = Deliveries(desk, app.state.watcher)
        flushing = asyncio.create_task(_flush(desk))
        unwatch = None if traces is None else steps.watch(traces.step)
        warming = asyncio.create_task(desk.run(console.warm))
        try:
            async with mcp.running(app):
                yield {PATIENCE: Patience.of(settings)}
        finally:
            flushing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await flushing
            await warming
            await app.state.deliveries.close()
            await app.state.watcher.close()
            await asyncio.to_thread(desk.close)
            if opened is None:
                await asyncio.to_thread(mine.leave, _LAST_ROUND)
            if traces is not None and unwatch is not None:
                unwatch()
                await asyncio.to_thread(traces.close)

    app = FastAPI(
        title="Truekeep",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # their pages load scripts from elsewhere; the console has one of ours
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
    )
    app.state.settings = settings
    serving.include(app, [*routes.routers, *_DIALECTS, *console.routers])
    console.install(app)
    mcp.install(app)
    problems.install(app)
    if traces is not None:
        from .tracing import Traced

        app.add_middleware(Traced, tracer=traces.tracer)
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    app.openapi = partial(openapi, app)  # type: ignore[method-assign]  # FastAPI's documented way
    return app


def _traces() -> Traces:
    try:
        from .tracing import Traces
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"traces need {error.name}: {to_install('otel')}") from error
    return Traces()


async def _flush(desk: Desk) -> None:
    while True:
        await asyncio.sleep(_FLUSH_EVERY)
        try:
            await desk.run(desk.flush)
            await desk.run(partial(desk.metrics.look, desk.opened.parts))
        except Exception:  # counts wait for the next time
            log.exception("writing usage or the audit failed")
