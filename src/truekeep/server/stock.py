"""What a server has at the moment, for its metrics: what waits, what is held in memory, what the store has room for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from truekeep.assembly import file_of
from truekeep.ports import Pooled

from .desk import Desk


def look(desk: Desk) -> None:
    """Note what this process holds; each does so every few seconds, since one answers for all."""
    indexes, store = desk.opened.parts.indexes, desk.store
    vectors, verdicts = indexes.waiting()
    desk.metrics.look(
        index_bytes=indexes.nbytes,
        waiting={"vectors": vectors, "judgements": verdicts},
        pool=store.pool() if isinstance(store, Pooled) else {},
    )


def families(desk: Desk) -> Iterator[Metric]:
    """What is one for all processes. A store that is away is not asked: nobody waits for a scrape that long."""
    yield GaugeMetricFamily("truekeep_ready", "Whether /readyz says yes", value=desk.readiness.problem is None)
    if not desk.readiness.has_store:
        return
    jobs = GaugeMetricFamily("truekeep_jobs", "Extractions in the background, by state", labels=["state"])
    for state, count in desk.store.jobs_by_state().items():
        jobs.add_metric([state], count)
    yield jobs
    yield GaugeMetricFamily("truekeep_store_bytes", "Bytes that the store takes", value=desk.store.size())
    if (file := file_of(desk.store.location)) is not None:
        free = shutil.disk_usage(file.parent).free
        yield GaugeMetricFamily("truekeep_disk_free_bytes", "Room on the disk of the store", value=free)
