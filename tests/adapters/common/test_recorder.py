"""A message is recorded once, with its true speaker, whatever is replayed."""

from __future__ import annotations

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep import Memory
from truekeep.adapters.common import Recorder, Recording
from truekeep.errors import ConfigurationError, InvalidInput, StoreError

from .places import kept, opened

HISTORY = [
    {"role": "user", "name": "Ana", "content": "I prefer green tea."},
    {"role": "assistant", "name": "Bot", "content": "Noted."},
    {"role": "user", "name": "Ana", "content": "Thanks"},
    {"role": "assistant", "name": "Bot", "content": "Noted."},
]
SAID = [message["content"] for message in HISTORY]


def contents(folder: Path) -> list[str]:
    return [item.content for item in kept(folder)]


def test_a_message_is_kept_with_its_speaker_role_and_conversation(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory, conversation="chat-1").note({"role": "user", "name": "Ana", "content": "I like tea"}, id="m7")

    (item,) = kept(tmp_path)
    assert (item.content, item.kind, item.speaker, item.session) == ("I like tea", "interaction", "Ana", "chat-1")
    assert (item.source.role, item.source.trust, item.source.message) == ("user", "user", "m7")


def test_the_true_speaker_and_role_win_over_how_others_see_the_message(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory).note({"role": "user", "content": "I checked it"}, speaker="Bot", role="assistant")

    (item,) = kept(tmp_path)
    assert (item.speaker, item.source.role, item.source.trust) == ("Bot", "assistant", "agent")


def test_what_nobody_vouches_for_is_not_taken_for_the_users_word(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory).note("the sky is green")

    assert kept(tmp_path)[0].source.trust == "unknown"


def test_a_history_that_grows_is_recorded_as_it_grows(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)

        new = [recorder.record(HISTORY[:length]) for length in range(len(HISTORY) + 1)]

    assert new == [0, 1, 1, 1, 1]
    assert contents(tmp_path) == SAID


def test_a_forgotten_message_is_not_recorded_again_by_a_replay(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory, conversation="c").record(HISTORY)
        memory.forget(session="c")
    with opened(tmp_path) as memory:
        Recorder(memory, conversation="c").record(HISTORY)

    assert contents(tmp_path) == []


def test_a_replay_in_another_process_records_nothing_twice(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for length in range(len(HISTORY) + 1):
            Recorder(memory, conversation="chat").record(HISTORY[:length])
    with opened(tmp_path) as memory:
        Recorder(memory, conversation="chat").record([*HISTORY, {"role": "user", "name": "Ana", "content": "Thanks"}])

    assert contents(tmp_path) == [*SAID, "Thanks"]


def test_messages_that_were_noted_one_by_one_are_known_in_the_history(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)
        for message in HISTORY:
            recorder.note(message)
        recorder.record(HISTORY)
        recorder.note({"role": "assistant", "name": "Bot", "content": "Noted."})

    assert contents(tmp_path) == [*SAID, "Noted."]


def test_a_replay_to_note_that_leaves_one_out_records_nothing_twice(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)
        recorder.record(HISTORY)

        recorder.rewind()
        for message in HISTORY[1:]:  # as a group chat does when it resumes
            recorder.note(message)

    assert contents(tmp_path) == SAID


def test_the_same_words_under_another_id_are_another_message(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)

        new = [recorder.note("yes", speaker="Ana", id=id) for id in ("m1", "m1", "m2")]

    assert new == [True, False, True]
    assert contents(tmp_path) == ["yes", "yes"]


def test_two_conversations_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory).record(HISTORY)
        Recorder(memory).record(HISTORY)

    assert contents(tmp_path) == [*SAID, *SAID]


def test_a_message_that_comes_back_under_another_name_is_not_recorded_again(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory, conversation="chat").note("hello", speaker="Ana", id="m1")
        Recorder(memory, conversation="chat").record(
            [{"role": "user", "name": "Annie", "content": "hello", "id": "m1"}, {"role": "user", "content": "bye"}]
        )

    assert [(item.content, item.speaker) for item in kept(tmp_path)] == [("hello", "Ana"), ("bye", None)]


NOTHING: list[Any] = [
    None,
    "",
    "  \n",
    [],
    {},
    7,
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "recall"}}]},
    {"role": "tool", "content": "42", "tool_call_id": "c1"},
    {"role": "function", "name": "recall", "content": "- a memory"},
    {"role": "user", "content": "42", "tool_responses": [{"tool_call_id": "c1", "content": "42"}]},
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
    {"role": "user", "content": object()},
    "## Long-term memory\n<recalled-memory note='x'>\n- Ana likes tea\n</recalled-memory>",
]


@pytest.mark.parametrize("message", NOTHING, ids=range(len(NOTHING)))
def test_what_nobody_said_is_not_recorded(message: object, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)

        assert recorder.note(message) is False
        assert recorder.record([message]) == 0

    assert contents(tmp_path) == []


def test_the_words_beside_a_picture_a_tool_call_or_a_recalled_block_are_recorded(tmp_path: Path) -> None:
    picture = [{"type": "text", "text": "Look at my dog"}, object(), {"type": "image_url", "image_url": {"url": "x"}}]
    call = {"role": "assistant", "content": "Let me look it up", "tool_calls": [{"id": "c1"}]}
    recalled = "## Long-term memory\n<recalled-memory>\n- old\n</recalled-memory>\n\nWhat about tea?"
    with opened(tmp_path) as memory:
        Recorder(memory).record([{"role": "user", "content": picture}, call, recalled])

    assert contents(tmp_path) == ["Look at my dog", "Let me look it up", "What about tea?"]


def test_short_messages_can_be_left_out(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory, recording=Recording(longer_than=20))

        recorder.record(["x" * 20, "y" * 21])

    assert contents(tmp_path) == ["y" * 21]


def test_what_is_recorded_can_have_a_kind_tags_and_an_end(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Recorder(memory, recording=Recording(kind="episode", tags=["chat"], ttl=3600)).note("I like tea")

    (item,) = kept(tmp_path)
    assert (item.kind, item.tags) == ("episode", ("chat",))
    assert item.expires is not None


def test_nothing_is_recorded_when_nothing_shall_be(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert Recorder(memory, recording=Recording(mode=None)).record(HISTORY) == 0

    assert contents(tmp_path) == []


@pytest.mark.parametrize("options", [{"mode": "everything"}, {"every": 0}])
def test_a_recording_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Recording(**options)


def test_what_could_not_be_kept_goes_with_the_next_message(tmp_path: Path) -> None:
    doors: list[Memory] = []

    def open_door() -> Memory:
        if not doors:
            raise StoreError("gone")
        return doors[0]

    recorder = Recorder(open_door)
    for message in HISTORY[:2]:
        with pytest.raises(StoreError):
            recorder.note(message)
    with opened(tmp_path) as memory:
        doors.append(memory)
        recorder.note(HISTORY[2])

    assert contents(tmp_path) == SAID[:3]
    assert recorder.waiting == 0


def test_a_message_that_can_never_be_kept_does_not_hold_up_the_others(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)
        with pytest.raises(InvalidInput):
            recorder.record(["one", "not\x00text", "\ud800", "x" * 100_000, "two"])

        recorder.note("three")

    assert contents(tmp_path) == ["one", "two", "three"]


def test_only_so_many_messages_wait_for_a_store_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("truekeep.adapters.common.recorder.MOST_PENDING", 3)
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)
        for number in range(5):
            recorder.take(f"message {number}")

        recorder.send()

    assert contents(tmp_path) == ["message 2", "message 3", "message 4"]
    assert "was not recorded" in caplog.text


def test_extraction_reads_whole_batches_and_the_rest_at_the_end(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        recorder = Recorder(memory, conversation="chat", recording=Recording(mode="extract", every=2))

        recorder.note("I prefer green tea.", speaker="Ana", role="user")
        after_one = memory.stats().items
        recorder.note("Noted.", speaker="Bot", role="assistant")
        after_two = memory.stats().items
        recorder.note("My name is Ana.", speaker="Ana", role="user")
        recorder.flush()

    assert (after_one, after_two) == (0, 1)
    assert contents(tmp_path) == ["I prefer green tea.", "My name is Ana."]
    assert {(item.speaker, item.session) for item in kept(tmp_path)} == {("Ana", "chat")}


def test_a_replay_extracts_nothing_twice(tmp_path: Path) -> None:
    recording = Recording(mode="extract", every=2)
    for _ in range(3):
        with opened(tmp_path) as memory:
            recorder = Recorder(memory, conversation="chat", recording=recording)
            recorder.record(HISTORY)
            recorder.record(HISTORY)
            recorder.flush()

    (item,) = kept(tmp_path)
    assert (item.content, item.reinforced) == ("I prefer green tea.", 0)


def test_many_threads_record_each_message_once(tmp_path: Path) -> None:
    messages = [f"message {number}" for number in range(30)]
    with opened(tmp_path) as memory:
        recorder = Recorder(memory)
        threads = [threading.Thread(target=recorder.record, args=(messages,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(contents(tmp_path)) == sorted(messages)
    assert recorder.waiting == 0


messages = st.builds(
    lambda speaker, text: {"role": "user", "name": speaker, "content": text},
    st.sampled_from(["Ana", "Ben"]),
    st.sampled_from(["yes", "no", "I prefer tea.", "ok"]),
)
cuts = st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0, 1)), max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.lists(messages, max_size=12), cuts)
def test_however_a_history_is_split_and_replayed_each_message_is_there_once(
    history: list[dict[str, str]], rounds: list[tuple[bool, bool, float]]
) -> None:
    with TemporaryDirectory() as folder, opened(Path(folder)) as memory:
        recorder = Recorder(memory, conversation="chat")
        for is_new_process, is_one_by_one, share in [*rounds, (True, True, 1.0)]:
            if is_new_process:
                recorder = Recorder(memory, conversation="chat")
            part = history[: round(share * len(history))]
            if is_one_by_one:
                recorder.rewind()
                for message in part:
                    recorder.note(message)
            else:
                recorder.record(part)

        items = sorted(memory.items(limit=1000), key=lambda item: (item.created, item.id))

    assert [(item.speaker, item.content) for item in items] == [(one["name"], one["content"]) for one in history]
