"""What of a run's messages is new to a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from truekeep.adapters.common import transcripts


def unseen(known: Sequence[Any], incoming: Sequence[Any]) -> list[Any]:
    """What of the messages is new: a caller may send the end of the transcript, or all of it, along with the rest.

    Something new must follow, else it is a turn that went just like the one before it. One user message alone, without
    an id, does not make a replay: people repeat themselves.
    """
    before, now = [*map(_identity, known)], [*map(_identity, incoming)]
    for length in range(min(len(before), len(now) - 1), 0, -1):
        if before[-length:] == now[:length]:
            is_told_twice = length == 1 and incoming[0].get("role") == "user" and not incoming[0].get("message_id")
            return [*incoming[0 if is_told_twice else length :]]
    return [*incoming]


save = partial(transcripts.save, choose=unseen)


def _identity(message: dict[str, Any]) -> Any:
    return message.get("message_id") or [message.get("role"), message.get("contents")]
