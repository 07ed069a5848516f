"""How long answers took, out of the buckets of a histogram."""

from __future__ import annotations

from truekeep.server.metrics import Metrics


def test_percentiles_lie_where_the_answers_were() -> None:
    metrics = Metrics()
    for number in range(100):
        metrics.begin()
        metrics.end("GET", "/fast", 200, 0.0008 if number < 90 else 0.2)
    metrics.begin()
    metrics.end("GET", "/slow", 200, 500)

    fast, slow = metrics.latencies()

    assert (fast.method, fast.route, fast.asked) == ("GET", "/fast", 100)
    assert fast.p50 <= 0.001
    assert 0.1 < fast.p95 <= fast.p99 <= 0.25
    assert (slow.asked, slow.p50) == (1, 60)


def test_nothing_asked_nothing_told() -> None:
    assert Metrics().latencies() == []
