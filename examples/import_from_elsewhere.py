"""Brings a mem0 export and a page of notes into one memory, twice, and asks it.

    python examples/import_from_elsewhere.py

The files are made here; `--at FILE` keeps the memory, else it is gone in the end.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from truekeep import Memory
from truekeep.importers import bring_in, read

EXPORT = {
    "results": [
        {
            "id": "8a1c",
            "memory": "Prefers window seats on long flights",
            "user_id": "ana",
            "run_id": "trip-to-porto",
            "categories": ["travel"],
            "created_at": "2025-03-01T10:00:00+00:00",
        },
        {"id": "8a1d", "memory": "Is allergic to peanuts", "user_id": "ana", "created_at": "2025-04-02T08:30:00+00:00"},
    ]
}
NOTES = """\
# Kitchen

- The oven of the kitchen runs hot: take ten degrees off
- Fish is delivered on Tuesdays
"""
QUESTIONS = ["where should Ana sit on the plane?", "what must not be in Ana's food?", "when does the fish come?"]


def bring_all(memory: Memory, folder: Path) -> None:
    for format, name in (("mem0", "mem0.json"), ("markdown", "notes.md")):
        done = bring_in(memory, read(format, folder / name))
        print(f"  {name:<10} {done.added} added, {done.unchanged} unchanged, {done.bad} bad")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", metavar="FILE", default=":memory:", help="where the memory lives")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Memory("imported", at=arguments.at) as memory:
        folder = Path(name)
        (folder / "mem0.json").write_text(json.dumps(EXPORT))
        (folder / "notes.md").write_text(NOTES)
        for number in ("first", "second"):
            print(f"The {number} import:")
            bring_all(memory, folder)
        for question in QUESTIONS:
            best = memory.recall(question, limit=1)[0]
            print(f"  {question:<36} {best.content} ({best.speaker or 'nobody in particular'})")


if __name__ == "__main__":
    main()
