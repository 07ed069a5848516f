"""Counts and durations of one process, for Prometheus. No label carries a name that a user chose."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What happened since this process began; with several workers, each answers for itself."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "recollect_requests", "Requests answered", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "recollect_request_seconds",
            "Time to answer",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._running = Gauge("recollect_requests_running", "Requests being answered", registry=self._registry)

    def begin(self) -> None:
        self._running.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        self._running.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def rendered(self) -> tuple[bytes, int, None, str]:
        """As arguments of a Response: content, status, headers, media type."""
        return generate_latest(self._registry), 200, None, CONTENT_TYPE_LATEST
