"""BotWire's wire, driven with its published client: every promise of its article that can be seen over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import botwire
import httpx
import pytest

from tests.server.served import OPERATOR, Served, detail, serving

Client = Callable[..., botwire.Memory]
JSON_VALUES = [
    "plain text",
    "",
    "[not JSON",
    "naïve — 日本語 🙂",
    {"tone": "concise", "nested": {"list": [1, 2.5, None, True]}},
    [],
    {},
    [{"sender": "user", "message": "hi"}],
]


@pytest.fixture
def client() -> Iterator[Client]:
    """Makes clients as users do, and closes what they leave open."""
    made: list[botwire.Memory] = []

    def make(namespace: str, url: str) -> botwire.Memory:
        made.append(botwire.Memory(namespace, base_url=url))
        return made[-1]

    yield make
    for memory in made:
        memory._client.close()


@pytest.fixture
def bot(client: Client, keyless: Served) -> botwire.Memory:
    return client("autogen-assistant", keyless.url)


def with_key(url: str, key: str) -> str:
    """The key as the password in the URL: the client itself knows no keys."""
    return url.replace("http://", f"http://agent:{key}@")


def in_another_process(script: str, url: str, **environment: str) -> str:
    """What a script prints that knows the server by BOTWIRE_URL alone."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "BOTWIRE_URL": url, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("value", JSON_VALUES)
def test_text_and_structures_come_back_as_they_were_set(bot: botwire.Memory, value: Any) -> None:
    bot.set("key", value)

    assert bot.get("key") == value


@pytest.mark.parametrize(("value", "text"), [(3, "3"), ("3", "3"), (True, "true"), (2.5, "2.5"), ("true", "true")])
def test_the_client_turns_numbers_and_flags_into_text_and_that_text_is_kept(
    bot: botwire.Memory, value: Any, text: str
) -> None:
    bot.set("key", value)

    assert bot.get("key") == text


def test_a_missing_key_is_none_or_the_default(bot: botwire.Memory) -> None:
    assert bot.get("missing") is None
    assert bot.get("missing", default=[]) == []
    assert "missing" not in bot


def test_contains_delete_and_keys_agree(bot: botwire.Memory) -> None:
    for key in ("zebra", "apple", "mango"):
        bot.set(key, key)

    deleted, again = bot.delete("mango"), bot.delete("mango")

    assert (deleted, again) == (True, False)
    assert bot.keys() == ["apple", "zebra"]
    assert "apple" in bot
    assert "mango" not in bot


def test_a_namespace_that_nobody_wrote_to_has_no_keys(bot: botwire.Memory) -> None:
    assert bot.keys() == []


def test_setting_none_deletes(bot: botwire.Memory) -> None:
    bot.set("key", "value")
    bot.set("never set", None)

    bot.set("key", None)

    assert bot.get("key") is None
    assert bot.keys() == []


@pytest.mark.parametrize("nothing", [None, "null"])
def test_null_deletes_as_json_and_as_a_string(keyless: Served, nothing: object) -> None:
    with keyless.caller(None) as caller:
        caller.put("/memory/bot/key", json={"value": "x"})

        gone = caller.put("/memory/bot/key", json={"value": nothing})
        missing = caller.put("/memory/bot/key", json={"value": nothing})

        assert (gone.status_code, gone.json()["stored"], gone.json()["deleted"]) == (200, False, True)
        assert (missing.status_code, missing.json()["deleted"]) == (200, False)
        assert caller.get("/memory/bot/key").status_code == 404


@pytest.mark.parametrize("value", [*JSON_VALUES, 3, 2.5, True, False, 0, [None], 2**60])
def test_native_json_comes_back_native(keyless: Served, client: Client, value: Any) -> None:
    with keyless.caller(None) as caller:
        stored = caller.put("/memory/bot/key", json={"value": value})
        found = caller.get("/memory/bot/key").json()

    assert stored.json()["stored"] is True
    assert found["value"] == value
    assert type(found["value"]) is type(value)
    assert client("bot", keyless.url).get("key") == value


def test_an_answer_has_the_fields_of_the_vendors(keyless: Served) -> None:
    with keyless.caller(None) as caller:
        began = keyless.clock().isoformat()
        stored = caller.put("/memory/bot/key", json={"value": "höh"}).json()
        keyless.clock.advance(timedelta(minutes=1))
        caller.put("/memory/bot/key", json={"value": [1, 2]})

        assert stored == {"namespace": "bot", "key": "key", "stored": True, "bytes": 4, "deleted": False}
        assert caller.get("/memory/bot/key").json() == {
            "namespace": "bot",
            "key": "key",
            "value": [1, 2],
            "created_at": began,
            "updated_at": keyless.clock().isoformat(),
        }
        assert caller.get("/memory/bot").json() == {"namespace": "bot", "keys": ["key"], "count": 1}
        assert caller.delete("/memory/bot/key").json() == {"namespace": "bot", "key": "key", "deleted": True}
        assert "namespace 'bot'" in detail(caller.delete("/memory/bot/key"), 404)["detail"]


def test_values_survive_a_restart_of_the_server(tmp_path: Path, client: Client) -> None:
    with serving(tmp_path) as first:
        client("autogen-assistant", first.url).set("preferences", {"language": "TypeScript"})

    with serving(tmp_path) as second:
        assert client("autogen-assistant", second.url).get("preferences") == {"language": "TypeScript"}


def test_values_do_not_expire(keyless: Served, bot: botwire.Memory) -> None:
    bot.set("key", "value")

    keyless.clock.advance(timedelta(days=36_500))

    assert bot.get("key") == "value"


def test_namespaces_are_apart(keyless: Served, client: Client) -> None:
    coder, reviewer = client("autogen-coder", keyless.url), client("autogen-reviewer", keyless.url)
    coder.set("task", "write")
    reviewer.set("task", "read")

    coder.delete("task")

    assert (coder.get("task"), reviewer.get("task")) == (None, "read")
    assert coder.keys() == []


@pytest.mark.parametrize("name", ["autogen-Jürgen Groß", "日本語 エージェント", "a.b_c@d:e", "100%", "x" * 256])
def test_names_may_have_blanks_and_any_letters(keyless: Served, client: Client, name: str) -> None:
    memory = client(name, keyless.url)

    memory.set(name, [name])

    assert memory.get(name) == [name]
    assert memory.keys() == [name]
    assert memory.delete(name)


def test_slashes_are_part_of_a_key_however_they_are_sent(keyless: Served, bot: botwire.Memory) -> None:
    bot.set("user/42/notes", "hello")

    with keyless.caller(None) as caller:
        escaped = caller.get("/memory/autogen-assistant/user%2F42%2Fnotes")

    assert bot.get("user/42/notes") == "hello"
    assert escaped.json()["key"] == "user/42/notes"
    assert bot.keys() == ["user/42/notes"]


def test_several_processes_share_a_namespace(keyless: Served, client: Client) -> None:
    findings = client("autogen-researcher", keyless.url)
    findings.set("topic", "FastAPI")
    script = (
        "from botwire import Memory\n"
        "memory = Memory('autogen-researcher')\n"
        "memory.set('findings', {'topic': memory.get('topic'), 'key_points': ['typed', 'fast']})\n"
        "print(', '.join(memory.keys()))\n"
    )

    printed = in_another_process(script, keyless.url)

    assert printed == "findings, topic"
    assert findings.get("findings") == {"topic": "FastAPI", "key_points": ["typed", "fast"]}


def test_the_tools_for_crewai_get_strings(keyless: Served, tmp_path: Path) -> None:
    (tmp_path / "crewai_tools.py").write_text("def tool(name):\n    return lambda function: function\n")
    script = (
        "from botwire.memory import memory_tools\n"
        "remember, recall, list_memory = memory_tools('crew')\n"
        "print(list_memory(), recall('tea'), sep='; ')\n"
        "print(remember('tea', 'green'), remember('biscuits', 'none'), recall('tea'), list_memory(), sep='; ')\n"
    )

    printed = in_another_process(script, keyless.url, PYTHONPATH=str(tmp_path))

    assert printed.splitlines() == ["(empty); not found", "stored 'tea'; stored 'biscuits'; green; biscuits, tea"]


def test_a_chat_history_grows_and_is_cleared_under_its_session(keyless: Served, client: Client) -> None:
    """The calls that the client's chat history for LangChain makes, which has the session's id as its key."""
    sessions = client("langchain-sessions", keyless.url)
    for number in range(3):
        messages = sessions.get("user-42", default=[])
        messages.extend([{"type": "human", "data": {"content": f"message {number}", "additional_kwargs": {}}}])
        sessions.set("user-42", messages)

    history = sessions.get("user-42", default=[])
    sessions.delete("user-42")

    assert [message["data"]["content"] for message in history] == ["message 0", "message 1", "message 2"]
    assert sessions.get("user-42", default=[]) == []


def test_an_agent_that_keeps_its_conversation_finds_it_after_a_restart(tmp_path: Path, client: Client) -> None:
    def receive(memory: botwire.Memory, message: str) -> None:
        history = memory.get("conversation_history") or []
        memory.set("conversation_history", [*history, {"sender": "user", "message": message}])

    with serving(tmp_path) as first:
        receive(client("autogen-assistant", first.url), "I'm working on a Flask API")
    with serving(tmp_path) as second:
        memory = client("autogen-assistant", second.url)
        receive(memory, "What am I working on?")
        history = memory.get("conversation_history")

    assert [turn["message"] for turn in history] == ["I'm working on a Flask API", "What am I working on?"]


def test_an_agent_restores_preferences_patterns_and_its_counter(keyless: Served, client: Client) -> None:
    before = client("autogen-assistant", keyless.url)
    before.set("preferences", {"language": "TypeScript"})
    before.set("patterns", ["asks for tests"])
    before.set("message_count", 7)

    after = client("autogen-assistant", keyless.url)

    assert (after.get("preferences") or {}) == {"language": "TypeScript"}
    assert (after.get("patterns") or []) == ["asks for tests"]
    assert int(after.get("message_count") or 0) == 7


def test_a_group_chat_restores_its_messages_and_speakers(keyless: Served, client: Client) -> None:
    before = client("group-chat-session", keyless.url)
    messages: list[dict[str, str]] = []
    for name in ("coder", "reviewer", "coder"):
        messages.append({"name": name, "content": f"{name} speaks"})
        before.set("messages", messages)
        before.set("speaker_history", [message["name"] for message in messages])

    after = client("group-chat-session", keyless.url)

    assert after.get("messages") == messages
    assert after.get("speaker_history") == ["coder", "reviewer", "coder"]


def test_a_whole_history_of_a_megabyte_is_one_value(bot: botwire.Memory) -> None:
    history = [{"sender": "user", "message": f"{number}: " + "ä" * 500} for number in range(1_000)]

    bot.set("conversation_history", history)

    assert bot.get("conversation_history") == history


def test_after_the_writes_of_a_day_reads_and_other_namespaces_go_on(tmp_path: Path, client: Client) -> None:
    with serving(tmp_path, quotas={"writes_per_day": 3}) as served:
        full, other = client("full", served.url), client("other", served.url)
        for number in range(3):
            full.set(f"key {number}", "x")

        with pytest.raises(httpx.HTTPStatusError) as refused:
            full.set("key 3", "x")
        reads = [full.get("key 0") for _ in range(20)]
        other.set("key", "x")
        served.clock.advance(timedelta(days=1))
        full.set("key 3", "the next day")

        assert "writes_per_day" in detail(refused.value.response, 429)["detail"]
        assert int(refused.value.response.headers["retry-after"]) > 0
        assert reads == ["x"] * 20
        assert full.keys() == ["key 0", "key 1", "key 2", "key 3"]


def test_a_full_namespace_has_room_again_after_a_delete(tmp_path: Path, client: Client) -> None:
    with serving(tmp_path, quotas={"bytes_per_space": 100_000}) as served:
        full, other = client("full", served.url), client("other", served.url)
        full.set("first", "x" * 90_000)

        with pytest.raises(httpx.HTTPStatusError) as refused:
            full.set("second", "x" * 20_000)
        other.set("second", "x" * 20_000)
        before = full.keys()
        full.set("first", None)
        full.set("second", "x" * 20_000)

        assert "bytes_per_space" in detail(refused.value.response, 429)["detail"]
        assert before == ["first"]
        assert full.keys() == ["second"]


def test_deleting_is_no_write_of_the_month(tmp_path: Path, client: Client) -> None:
    with serving(tmp_path, quotas={"operations_per_month": 2}) as served:
        memory = client("bot", served.url)
        memory.set("one", "x")
        memory.set("two", "x")

        memory.set("one", None)
        memory.delete("two")

        assert memory.keys() == []
        with pytest.raises(httpx.HTTPStatusError, match="429"):
            memory.set("three", "x")


def test_the_key_in_the_url_lets_the_unchanged_client_in(served: Served, client: Client) -> None:
    url = with_key(served.url, served.new_key()["key"])
    script = "from botwire import Memory; Memory('bot').set('from', 'another process')"

    in_another_process(script, url)

    assert client("bot", url).get("from") == "another process"


def test_with_keys_configured_nobody_gets_in_without_one(served: Served, client: Client) -> None:
    for url in (served.url, with_key(served.url, "tk_wrong")):
        memory = client("bot", url)

        for call in (lambda m=memory: m.set("a", 1), lambda m=memory: m.get("a"), memory.keys):
            with pytest.raises(httpx.HTTPStatusError, match="401"):
                call()
        assert memory.delete("a") is False


def test_two_keys_share_nothing_under_the_same_namespace(served: Served, client: Client) -> None:
    ana, bo = (client("shared", with_key(served.url, served.new_key()["key"])) for _ in range(2))
    ana.set("secret", "Heron")

    assert bo.get("secret") is None
    assert bo.keys() == []
    assert bo.delete("secret") is False
    bo.set("secret", "other")
    assert ana.get("secret") == "Heron"


def test_a_key_keeps_to_its_scopes_and_namespaces(served: Served, client: Client) -> None:
    key = served.new_key(scopes=["read"], spaces=["autogen-*"])["key"]
    mine, foreign = (client(name, with_key(served.url, key)) for name in ("autogen-a", "other"))

    assert mine.get("anything") is None
    with pytest.raises(httpx.HTTPStatusError, match="403"):
        mine.set("anything", "x")
    with pytest.raises(httpx.HTTPStatusError, match="403"):
        foreign.get("anything")


def test_a_namespace_is_a_space_and_its_values_are_those_of_the_native_api(served: Served, client: Client) -> None:
    key = served.new_key()["key"]
    memory = client("bot", with_key(served.url, key))
    with served.caller(key) as native:
        native.put("/v1/spaces/bot/values/profile", json={"value": {"tone": "concise"}})
        memory.set("name", "Ada")

        assert memory.get("profile") == {"tone": "concise"}
        assert native.get("/v1/spaces/bot/values/name").json()["value"] == "Ada"


@pytest.mark.parametrize("namespace", ["", "a/b"])
def test_the_client_refuses_a_namespace_that_is_no_segment(keyless: Served, client: Client, namespace: str) -> None:
    with pytest.raises(ValueError, match="namespace"):
        client(namespace, keyless.url)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"value": NaN}', 400),
        (b'{"value": "\\ud800"}', 400),
        (b'{"value": ' + b"[" * 100_000, 400),
        (b"{}", 422),
        (b"[1]", 422),
        (b'"text"', 422),
        (b'{"value": "' + b"x" * 17_000_000 + b'"}', 422),
    ],
)
def test_a_body_that_cannot_be_kept_is_refused_and_nothing_is_written(
    keyless: Served, body: bytes, status: int
) -> None:
    with keyless.caller(None) as caller:
        answer = caller.put("/memory/bot/key", content=body, headers={"Content-Type": "application/json"})

        detail(answer, status)
        assert caller.get("/memory/bot").json()["keys"] == []


@pytest.mark.parametrize(
    ("path", "argument"), [("/memory/%20/key", "namespace"), ("/memory/bot/%01", "key"), ("/memory/bot/", "key")]
)
def test_a_wrong_name_is_called_what_the_caller_calls_it(keyless: Served, path: str, argument: str) -> None:
    with keyless.caller(None) as caller:
        assert detail(caller.get(path), 422)["argument"] == argument
        assert detail(caller.put(path, json={"value": 1}), 422)["argument"] == argument


def test_further_fields_of_a_body_are_ignored(keyless: Served) -> None:
    with keyless.caller(None) as caller:
        assert caller.put("/memory/bot/key", json={"value": 1, "agent": "a"}).status_code == 200


def test_the_operator_may_use_it_too(served: Served, client: Client) -> None:
    memory = client("bot", with_key(served.url, OPERATOR))

    memory.set("key", ["value"])

    assert memory.get("key") == ["value"]
