"""One call of a model: where its messages are and where its reply, what is recalled for it, and what of it is kept.

OpenAI-shaped clients are asked in two ways, which are wires here: those are pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from truekeep.adapters.common import Plan, Remembering
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING
from truekeep.adapters.common.speech import last_told

Inject = Literal["system", "user"]
Arguments = dict[str, Any]
_INSTRUCTING = ("system", "developer")


class Wire(Protocol):
    """How one kind of call looks. Never changes what it is given."""

    def messages(self, arguments: Arguments) -> list[Any]:
        """What is said in a call, in order, as the caller has it."""
        ...

    def shown(self, arguments: Arguments, block: str, inject: Inject) -> Arguments:
        """The arguments of the same call with a recalled block in it."""
        ...

    def is_continued(self, arguments: Arguments) -> bool:
        """Whether the call brings only what is new, because the service has the rest."""
        ...

    def reply(self, result: Any) -> str:
        """What the model said."""
        ...

    def piece(self, chunk: Any) -> str:
        """What a chunk of a stream adds to it."""
        ...


class ChatWire:
    """`chat.completions`."""

    def messages(self, arguments: Arguments) -> list[Any]:
        return list(_many(arguments.get("messages")))

    def shown(self, arguments: Arguments, block: str, inject: Inject) -> Arguments:
        return {**arguments, "messages": _shown(self.messages(arguments), block, inject)}

    def is_continued(self, arguments: Arguments) -> bool:
        return False

    def reply(self, result: Any) -> str:
        return _text(result.choices[0].message.content)

    def piece(self, chunk: Any) -> str:
        return "".join(_text(choice.delta.content) for choice in chunk.choices[:1] if choice.index == 0)


class ResponsesWire:
    """`responses`."""

    def messages(self, arguments: Arguments) -> list[Any]:
        given = arguments.get("input")
        return [{"role": "user", "content": given}] if isinstance(given, str) else list(_many(given))

    def shown(self, arguments: Arguments, block: str, inject: Inject) -> Arguments:
        if inject == "user" and not self._may_be_kept(arguments):
            return {**arguments, "input": _shown(self.messages(arguments), block, inject, part="input_text")}
        told = arguments.get("instructions")
        # The service does not keep instructions for the next call, so nothing piles up there.
        return {**arguments, "instructions": f"{told}\n\n{block}" if isinstance(told, str) and told else block}

    def is_continued(self, arguments: Arguments) -> bool:
        return any(isinstance(arguments.get(name), str | Mapping) for name in ("previous_response_id", "conversation"))

    def _may_be_kept(self, arguments: Arguments) -> bool:
        """Whether the service may have the input before it in the next call: unless it is told not to store it, or the
        caller brings the history along."""
        brings_history = any(role_of(plain(message)) == "assistant" for message in self.messages(arguments))
        return self.is_continued(arguments) or not (brings_history or arguments.get("store") is False)

    def reply(self, result: Any) -> str:
        return _text(result.output_text)

    def piece(self, chunk: Any) -> str:
        return _text(chunk.delta) if chunk.type == "response.output_text.delta" else ""


WIRES: Mapping[str, Wire] = {
    "chat.completions.create": ChatWire(),
    "chat.completions.parse": ChatWire(),
    "responses.create": ResponsesWire(),
    "responses.parse": ResponsesWire(),
}


def plain(message: Any) -> Any:
    """A message as a mapping: people put the objects that they were answered with back into the next call."""
    if isinstance(message, Mapping):
        content = message.get("content")
        return {**message, "content": [_part(part) for part in content]} if isinstance(content, list) else message
    role = getattr(message, "role", None)
    content = getattr(message, "content", None)
    if not isinstance(role, str):
        return None
    return plain({"role": role, "content": content, "name": getattr(message, "name", None)})


def _part(part: Any) -> Any:
    """A part of a message; all kinds of text are text."""
    text = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", None)
    return {"type": "text", "text": text} if isinstance(text, str) else part


def _shown(messages: list[Any], block: str, inject: Inject, *, part: str = "text") -> list[Any]:
    if inject == "user":
        places = [place for place, message in enumerate(messages) if role_of(message) == "user"][-1:]
    else:
        places = [place for place, message in enumerate(messages) if role_of(message) in _INSTRUCTING][:1]
    if not places:
        return [{"role": "system", "content": block}, *messages] if inject == "system" else messages
    [place] = places
    changed = _beside(messages[place], block, before=inject == "user", part=part)
    return [*messages[:place], changed, *messages[place + 1 :]]


def role_of(message: Any) -> Any:
    """The role in which it is said; None for what is no message."""
    return message.get("role") if isinstance(message, Mapping) else None


def _beside(message: Mapping[str, Any], block: str, *, before: bool, part: str) -> Mapping[str, Any]:
    """A copy of the message with the block beside its content."""
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        added = {"type": part, "text": block}
        return {**message, "content": [added, *content] if before else [*content, added]}
    return {**message, "content": f"{block}\n\n{content or ''}" if before else f"{content or ''}\n\n{block}"}


def _many(given: Any) -> Iterable[Any]:
    return given if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) else ()


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""


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
            query = last_told(self._messages)
            if query:
                return self._remembering.plans.block(query, seen=self._messages, conversation=self._conversation)
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
                return plans.record(said, conversation=self._conversation)
            noted = [plans.note(message, conversation=self._conversation) for message in said]
            return next((plan for plan in reversed(noted) if plan.work), NOTHING)
        return NOTHING
