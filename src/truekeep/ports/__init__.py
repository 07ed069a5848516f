"""The ports: what the engine asks of a store, an embedder, an extractor and a judge.

The docstring of a method is its contract (order, empty input, errors, atomicity); `truekeep.testing` holds the same
as test classes that any implementation can run. The store keeps rows and knows no ranking. It works in statements
only to recognise them: a *statement* is the normalised text of an item (`engine.statement`), and the store keeps
nothing of it but a keyed hash under its own secret, the *fingerprint*.
"""

from .changes import (
    Answer,
    Applied,
    Change,
    Charge,
    Difference,
    Erased,
    Head,
    Moved,
    NewVectors,
    Page,
    Put,
    Restored,
    Row,
    Saying,
    Sight,
    Snapshot,
    Withdrawn,
)
from .items import Checkpoints, Items, Snapshots
from .optional import Cells, Counters, Ear, Movable, Pooled, Restricted, Table, View, Waking
from .store import Audits, Jobs, Keys, Persons, Store, Usages, Values
from .texts import PROBE, Account, ContextualEmbedder, Embedder, Extracted, Extractor, Judge, ReportingExtractor, Span

__all__ = [
    "PROBE",
    "Account",
    "Answer",
    "Applied",
    "Audits",
    "Cells",
    "Change",
    "Charge",
    "Checkpoints",
    "ContextualEmbedder",
    "Counters",
    "Difference",
    "Ear",
    "Embedder",
    "Erased",
    "Extracted",
    "Extractor",
    "Head",
    "Items",
    "Jobs",
    "Judge",
    "Keys",
    "Movable",
    "Moved",
    "NewVectors",
    "Page",
    "Persons",
    "Pooled",
    "Put",
    "ReportingExtractor",
    "Restored",
    "Restricted",
    "Row",
    "Saying",
    "Sight",
    "Snapshot",
    "Snapshots",
    "Span",
    "Store",
    "Table",
    "Usages",
    "Values",
    "View",
    "Waking",
    "Withdrawn",
]
