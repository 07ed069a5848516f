"""A process that imports, to be killed: python child.py SOURCE STORE."""

from __future__ import annotations

import sys

from truekeep import Memory
from truekeep.importers import bring_in, read
from truekeep.testing.fakes import FakeEmbedder

if __name__ == "__main__":
    source, store = sys.argv[1:]
    with Memory("bot", at=store, embedder=FakeEmbedder(), background=False) as memory:
        done = bring_in(memory, read("jsonl", source, source="import:notes"))
    print(done.added, done.unchanged)
