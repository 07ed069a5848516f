"""Counts and durations, for Prometheus. No label carries a name that a user chose."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

from truekeep.engine.parts import Parts
from truekeep.ports import Pooled

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SECONDS = "truekeep_request_seconds"


class Latency(NamedTuple):
    """Requests to one route since the server began, and the seconds within which so many of them were answered."""

    method: str
    route: str
    asked: int
    p50: float
    p95: float
    p99: float


class Metrics:
    """What happened since the server began; in `folder`, where its workers meet, what happened in all of them."""

    def __init__(self, folder: str | None = None) -> None:
        self._registry = own = CollectorRegistry()
        self._all: Any = own
        if folder is not None:
            self._all = MultiProcessCollector(None, path=folder)  # type: ignore[no-untyped-call]  # as it comes
        self._requests = Counter("truekeep_requests", "Requests answered", ["method", "route", "status"], registry=own)
        self._seconds = Histogram(_SECONDS, "Time to answer", ["method", "route"], buckets=_BUCKETS, registry=own)
        self._refusals = Counter("truekeep_refusals", "Requests refused, or failed", ["reason", "quota"], registry=own)
        self._sent = Counter(
            "truekeep_webhook_attempts", "Attempts at deliveries to webhooks", ["outcome"], registry=own
        )
        for outcome in ("delivered", "failed", "dead"):  # from zero on: the first of them is an increase
            self._sent.labels(outcome)
        self._steps: Mapping[str, Histogram] = {
            "recall": Histogram("truekeep_recall_seconds", "Time of a recall", buckets=_BUCKETS, registry=own),
            "store.write": Histogram(
                "truekeep_commit_seconds", "Time of a write, durable at its end", buckets=_BUCKETS, registry=own
            ),
        }
        self._running = _gauge("truekeep_requests_running", "Requests being answered", own)
        self._index_bytes = _gauge("truekeep_index_bytes", "Memory of the indexes of open spaces", own)
        self._pool = _gauge("truekeep_pool_connections", "Connections to the database, by what they do", own, "state")
        # Several workers may have the same space open: the largest count, since a sum would count it twice.
        self._waiting = Gauge(
            "truekeep_waiting",
            "Memories in open spaces that wait for vectors or verdicts",
            ["what"],
            multiprocess_mode="livemax",
            registry=own,
        )

    @property
    def steps(self) -> Iterable[str]:
        """Names of the steps that are timed."""
        return self._steps.keys()

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._steps[step].observe(time.perf_counter() - began)

    def begin(self) -> None:
        self._running.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        self._running.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def refused(self, reason: str, quota: str) -> None:
        self._refusals.labels(reason, quota).inc()

    def sent(self, outcome: str) -> None:
        """An attempt at a webhook: it was delivered, failed, or was the last one: dead."""
        self._sent.labels(outcome).inc()

    def look(self, parts: Parts) -> None:
        """Note what this process holds at the moment; each does so every few seconds, since one answers for all."""
        self._index_bytes.set(parts.indexes.nbytes)
        for what, count in zip(("vectors", "judgements"), parts.indexes.waiting(), strict=True):
            self._waiting.labels(what).set(count)
        if isinstance(parts.store, Pooled):
            for state, count in parts.store.pool().items():
                self._pool.labels(state).set(count)

    def latencies(self) -> list[Latency]:
        """How often each route was asked and how long it took, the most asked first."""
        counts: dict[tuple[str, str], list[tuple[float, float]]] = {}
        collected = [metric for metric in self._all.collect() if metric.name == _SECONDS]
        for sample in (sample for metric in collected for sample in metric.samples):
            if sample.name.endswith("_bucket"):
                route = (sample.labels["method"], sample.labels["route"])
                counts.setdefault(route, []).append((float(sample.labels["le"]), sample.value))
        found = [
            Latency(*route, int(buckets[-1][1]), *(_quantile(buckets, share) for share in (0.5, 0.95, 0.99)))
            for route, buckets in counts.items()
        ]
        return sorted(found, key=lambda one: (-one.asked, one.route, one.method))

    def rendered(self, more: Iterable[Metric] = ()) -> tuple[bytes, int, None, str]:
        """With these, as arguments of a Response: content, status, headers, media type."""
        together = [*self._all.collect(), *more]
        registry: Any = SimpleNamespace(collect=lambda: together)
        return generate_latest(registry), 200, None, CONTENT_TYPE_LATEST


def _gauge(name: str, about: str, registry: CollectorRegistry, *labels: str) -> Gauge:
    """Of all workers that live, together."""
    return Gauge(name, about, labels, multiprocess_mode="livesum", registry=registry)


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
