"""Traces for OpenTelemetry: a span for each request, verb, transaction and embedding. Imported only when asked for.

They say what was done and how long it took. No span carries a text, or a name that somebody chose.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import propagate
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, get_current_span
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truekeep import __version__


class Traces:
    """Where spans go: to the collector that the `OTEL_EXPORTER_OTLP_*` variables name."""

    def __init__(self) -> None:
        named = Resource({"service.name": "truekeep", "service.version": __version__})
        self._provider = TracerProvider(resource=named.merge(OTELResourceDetector().detect()))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer: Tracer = self._provider.get_tracer("truekeep", __version__)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A span for what is done on behalf of a request; of what the background does nobody waits for the end."""
        if not get_current_span().get_span_context().is_valid:
            yield
            return
        with _span(self.tracer, name):
            yield

    def close(self) -> None:
        """Send what was not sent yet."""
        self._provider.shutdown()


class Traced:
    """An ASGI middleware: a span for each request, which goes on with the trace that the caller names."""

    def __init__(self, app: ASGIApp, *, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with _span(self._tracer, scope["method"], SpanKind.SERVER, propagate.extract(given)) as span:

            async def noting(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _note(span, scope, message["status"])
                await send(message)

            await self._app(scope, receive, noting)


def _note(span: Span, scope: Scope, status: int) -> None:
    route = getattr(scope.get("route"), "path", "unknown")  # the pattern: the path holds names that users chose
    span.update_name(f"{scope['method']} {route}")
    span.set_attributes(
        {"http.request.method": scope["method"], "http.route": route, "http.response.status_code": status}
    )
    if status >= 500:
        span.set_status(StatusCode.ERROR)


@contextmanager
def _span(
    tracer: Tracer, name: str, kind: SpanKind = SpanKind.INTERNAL, within: object | None = None
) -> Iterator[Span]:
    """A span that says what kind of error ended it, and not in which words: they may quote a memory."""
    with tracer.start_as_current_span(
        name,
        within,  # type: ignore[arg-type]  # a context, as `extract` gives it
        kind,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield span
        except Exception as error:
            span.set_status(StatusCode.ERROR, type(error).__name__)
            raise
