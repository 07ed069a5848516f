"""What users may rely on when one conversation is extracted again, has grown, or is read by an extractor that costs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

import pytest

from truekeep.errors import Conflict
from truekeep.model import Draft, ExtractionReport, Message, Source
from truekeep.ports import Account, Extracted

from .opening import OpenMemory, contents

FIRST = {"role": "user", "name": "Ana", "content": "I prefer tea.", "id": "m1"}
SECOND = {"role": "user", "name": "Ana", "content": "I prefer trains over planes.", "id": "m2"}
NAMELESS = {"role": "user", "name": "Ana", "content": "I prefer tea."}


class Costly:
    """Keeps every message, worded differently each time, and says what that cost."""

    name = "costly"
    time_limit = timedelta(seconds=1)

    def __init__(self, *fallbacks: str | None) -> None:
        self.fallbacks = list(fallbacks)
        self.granted: list[bool] = []
        self.read: list[list[str]] = []

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise NotImplementedError

    def extract_within(
        self, messages: Sequence[Message], *, account: Account, settled: Collection[int] = ()
    ) -> Extracted:
        self.granted.append(account.take("llm_calls", 1, limit=3, per="month"))
        new = [message for place, message in enumerate(messages) if place not in settled]
        self.read.append([message.content for message in new])
        drafts = [
            Draft(
                content=f"{message.speaker} said, in run {len(self.read)}: {message.content}",
                source=Source(speaker=message.speaker, message=message.id),
                metadata={"quote": message.content},
                derived=True,
            )
            for message in new
        ]
        fallback = self.fallbacks.pop(0) if self.fallbacks else None
        return Extracted(drafts, ExtractionReport(extractor=self.name, calls=1, prompt_tokens=7, fallback=fallback))


class Extracting:
    """Needs the fixture `open_memory`."""

    @pytest.mark.parametrize("wait", [True, False])
    def test_a_message_of_a_session_is_learned_once(self, open_memory: OpenMemory, wait: bool) -> None:
        memory = open_memory()

        for conversation in ([FIRST], [FIRST], [FIRST, SECOND], [FIRST, SECOND]):
            memory.extract(conversation, session="s", wait=wait)
            memory.flush()

        found = {item.source.message: item.reinforced for item in memory.items()}
        assert found == {"m1": 0, "m2": 0}

    def test_only_the_session_and_the_id_and_the_text_together_name_a_message(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.extract([FIRST], session="s")

        outcomes = [
            [one.outcome for one in memory.extract([message], session=session).remembered]
            for message, session in (
                (FIRST, "s"),
                (FIRST, "t"),
                (FIRST, None),
                (NAMELESS, "s"),
                ({**FIRST, "id": "m9"}, "s"),
                ({**FIRST, "content": "I prefer boats over planes."}, "s"),
            )
        ]

        assert outcomes[0] == []
        assert outcomes[1:5] == [["reinforced"]] * 4
        assert len(outcomes[5]) == 1

    def test_a_message_that_was_read_does_not_come_back_after_it_was_forgotten(self, open_memory: OpenMemory) -> None:
        memory = open_memory(extractor=Costly())
        [kept] = memory.extract([FIRST], session="s").remembered
        memory.forget(kept.id)

        again = memory.extract([FIRST, SECOND], session="s")

        assert [one.item.source.message for one in again.remembered] == ["m2"]

    def test_emptying_the_space_forgets_what_was_read(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.extract([FIRST], session="s")
        memory.forget(everything=True)

        again = memory.extract([FIRST], session="s")

        assert [one.outcome for one in again.remembered] == ["added"]

    def test_a_key_that_another_conversation_has_makes_no_job(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.extract([FIRST], session="s", idempotency_key="at once")
        job = memory.extract([FIRST], session="s", wait=False, idempotency_key="k").job

        again = memory.extract([FIRST], session="s", wait=False, idempotency_key="k").job

        assert job is not None
        assert again is not None
        assert again.id == job.id
        for other, key in (([SECOND], "k"), ([FIRST, SECOND], "k"), ([SECOND], "at once")):
            with pytest.raises(Conflict, match="idempotency_key"):
                memory.extract(other, session="s", wait=False, idempotency_key=key)

    def test_a_retry_under_one_idempotency_key_is_answered_alike(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.extract([FIRST, SECOND], session="s", idempotency_key="k").remembered

        again = memory.extract([FIRST, SECOND], session="s", idempotency_key="k").remembered

        assert [one.id for one in again] == [one.id for one in first]
        assert all(one.replayed for one in again)
        with pytest.raises(Conflict, match="idempotency_key"):
            memory.extract([SECOND], session="s", idempotency_key="k")

    def test_a_retry_does_not_pay_a_costly_extractor_again(self, open_memory: OpenMemory) -> None:
        costly = Costly()
        memory = open_memory(extractor=costly)
        first = memory.extract([NAMELESS], idempotency_key="k")

        again = memory.extract([NAMELESS], idempotency_key="k")

        assert len(costly.read) == 1
        assert [one.id for one in again.remembered] == [one.id for one in first.remembered]
        assert memory.stats().items == 1

    def test_what_was_read_is_not_read_again_at_a_cost(self, open_memory: OpenMemory) -> None:
        costly = Costly()
        memory = open_memory(extractor=costly)

        for conversation in ([FIRST], [FIRST, SECOND], [FIRST, SECOND]):
            memory.extract(conversation, session="s")

        assert costly.read == [[FIRST["content"]], [SECOND["content"]], []]
        assert len(memory.items()) == 2

    def test_what_was_not_read_as_it_should_may_be_read_again_and_is_kept_once(self, open_memory: OpenMemory) -> None:
        costly = Costly("it hung", None)
        memory = open_memory(extractor=costly)
        memory.extract([FIRST], session="s")
        before = contents(memory.items())

        again = memory.extract([FIRST, SECOND], session="s")

        assert costly.read[1] == [FIRST["content"], SECOND["content"]]
        assert [one.item.source.message for one in again.remembered] == ["m2"]
        assert before == [content for content in contents(memory.items()) if content in before]

    def test_the_report_is_on_the_receipt(self, open_memory: OpenMemory) -> None:
        memory = open_memory(extractor=Costly("it hung"))

        report = memory.extract([FIRST], session="s").report

        assert report == ExtractionReport(extractor="costly", calls=1, prompt_tokens=7, fallback="it hung")
        assert open_memory("other").extract([FIRST]).report is None

    def test_the_report_is_in_the_result_of_a_job(self, open_memory: OpenMemory) -> None:
        memory = open_memory(extractor=Costly("it hung", None))
        reports: list[Any] = []

        for message in (FIRST, SECOND):
            job = memory.extract([message], session="s", wait=False).job
            assert job is not None
            memory.flush()
            done = memory.job(job.id)
            reports.append((done.state, done.error, done.result["report"]["fallback"]))  # type: ignore[index, call-overload]

        assert reports == [("done", "it hung", "it hung"), ("done", None, None)]
