"""`StatefulAgent`: a persistent agent that also keeps what it learned about its users."""

from __future__ import annotations

from typing import Any

from truekeep.errors import Conflict
from truekeep.memory import Memory
from truekeep.model import JSON

from .persistent_agent import PersistentAgent, Verb

PREFERENCES = "preferences"
PATTERNS = "patterns"
COUNT = "message_count"
_ATTEMPTS = 20


class StatefulAgent(PersistentAgent):
    """A `PersistentAgent` with preferences, patterns and a count of the messages that it ever received.

    All of it is restored on start, and shared with other processes that have an agent of this name. When the memory
    fails, the agent goes on with what it knows.
    """

    def __init__(self, name: str, *arguments: Any, **options: Any) -> None:
        super().__init__(name, *arguments, **options)
        self.user_preferences: dict[str, JSON] = {}
        self.learned_patterns: list[JSON] = []
        self._count = 0
        self._restore()

    def learn_preference(self, key: str, value: JSON) -> None:
        """Keep one preference; the others stay, also those that another process learned meanwhile."""
        self.user_preferences[key] = value
        kept = self.remembering.on_memory(lambda memory: _merged(memory, {key: value}), None)
        self.user_preferences = self.user_preferences if kept is None else kept

    def add_pattern(self, pattern: JSON) -> None:
        """Keep one more pattern."""
        self.learned_patterns.append(pattern)
        kept = self.remembering.on_memory(lambda memory: memory.append(PATTERNS, pattern).value, None)
        self.learned_patterns = kept if isinstance(kept, list) else self.learned_patterns

    def get_context(self) -> dict[str, Any]:
        """Preferences, patterns and the number of messages received, of all processes together."""
        self._restore()
        return {
            "preferences": dict(self.user_preferences),
            "patterns": [*self.learned_patterns],
            "conversation_count": self._count,
        }

    def _restore(self) -> None:
        known = (self.user_preferences, self.learned_patterns, self._count)
        self.user_preferences, self.learned_patterns, self._count = self.remembering.on_memory(_state, known)

    def _received(self, message: Any, sender: Any) -> Verb:
        keep = super()._received(message, sender)

        def verb(memory: Memory) -> None:
            memory.increment(COUNT)
            if keep is not None:
                keep(memory)

        return verb


def _state(memory: Memory) -> tuple[dict[str, JSON], list[JSON], int]:
    return memory.get(PREFERENCES) or {}, memory.get(PATTERNS) or [], int(memory.get(COUNT) or 0)


def _merged(memory: Memory, new: dict[str, JSON]) -> dict[str, JSON]:
    for _ in range(_ATTEMPTS):
        found = memory.value(PREFERENCES)
        known = found.value if found is not None and isinstance(found.value, dict) else {}
        try:
            memory.set(PREFERENCES, {**known, **new}, if_version=0 if found is None else found.version)
        except Conflict:
            continue  # another process learned something at the same moment
        return {**known, **new}
    raise Conflict("the preferences keep changing; try again")
