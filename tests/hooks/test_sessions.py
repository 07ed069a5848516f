"""Whole sessions, replayed through the real command in a real shell."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.remote.served import allowed, served
from truekeep import Memory
from truekeep.assembly import open_parts
from truekeep.hooks import front
from truekeep.hooks.hosts import HOSTS, PATIENCE
from truekeep.hooks.moments import OUTCOME
from truekeep.hooks.repository import USER

from .desk import SPACE, Desk

SAID = (
    ("user", "We decided to use PostgreSQL instead of MySQL for the orders service, because of row-level security."),
    ("assistant", "Done. The orders service connects to PostgreSQL now. The migration of old rows is still open."),
    ("user", "I prefer small commits."),
)
QUESTION = "which database does the orders service use?"


def test_what_one_session_decides_the_next_one_knows(desk: Desk) -> None:
    desk.warm()
    file = desk.transcript(*SAID)

    assert desk.told("SessionStart", session_id="s1", source="startup") == ""
    assert desk.told("SessionEnd", session_id="s1", transcript_path=file, reason="other") == ""
    desk.kept(at_least=3)
    begun = desk.told("SessionStart", session_id="s2", source="startup")
    asked = desk.told("UserPromptSubmit", session_id="s3", prompt=QUESTION)

    assert "The migration of old rows is still open" in begun
    assert "PostgreSQL instead of MySQL" in asked
    assert asked.startswith("<recalled-memory")
    assert asked.endswith("</recalled-memory>")
    assert desk.log() == []


def test_a_session_is_shown_a_memory_once_until_it_forgets(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.")
    desk.warm()

    first, second = (desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION) for _ in range(2))
    desk.told("SessionStart", session_id="s1", source="compact")
    third = desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)

    assert "PostgreSQL" in first
    assert second == ""
    assert third == first


def test_the_profile_is_what_is_pinned_here_and_in_the_space_of_the_user(desk: Desk) -> None:
    with desk.memory() as memory, desk.memory(USER) as own:
        memory.remember("All amounts are in cents.", pinned=True)
        memory.remember("The office has a new coffee machine.")
        own.remember("I am Sam, and I like short answers.", pinned=True)
    desk.warm()

    begun = desk.told("SessionStart", session_id="s1", source="startup")

    assert "amounts are in cents" in begun
    assert "short answers" in begun
    assert "coffee" not in begun


def test_a_nod_or_a_command_of_the_host_recalls_nothing(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.")
    desk.warm()

    nods = ("", "ok", "/compact", "great, thanks!")
    told = [desk.told("UserPromptSubmit", session_id="s1", prompt=one) for one in nods]
    asked = desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)

    assert told == [""] * 4
    assert asked != ""


def test_a_lesson_of_the_last_session_is_a_warning_to_the_next(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The agent said: it works.", key=OUTCOME, tags=[OUTCOME], kind="context", session="s0")
        memory.remember("Never force-push to main.", kind="lesson", session="s0")
    desk.warm()

    begun = desk.told("SessionStart", session_id="s1", source="startup")

    assert "Avoid (tried before and failed, or ruled out):\n- [" in begun
    assert begun.index("it works") < begun.index("Avoid") < begun.index("force-push")


def test_relative_places_are_meant_from_where_the_hook_runs(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.")
    with Memory(SPACE, at=desk.repository / "notes.db") as memory:
        memory.remember("The orders service uses MySQL.")
    desk.environment["TRUEKEEP_HOME"] = "../memories"
    desk.warm()

    at_home = desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)
    desk.environment["TRUEKEEP_AT"] = "sqlite:///notes.db"
    elsewhere = desk.told("UserPromptSubmit", session_id="s2", prompt=QUESTION)

    assert "PostgreSQL" in at_home
    assert "MySQL" in elsewhere


def test_a_key_in_the_environment_does_no_harm_to_a_file(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.")
    desk.environment |= {"TRUEKEEP_KEY": "tk_unused", "TRUEKEEP_AT": str(desk.home / "truekeep.db")}
    desk.warm()

    assert "PostgreSQL" in desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)


def test_a_session_is_rolled_back_by_its_name(desk: Desk) -> None:
    desk.told("SessionEnd", session_id="s1", transcript_path=desk.transcript(*SAID), reason="other")
    desk.kept(at_least=3)

    with desk.memory() as memory:
        memory.forget(session="s1")
        rest = memory.items()

    assert rest == []


def test_a_transcript_that_is_read_again_is_not_kept_again(desk: Desk) -> None:
    desk.told("PreCompact", session_id="s1", transcript_path=desk.transcript(*SAID), trigger="auto")
    before = desk.kept(at_least=3)

    longer = desk.transcript(*SAID, ("user", "We decided to deploy on Thursdays."))
    desk.told("PreCompact", session_id="s1", transcript_path=longer, trigger="manual")
    after = desk.kept(at_least=len(before) + 1)

    assert {*after} - {*before} == {"We decided to deploy on Thursdays."}
    assert len(after) == len(before) + 1


def test_what_was_recalled_is_not_learned_again(desk: Desk) -> None:
    known = "We decided to use PostgreSQL for the orders service."
    with desk.memory() as memory:
        memory.remember(known)
    block = f'<recalled-memory note="x">\n- [2026-11-01] We decided to use Oracle. {known}\n</recalled-memory>'

    desk.told("PreCompact", session_id="s1", transcript_path=desk.transcript(("user", f"{block}\n\n{SAID[2][1]}")))

    assert sorted(desk.kept(at_least=2)) == [SAID[2][1], known]


def test_sub_agents_and_scheduled_runs_write_nothing_unless_asked(desk: Desk) -> None:
    payload = {"session_id": "s1", "transcript_path": desk.transcript(*SAID)}
    driven = desk.transcript(*SAID, session="s2", entrypoint="sdk-cli")

    desk.told("PreCompact", **payload, agent_id="a1", agent_type="Explore")
    desk.told("PreCompact", session_id="s2", transcript_path=driven)
    desk.environment["CI"] = "true"
    desk.told("SessionEnd", **payload)
    with desk.memory() as memory:
        memory.flush()
        untouched = memory.items()
    desk.hook("claude-code", "SessionEnd", "--unattended", **payload)
    kept = desk.kept(at_least=3)

    assert untouched == []
    assert len(kept) >= 3


def test_cursor_is_answered_in_its_own_words(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.", pinned=True)
    desk.warm()
    common: dict[str, Any] = {"generation_id": "g1", "workspace_roots": [str(desk.repository)]}

    begun = json.loads(desk.hook("cursor", "sessionStart", conversation_id="c1", **common))
    asked = json.loads(desk.hook("cursor", "beforeSubmitPrompt", conversation_id="c2", prompt=QUESTION, **common))

    assert list(begun) == ["additional_context"]
    assert "PostgreSQL" in begun["additional_context"]
    assert asked == {"continue": True, **begun}


def test_a_session_of_codex_is_kept_unless_nobody_typed_it(desk: Desk) -> None:
    def rollout(session: str, source: object) -> str:
        meta = {
            "type": "session_meta",
            "timestamp": "2026-11-01T10:00:00Z",
            "payload": {"id": session, "source": source},
        }
        said = [
            {"type": "response_item", "timestamp": "2026-11-01T10:00:01Z"}
            | {"payload": {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}}
            for role, text in (("developer", "We decided to obey."), ("user", "<environment_context>x"), *SAID)
        ]
        file = desk.folder / f"rollout-{session}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in (meta, *said)))
        return str(file)

    for session, source in (("x1", "exec"), ("x2", {"subagent": "review"}), ("x3", "cli")):
        desk.hook("codex", "PreCompact", session_id=session, transcript_path=rollout(session, source), trigger="auto")
    kept = desk.kept(at_least=3)

    with desk.memory() as memory:
        assert {item.source.session for item in memory.items()} == {"x3"}
    assert not any("obey" in one for one in kept)


def test_explain_tells_what_the_last_prompt_got_and_keeps_no_text_of_it(desk: Desk) -> None:
    with desk.memory() as memory:
        known = memory.remember("The orders service uses PostgreSQL.")
    desk.warm()
    desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)

    told = desk.command("explain")
    noted = (desk.home / "hooks" / "last.json").read_text()

    assert [(one["id"], one["state"], one["space"]) for one in told["items"]] == [(known.id, "shown", SPACE)]
    assert told["prompt"] == QUESTION
    assert "PostgreSQL" not in noted


def test_no_secret_of_a_prompt_lies_on_the_disk(desk: Desk) -> None:
    desk.warm()
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"

    desk.told("UserPromptSubmit", session_id="s1", prompt=f"why does {secret} not work?")

    noted = (desk.home / "hooks" / "last.json").read_text()
    assert "why does [redacted:api-key] not work?" in noted


def test_a_server_keeps_what_a_team_shares(desk: Desk) -> None:
    with served() as server, closing(open_parts(at=desk.folder / "team.db")) as opened:
        desk.environment["TRUEKEEP_AT"] = url = server.add(opened)
        with Memory(SPACE, at=url) as memory:
            memory.remember("The orders service uses PostgreSQL.")
        desk.warm()

        told = desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)
        desk.told("PreCompact", session_id="s1", transcript_path=desk.transcript(*SAID))
        with Memory(SPACE, at=url) as memory:
            until = time.monotonic() + 60
            while len(kept := memory.items()) < 3 and time.monotonic() < until:
                time.sleep(0.1)
        server.remove(url)

    assert "PostgreSQL" in told
    assert len(kept) >= 3


def test_on_a_server_everybody_has_a_space_of_their_own(desk: Desk) -> None:
    with served() as server, closing(open_parts(at=desk.folder / "team.db")) as opened:
        desk.environment |= {"TRUEKEEP_AT": (url := server.add(opened)), "LOGNAME": "ana"}
        for space, said in ((USER, "Amounts are in euros."), ("user:ana", "I am Ana."), ("user:ben", "I am Ben.")):
            with Memory(space, at=url) as memory:
                memory.remember(said, pinned=True)
        desk.warm()

        begun = desk.told("SessionStart", session_id="s1", source="startup")
        told = desk.command("status")["yours"]
        server.remove(url)

    assert "I am Ana." in begun
    assert "euros" not in begun
    assert "Ben" not in begun
    assert told == "user:ana"


def test_a_key_that_is_for_the_repository_alone_is_enough(desk: Desk) -> None:
    with served() as server, closing(open_parts(at=desk.folder / "team.db")) as opened:
        url = server.add(opened)
        with Memory(SPACE, at=url) as memory:
            memory.remember("The orders service uses PostgreSQL.", pinned=True)
        key = allowed(opened.parts.store, "repo:*")
        desk.environment |= {"TRUEKEEP_AT": url, "TRUEKEEP_KEY": key}
        desk.warm()

        begun = desk.told("SessionStart", session_id="s1", source="startup")
        told = desk.told("UserPromptSubmit", session_id="s2", prompt=QUESTION)
        explained = desk.command("explain", "--at", url, "--key", key)
        server.remove(url)

    assert "PostgreSQL" in begun
    assert "PostgreSQL" in told
    assert [one["space"] for one in explained["items"]] == [SPACE]


def test_the_commands_install_tell_and_take_out(desk: Desk) -> None:
    file = desk.folder / ".codex" / "hooks.json"

    changes = [desk.command("install", "codex")["changed"] for _ in range(2)]
    [row] = [one for one in desk.command("status")["hosts"] if one["events"]]
    command = json.loads(file.read_text())["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    shared = desk.command("install", "cursor", "--project", "--unattended")
    removed = desk.command("uninstall", "codex")["changed"]

    assert changes == [True, False]
    where = {"host": "codex", "for": "user", "file": str(file)}
    assert row == {**where, "events": [*HOSTS["codex"].events], "problem": None}
    assert Path(shlex.split(command)[0]).is_absolute()
    assert shared["file"] == str(desk.repository / ".cursor" / "hooks.json")
    assert "truekeep hooks run cursor sessionEnd --unattended" in Path(shared["file"]).read_text()
    assert removed
    assert not file.exists()
    assert desk.command("space") == {"space": SPACE}


def test_the_command_imports_next_to_nothing() -> None:
    def loaded(code: str) -> set[str]:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return {*done.stdout.split()}

    told = "import sys; print(*sys.modules)"
    more = loaded(f"import truekeep.cli.main, truekeep.hooks.front; {told}") - loaded(told)

    assert {name for name in more if name.startswith("truekeep")} == {
        "truekeep",
        "truekeep._version",
        "truekeep.cli",
        "truekeep.cli.main",
        "truekeep.hooks",
        "truekeep.hooks.front",
        "truekeep.hooks.line",
        "truekeep.hooks.notebook",
        "truekeep.surroundings",
    }
    assert (
        more & {"contextlib", "dataclasses", "hashlib", "json", "pathlib", "re", "socket", "subprocess", "typing"}
        == set()
    )


def test_the_command_knows_the_events_of_every_host() -> None:
    moments = {event: moment for host in HOSTS.values() for event, moment in host.events.items()}

    assert {*front.DEADLINES} == {*moments}
    assert {*front.KEEPING} == {event for event, moment in moments.items() if moment in ("compaction", "end")}
    assert all(front.DEADLINES[event] < PATIENCE[moment] for event, moment in moments.items())
