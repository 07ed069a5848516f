"""One call of a model: what is recalled for it, what was heard, and what of it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truekeep.adapters.common import Plan, Remembering, last_said
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING

from .wires import Arguments, Inject, Wire, plain, role_of


class Exchange:
    """Says what is to be done before and after a call; others do it, waiting or awaiting. Nothing here raises."""

    def __init__(
        self,
        remembering: Remembering,
        wire: Wire,
        arguments: Arguments,
        *,
        conversation: str | None,
        inject: Inject,
    ) -> None:
        self._remembering = remembering
        self._wire = wire
        # What can be read only once is read here, for the call as well.
        self._arguments = {name: [*one] if isinstance(one, Iterator) else one for name, one in arguments.items()}
        self._conversation = conversation
        self._inject = inject
        self._heard: list[str] = []
        self._messages: list[Any] = []
        with shielded(remembering.guard):
            self._messages = [plain(message) for message in wire.messages(self._arguments)]

    @property
    def is_streamed(self) -> bool:
        return self._arguments.get("stream") is True

    def before(self) -> Plan[str]:
        """What has to be asked of the memory; nothing where nobody said anything."""
        with shielded(self._remembering.guard):
            # What the model says itself, between its tool calls, shall not change what stands above them.
            told = [message for message in self._messages if role_of(message) != "assistant"]
            query = last_said(told) or last_said(self._messages)
            if query:
                return self._remembering.plans.block(query, self._messages, self._conversation)
        return Plan(None, "")

    def arguments(self, block: str) -> Arguments:
        """Those of the call, with the block where the model sees it and the caller does not."""
        with shielded(self._remembering.guard):
            if block:
                return self._wire.shown(self._arguments, block, self._inject)
        return self._arguments

    def hear(self, chunk: Any) -> None:
        """Another piece of the reply."""
        with shielded(self._remembering.guard):
            self._heard.append(self._wire.piece(chunk))

    def answered(self, result: Any) -> None:
        """The whole reply."""
        with shielded(self._remembering.guard):
            self._heard = [self._wire.reply(result)]

    def after(self, *, whole: bool = True) -> Plan[None]:
        """What is to be kept. A reply that was cut off is not what the model had to say."""
        with shielded(self._remembering.guard):
            reply = "".join(self._heard) if whole else ""
            said = [*self._messages, {"role": "assistant", "content": reply}]
            plans = self._remembering.plans
            if not self._wire.is_continued(self._arguments):
                return plans.record(said, self._conversation)
            noted = [plans.note(message, conversation=self._conversation) for message in said]
            return next((plan for plan in reversed(noted) if plan.work), NOTHING)
        return NOTHING
