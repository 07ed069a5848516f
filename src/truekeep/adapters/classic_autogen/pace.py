"""Whether the chat under way may be made to wait, and with whom it is."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from truekeep.adapters.common import Plan, Remembering
from truekeep.adapters.common.adapter import Current

# Version 0.14 calls the same plain hooks in an async chat, on the thread of the event loop. A loop that is running
# says nothing: in a notebook it runs around synchronous chats as well. So those who are awaited leave a note here.
is_async: ContextVar[bool] = ContextVar("is_async", default=False)

partner: Current[Any] = Current("partner")
"""The agent that is being talked to, while scopes are asked for: `Spaces(lambda: f"user:{partner().name}")`."""


def noted(
    remembering: Remembering,
    message: object,
    *,
    speaker: str | None,
    role: str | None,
    id: str | None = None,
    conversation: str | None = None,
) -> Plan[None] | None:
    """Take a message down; what is to be done now so that it is kept."""
    plan = remembering.plans.note(message, speaker=speaker, role=role, id=id, conversation=conversation)
    if plan is None and remembering.plans.recording.mode == "extract":
        remembering.guard.prepare()  # what waits for more messages is sent when the process ends
    return plan


def carry_out(remembering: Remembering, plan: Plan[None] | None) -> None:
    """Do it now, or in an async chat meanwhile."""
    if plan is None:
        return
    if is_async.get():
        remembering.guard.start(plan.work, deadline=remembering.deadline)
    else:
        remembering.run(plan)
