"""Traces: a real collector is sent the spans of a request, and none of its words."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .processes import surroundings
from .served import OPERATOR, at, serving

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")

CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """The address of one, and what it was sent."""
    sent: list[bytes] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing: what it says is none of the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", sent
        finally:
            server.shutdown()
            thread.join()


def spans_in(sent: list[bytes]) -> list[Any]:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    requests = [ExportTraceServiceRequest.FromString(body) for body in sent]
    resources = [resource for request in requests for resource in request.resource_spans]
    return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]


def test_a_request_its_verb_its_transactions_and_its_embedding_are_spans_of_one_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collector() as (address, sent):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        with serving(tmp_path, admin_key=OPERATOR, traces=True) as served, served.caller() as caller:
            caller.headers["traceparent"] = f"00-{CALLER}-00f067aa0ba902b7-01"
            caller.post(at("canary", "memories"), json={"content": "the canary sings", "judged": "now"})
            caller.post(at("canary", "recall"), json={"query": "does the canary sing?"})

    spans = {span.span_id: span for span in spans_in(sent) if span.trace_id.hex() == CALLER}
    tree = {
        (spans[span.parent_span_id].name if span.parent_span_id in spans else "", span.name) for span in spans.values()
    }
    assert ("", "POST /v1/spaces/{space}/recall") in tree
    assert ("POST /v1/spaces/{space}/recall", "recall") in tree
    assert ("POST /v1/spaces/{space}/memories", "remember") in tree
    assert ("remember", "store.write") in tree
    assert ("recall", "embedder.embed") in tree
    assert b"canary" not in b"".join(sent)


def test_nothing_of_it_is_imported_unless_it_is_asked_for(tmp_path: Path) -> None:
    asks = "import sys; from truekeep.server.app import create_app; create_app()"
    tells = "print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"

    told = subprocess.run(
        [sys.executable, "-c", f"{asks}; {tells}"],
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.strip() == "[]"
