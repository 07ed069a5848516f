"""What tools answer, as text that a model reads: memories stand inside the fence, dated, with doubts and ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from truekeep.engine.verbs.context import TEMPLATES, Entry, Material
from truekeep.model import MemoryItem, Recall, Remembered

NOTHING_FOUND = "No relevant memories found."
NOT_THERE = "There is no such memory."
_AVOID = "Avoid (tried before and failed, or ruled out):"


def recalled(found: Recall, newer: Mapping[str, str]) -> str:
    """What was found, best first; a sentence when nothing was. `newer`: by id, what may have replaced some of it."""
    lessons = {match.id: match.item for match in found.lessons}
    lessons |= {match.id: match.item for match in found if match.kind == "lesson"}
    items = [match.item for match in found if match.id not in lessons]
    return fenced(items, lessons.values(), newer=newer) or NOTHING_FOUND


def remembered(kept: Remembered) -> str:
    """What a `remember` did; what was replaced or is in doubt now is memory again, and fenced."""
    done = {"reinforced": "Already known", "superseded": "Memory updated"}.get(kept.outcome, "Memory stored")
    parts = [f"{done} (id: {kept.id})"]
    if kept.superseded:
        parts.append(f"It replaces:\n{fenced(kept.superseded)}")
    if kept.suspected:
        parts.append(f"It may contradict:\n{fenced(kept.suspected)}")
    return "\n".join(parts)


def forgotten(ids: Iterable[str]) -> str:
    """What a `forget` did."""
    gone = ", ".join(ids)
    return f"Memory forgotten (id: {gone})" if gone else NOT_THERE


def fenced(
    items: Iterable[MemoryItem], lessons: Iterable[MemoryItem] = (), *, newer: Mapping[str, str] | None = None
) -> str:
    """The items in the order given; empty when there are none."""
    shown = [_shown(item, newer or {}) for item in items]
    avoid = [_shown(item, newer or {}) for item in lessons]
    if not shown and not avoid:
        return ""
    header, *_, close = (shown + avoid)[0]
    lines = [line for block in shown for line in block[1:-1]]
    if avoid:
        lines += [_AVOID, *(line for block in avoid for line in block[1:-1])]
    return "\n".join([header, *lines, close])


def _shown(item: MemoryItem, newer: Mapping[str, str]) -> list[str]:
    """A whole block for one item, as lines; escaping is done in one place only."""
    doubts = tuple(newer[id] for id in item.suspected_by[-1:] if id in newer)
    lines = TEMPLATES["default"](Material(entries=[Entry(item=item, suspected_by=doubts)])).split("\n")
    return [*lines[:-2], f"{lines[-2]} (id: {item.id})", lines[-1]]
