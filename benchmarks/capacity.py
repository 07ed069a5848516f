"""How much of everything a number of memories takes on PostgreSQL: `python -m benchmarks.capacity 1e9`.

The figures at the top were measured (`make bench-postgres`, `make bench`) with texts of 14 words and vectors of 384
dimensions in float16; the rest is arithmetic.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

ROW_BYTES = 1_420  # a memory on the server's disk: row, vector, and its entries in the indexes
TEXT_BYTES = 85  # of which the text is so much
VECTOR_BYTES = 768  # and the vector so much
INDEX_BYTES = 757  # a memory of an open space, in a server process
BLOAT = 1.3  # what updates and erasures leave behind until the next vacuum, and room to work
PARTITIONS = 16
LARGEST_PARTITION = 200e9  # bytes; a larger one is vacuumed and restored too slowly
SERVER_INDEX_BYTES = 32e9  # that a process of ours may spend on open spaces (TRUEKEEP_INDEX_BYTES)
RECALLS = 100  # a second, that a process answers with MiniLM on two busy cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is asked for."""

    memories: float
    text_bytes: float = TEXT_BYTES  # of an average memory
    dimension: int = 384
    warm: float = 0.05  # the part of all memories that lies in spaces in use at the same time
    recalls: float = 100  # a second, at the busiest time


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What that takes."""

    row_bytes: float
    disk: float
    partition: float  # bytes of each of the partitions that there are
    databases: int  # nodes to distribute the tables on, so that no partition gets too large
    memory: float  # bytes of all open indexes, where every space is routed to one process
    servers: int  # processes of ours


def capacity(load: Load) -> Capacity:
    """The arithmetic."""
    row = ROW_BYTES - TEXT_BYTES - VECTOR_BYTES + load.text_bytes + 2 * load.dimension
    disk = load.memories * row * BLOAT
    partition = disk / PARTITIONS
    index = INDEX_BYTES * (0.5 + 0.5 * load.dimension / 384)  # about half of it is vectors
    memory = load.memories * load.warm * index
    servers = max(math.ceil(memory / SERVER_INDEX_BYTES), math.ceil(load.recalls / RECALLS), 1)
    return Capacity(
        row_bytes=row,
        disk=disk,
        partition=partition,
        databases=max(1, math.ceil(partition / LARGEST_PARTITION)),
        memory=memory,
        servers=servers,
    )


def table(loads: list[Load]) -> str:
    """One line a load, as Markdown."""
    lines = ["| memories | disk | a partition | database nodes | open indexes | server processes |"]
    lines.append("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for load in loads:
        found = capacity(load)
        cells = [
            f"{load.memories:,.0f}",
            _size(found.disk),
            _size(found.partition),
            str(found.databases),
            _size(found.memory),
            str(found.servers),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _size(count: float) -> str:
    power = min(max(int(math.log10(max(count, 1)) // 3), 1), 4)
    return f"{count / 1000**power:.3g} {('kB', 'MB', 'GB', 'TB')[power - 1]}"


if __name__ == "__main__":
    wanted = [float(argument) for argument in sys.argv[1:]] or [1e5, 1e6, 1e7, 1e8, 1e9]
    print(table([Load(memories=memories) for memories in wanted]))
