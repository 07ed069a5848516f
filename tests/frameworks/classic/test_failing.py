"""Whatever becomes of the memory, the chat has the same replies, in time, and the failures are counted."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.frameworks.classic.parts import (
    HEADING,
    asked,
    bot,
    chat,
    contents,
    give_model,
    group,
    opened,
    person,
    spaces,
)
from truekeep.adapters.classic_autogen import (
    PersistentAgent,
    PersistentGroupChat,
    StatefulAgent,
    attach,
    attach_group,
)
from truekeep.adapters.common import FailOpen, Recalling, Spaces

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
SCRIPT = ["The first of three long replies.", {"recall": {"query": "tea"}}, "The last of three long replies."]


class _Broken(http.server.BaseHTTPRequestHandler):
    patience = 0.0

    def _answer(self) -> None:
        self.server.stopping.wait(self.patience)  # type: ignore[attr-defined]
        self.send_response(500)
        self.end_headers()

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, *_: object) -> None:
        pass


class _Hanging(_Broken):
    patience = 30.0


@contextmanager
def answering(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.stopping = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.stopping.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    connection = apsw.Connection(str(folder / "memory.db"))
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.close()


@contextmanager
def failing(how: str, folder: Path) -> Iterator[Spaces]:
    """Memories that are out of order."""
    if how == "gone":
        yield Spaces("bot", at="http://127.0.0.1:9")
    elif how == "locked":
        opened(folder).close()
        with locked(folder):
            yield spaces(folder, "bot")
    else:
        with answering(_Hanging if how == "hanging" else _Broken) as address:
            yield Spaces("bot", at=address)


def impatient() -> FailOpen:
    return FailOpen(deadline=0.2, tolerance=2)


def replies(memory: Any, *, is_async: bool) -> tuple[list[Any], int]:
    agent, user = bot(), person()
    failures = 0
    if memory is not None:
        attached = attach(agent, memory, guard=impatient())
        attached.recall("anything")  # the first call has some grace, for loading a model
    give_model(agent, *[answer for answer in SCRIPT if memory is not None or isinstance(answer, str)])
    chat(user, agent, "A question that is long enough.", max_turns=3 if memory is not None else 2, is_async=is_async)
    if memory is not None:
        failures = attached.failures
        attached.close(limit=0.2)
    return [text for text in contents(agent.chat_messages[user]) if text in SCRIPT], failures


@both
@pytest.mark.timeout(60)  # two of the 30 s that the server hangs
@pytest.mark.parametrize("how", ["gone", "locked", "broken", "hanging"])
def test_a_chat_has_the_same_replies_without_its_memory(how: str, is_async: bool, tmp_path: Path) -> None:
    expected, _ = replies(None, is_async=is_async)
    with failing(how, tmp_path) as memory:
        said, failures = replies(memory, is_async=is_async)

    assert said == expected
    assert failures >= (1 if how == "locked" else 3)  # a locked file can still be read


@both
@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["gone", "hanging"])
def test_persistent_agents_and_groups_go_on_without_their_memory(how: str, is_async: bool, tmp_path: Path) -> None:
    with failing(how, tmp_path) as memory:
        user = person()
        coder = bot("coder", PersistentAgent, memory=memory, guard=impatient())
        reviewer = bot("reviewer", StatefulAgent, memory=memory, guard=impatient())
        groupchat, manager = group(
            user, coder, reviewer, rounds=3, cls=PersistentGroupChat, memory=memory, guard=impatient()
        )
        attached = attach_group(groupchat, manager, memory, guard=impatient())
        give_model(coder, "I build it.")
        give_model(reviewer, "I review it.")
        chat(user, manager, "Let us build it.", is_async=is_async)
        reviewer.learn_preference("tone", "brief")
        context = reviewer.get_context()
        for remembering in (coder.remembering, reviewer.remembering, groupchat.remembering, attached):
            remembering.close(limit=0.1)

    assert contents(groupchat.messages) == ["Let us build it.", "I build it.", "I review it."]
    assert context["preferences"] == {"tone": "brief"}
    for remembering in (coder.remembering, reviewer.remembering, groupchat.remembering, attached):
        assert remembering.failures > 0


def test_a_memory_that_fails_leaves_nothing_of_an_earlier_turn_behind(tmp_path: Path) -> None:
    agent = bot()
    memory = opened(tmp_path)
    memory.remember("Ana drinks green tea")
    errors: list[Exception] = []
    attached = attach(agent, memory, guard=FailOpen(deadline=60, on_error=errors.append))
    prompts = give_model(agent)
    chat(person(), agent, "Which tea does Ana drink?", max_turns=1)
    memory.close()
    chat(person("bob"), agent, "Which tea does Ana drink?", max_turns=1)

    assert HEADING in asked(prompts[0])
    assert asked(prompts[1]) == "Which tea does Ana drink?"
    assert len(errors) == attached.failures > 0


def test_what_could_not_be_kept_is_kept_later(tmp_path: Path) -> None:
    opened(tmp_path).close()
    agent = bot("bot", PersistentAgent, memory=spaces(tmp_path, "bot"), guard=FailOpen(deadline=0.2, retry_after=0.0))
    attached = attach(agent, spaces(tmp_path, "bot"), guard=FailOpen(deadline=0.2, retry_after=0.0))
    attached.recall("anything")  # the first call has some grace, for loading a model
    give_model(agent, "This is a long enough reply.", "And this is another reply.")
    with locked(tmp_path):
        chat(person(), agent, "This is a long enough question.", max_turns=1)
    for guard in (agent.remembering.guard, attached.guard):
        guard.deadline = 60
    chat(person(), agent, "And this is another question.", max_turns=1)
    attached.close()
    agent.remembering.close()

    said = [
        "This is a long enough question.",
        "This is a long enough reply.",
        "And this is another question.",
        "And this is another reply.",
    ]
    with opened(tmp_path) as memory:
        assert [entry["message"] for entry in memory.get("conversation_history")] == said
        assert sorted(item.content for item in memory.items()) == sorted(said)


def test_wrong_settings_are_told_at_once(tmp_path: Path) -> None:
    agent = bot()

    with opened(tmp_path) as memory, pytest.raises(Exception, match="every must be 1 or more"):
        attach(agent, memory, every=0, recalling=Recalling())
