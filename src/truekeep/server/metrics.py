"""Counts and durations of one process, for Prometheus. No label carries a name that a user chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Latency(NamedTuple):
    """Requests to one route since this process began, and the seconds within which so many of them were answered."""

    method: str
    route: str
    asked: int
    p50: float
    p95: float
    p99: float


class Metrics:
    """What happened since this process began; with several workers, each answers for itself."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "truekeep_requests", "Requests answered", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "truekeep_request_seconds",
            "Time to answer",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._running = Gauge("truekeep_requests_running", "Requests being answered", registry=self._registry)

    def begin(self) -> None:
        self._running.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        self._running.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def latencies(self) -> list[Latency]:
        """How often each route was asked and how long it took, the most asked first."""
        counts: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for sample in (sample for metric in self._seconds.collect() for sample in metric.samples):
            if sample.name.endswith("_bucket"):
                route = (sample.labels["method"], sample.labels["route"])
                counts.setdefault(route, []).append((float(sample.labels["le"]), sample.value))
        found = [
            Latency(*route, int(buckets[-1][1]), *(_quantile(buckets, share) for share in (0.5, 0.95, 0.99)))
            for route, buckets in counts.items()
        ]
        return sorted(found, key=lambda one: (-one.asked, one.route, one.method))

    def rendered(self) -> tuple[bytes, int, None, str]:
        """As arguments of a Response: content, status, headers, media type."""
        return generate_latest(self._registry), 200, None, CONTENT_TYPE_LATEST


def _quantile(buckets: Sequence[tuple[float, float]], share: float) -> float:
    """By the upper bounds of the buckets and how many lie below each: on a straight line within a bucket."""
    wanted, below, lower = share * buckets[-1][1], 0.0, 0.0
    for upper, count in buckets:
        if count >= wanted and count > below:
            if upper == float("inf"):
                return lower
            return lower + (upper - lower) * (wanted - below) / (count - below)
        below, lower = count, upper
    return lower
