"""`PersistentAgent`: an agent that goes on with its conversations where another process left them.

`StatefulAgent` also keeps what it learned about its users.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autogen import ConversableAgent

from truekeep.adapters.common import FailOpen, Plan, Recording, Remembering, Spaces, heard
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING
from truekeep.errors import Conflict
from truekeep.memory import Memory
from truekeep.model import JSON

from .agents import role_of
from .transcript import Entry, Transcript

HISTORY = "conversation_history"
PREFERENCES = "preferences"
PATTERNS = "patterns"
COUNT = "message_count"
_ATTEMPTS = 20


class PersistentAgent(ConversableAgent):  # type: ignore[misc]  # the framework is not installed where types are checked
    """A `ConversableAgent` whose conversations survive, and are shown to its model when they go on.

    What was said before is not put into `chat_messages`: the model sees it, code execution and summaries do not.

    Args:
        name: as for `ConversableAgent`, like all that is not named here.
        memory: where to keep it; default: the space `autogen-{name}`.
        history: at most so many earlier messages with the same partner are shown to the model.
        guard: how failures of the memory are met: deadline, callback.
    """

    def __init__(
        self,
        name: str,
        *arguments: Any,
        memory: Memory | Spaces | str | None = None,
        history: int = 50,
        guard: FailOpen | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, *arguments, **options)
        space = f"autogen-{name}" if memory is None else memory
        self.remembering = Remembering(space, recording=Recording(mode=None), guard=guard)
        self._history = history
        self._past: list[Entry] = self.remembering.on_memory(lambda kept: kept.get(HISTORY) or [], [])
        self._transcripts: dict[str, Transcript] = {}
        self._anybody: Any = None
        self.replace_reply_func(ConversableAgent.generate_oai_reply, PersistentAgent._reply_with_history)
        self.replace_reply_func(ConversableAgent.a_generate_oai_reply, PersistentAgent._a_reply_with_history)

    @property
    def memory(self) -> Memory:
        """Its memory, for anything else that shall survive. Unlike the agent, it raises when it fails."""
        return self.remembering.spaces.own()

    def receive(self, message: Any, sender: Any = None, request_reply: bool | None = None, silent: Any = False) -> None:
        """As in AutoGen; without a sender, somebody called "user" says it."""
        sender = sender or self._somebody()
        # Kept before it is answered: in a synchronous chat all the rest happens inside of the next call.
        self.remembering.run(self._received(message, sender))
        super().receive(message, sender, request_reply, silent)

    async def a_receive(
        self, message: Any, sender: Any = None, request_reply: bool | None = None, silent: Any = False
    ) -> None:
        """The same in an async chat."""
        sender = sender or self._somebody()
        await self.remembering.aio.run(self._received(message, sender))
        await super().a_receive(message, sender, request_reply, silent)

    def send(self, message: Any, recipient: Any, request_reply: bool | None = None, silent: Any = False) -> None:
        """As in AutoGen."""
        self.remembering.run(self._sent(message, recipient))
        super().send(message, recipient, request_reply, silent)

    async def a_send(
        self, message: Any, recipient: Any, request_reply: bool | None = None, silent: Any = False
    ) -> None:
        """The same in an async chat."""
        await self.remembering.aio.run(self._sent(message, recipient))
        await super().a_send(message, recipient, request_reply, silent)

    def clear_history(self, recipient: Any = None, nr_messages_to_preserve: int | None = None) -> None:
        """Clear `chat_messages`, as every chat does that starts afresh. What is kept stays; see `forget_history`."""
        super().clear_history(recipient, nr_messages_to_preserve)
        if nr_messages_to_preserve:
            return
        for name, transcript in self._transcripts.items():
            if recipient is None or recipient.name == name:
                transcript.restart()

    def forget_history(self) -> None:
        """Delete what is kept of all conversations."""
        self.memory.delete(HISTORY)
        self._past = []
        for transcript in self._transcripts.values():
            transcript.forget()

    def _received(self, message: Any, sender: Any) -> Plan[None]:
        name = message.get("name") if isinstance(message, dict) else None
        return self._taken(message, speaker=name or sender.name, role=role_of(message, sender), partner=sender.name)

    def _sent(self, message: Any, recipient: Any) -> Plan[None]:
        return self._taken(message, speaker=self.name, role=role_of(message, self), partner=recipient.name)

    def _taken(self, message: Any, *, speaker: str, role: str | None, partner: str) -> Plan[None]:
        with shielded(self.remembering.guard):
            said = heard(message, speaker=speaker, role=role)
            if said is not None:
                transcript = self._transcript(partner)
                if transcript.add({"sender": speaker, "message": said.content, "with": partner}):
                    return self.remembering.plans.on_memory(transcript.send, None)
        return NOTHING

    def _transcript(self, partner: str) -> Transcript:
        if partner not in self._transcripts:
            past = [entry for entry in self._past if isinstance(entry, dict) and entry.get("with") == partner]
            self._transcripts[partner] = Transcript(HISTORY, past, likeness=_likeness)
            self.remembering.entrust(self._transcripts[partner])
        return self._transcripts[partner]

    def _somebody(self) -> Any:
        if self._anybody is None:
            self._anybody = ConversableAgent(
                "user", llm_config=False, human_input_mode="NEVER", max_consecutive_auto_reply=0
            )
        return self._anybody

    def _reply_with_history(
        self, messages: Sequence[Any] | None = None, sender: Any = None, config: Any = None
    ) -> tuple[bool, Any]:
        final: tuple[bool, Any] = self.generate_oai_reply(self._with_history(messages, sender), sender, config)
        return final

    async def _a_reply_with_history(
        self, messages: Sequence[Any] | None = None, sender: Any = None, config: Any = None
    ) -> tuple[bool, Any]:
        shown = self._with_history(messages, sender)
        final: tuple[bool, Any] = await self.a_generate_oai_reply(shown, sender, config)
        return final

    def _with_history(self, messages: Sequence[Any] | None, sender: Any) -> list[Any]:
        present = [*(self.chat_messages[sender] if messages is None else messages)]
        if sender is None:
            return present
        with shielded(self.remembering.guard):
            transcript = self._transcript(sender.name)
            transcript.go_on()
            earlier = transcript.earlier[-self._history :] if self._history > 0 else []
            return [*(self._shown(entry) for entry in earlier), *present]
        return present

    def _shown(self, entry: Entry) -> dict[str, Any]:
        role = "assistant" if entry.get("sender") == self.name else "user"
        return {"role": role, "name": entry.get("sender"), "content": entry.get("message")}


def _likeness(entry: Entry) -> object:
    return entry.get("sender"), entry.get("message")


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

    def _received(self, message: Any, sender: Any) -> Plan[None]:
        keep = super()._received(message, sender).work

        def verb(memory: Memory) -> None:
            memory.increment(COUNT)
            if keep is not None:
                keep()

        return self.remembering.plans.on_memory(verb, None)


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
