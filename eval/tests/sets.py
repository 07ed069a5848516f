"""A small set of our own, in both formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

CHAT: dict[str, Any] = {
    "id": "garden",
    "docs": [
        {"id": "t1", "text": "I planted tomatoes", "speaker": "Ida", "session": 1, "date": "1:56 pm on 8 May, 2023"},
        {"id": "t2", "text": "My boat leaks again", "speaker": "Olav", "session": 1, "date": "1:56 pm on 8 May, 2023"},
        {"id": "t3", "text": "The harvest was poor", "speaker": "Ida", "session": 2, "date": "September-15-2023"},
        {"id": "t4", "text": "I planted tomatoes", "speaker": "Ida", "session": 2, "date": "some day"},
    ],
    "queries": [
        {"q": "who planted tomatoes?", "answer": "Ida", "evidence": ["t4"], "category": "single"},
        {"q": "what became of tomatoes and harvest?", "answer": "?", "evidence": ["t1", "t3"], "category": "multi"},
        {"q": "quantum chromodynamics", "answer": "?", "evidence": [], "category": "abstention"},
    ],
}
FACTS: dict[str, Any] = {
    "space": "office",
    "theme": "an office",
    "now": "2025-10-15T09:00:00Z",
    "memories": [
        {"id": "m1", "content": "The printer needs A4", "kind": "fact", "tags": ["it"], "at": "2025-01-08T10:12:00Z"},
        {"id": "m2", "content": "Never reset the router", "kind": "lesson", "tags": [], "at": "2025-02-01T09:00:00Z"},
    ],
    "queries": [
        {"q": "which paper does the printer need?", "answers": ["m1"], "category": "lexical"},
        {"q": "reset the router", "answers": ["m2"], "category": "avoid", "now": "2025-10-16T09:00:00Z"},
        {"q": "elephants", "answers": [], "category": "unanswerable"},
    ],
}


def written(path: Path, *records: Any) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path
