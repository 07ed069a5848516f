"""What hooks put by until its place can be opened: nothing is lost, and nobody else is told what opens it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.served import OPERATOR, serving
from truekeep import Memory, surroundings
from truekeep.hooks import notebook

from .desk import SPACE, Desk

SAID = ("user", "I prefer small commits.")
NOWHERE = "http://127.0.0.1:9/"  # nobody listens on that port


def ended(desk: Desk, session: str, *said: tuple[str, str]) -> None:
    desk.told("SessionEnd", session_id=session, transcript_path=desk.transcript(*(said or (SAID,)), session=session))


def waiting(desk: Desk) -> list[str]:
    return notebook.waiting(str(desk.home))


def eventually(is_so: Callable[[], object]) -> bool:
    until = time.monotonic() + 60
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(is_so())


def known(at: str, key: str | None = None) -> list[str]:
    with Memory(SPACE, at=at, key=key) as memory:
        return [item.content for item in memory.items()]


def on_disk(desk: Desk) -> bytes:
    return b"".join(file.read_bytes() for file in (desk.home / "hooks").rglob("*") if file.is_file())


def test_each_server_is_told_its_own_key_and_no_other(desk: Desk, tmp_path: Path) -> None:
    desk.environment["TRUEKEEP_KEY"] = "tk_of-another-server"
    desk.warm()  # the helper began with that key
    with serving(tmp_path, admin_key=OPERATOR) as server:
        desk.environment |= {"TRUEKEEP_AT": server.url, "TRUEKEEP_KEY": OPERATOR}

        ended(desk, "s1")

        assert eventually(lambda: SAID[1] in known(server.url, OPERATOR))
    assert desk.log() == []


def test_a_key_that_is_refused_or_unknown_leaves_a_session_waiting(desk: Desk, tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as server:
        desk.environment |= {"TRUEKEEP_AT": server.url, "TRUEKEEP_KEY": "tk_of-last-year"}
        ended(desk, "s1")
        assert eventually(lambda: any("AccessDenied; tried again later" in one for one in desk.log()))
        refused = waiting(desk)

        desk.environment["TRUEKEEP_KEY"] = OPERATOR
        desk.told("UserPromptSubmit", session_id="s2", prompt="ok")
        assert eventually(lambda: not waiting(desk))

        assert len(refused) == 1
        assert eventually(lambda: SAID[1] in known(server.url, OPERATOR))  # the server extracts in its own time
    assert OPERATOR.encode() not in on_disk(desk)


def test_a_helper_that_knows_no_key_of_a_place_does_not_ask_there(desk: Desk) -> None:
    words = f"claude-code\0SessionEnd\0\0{desk.repository}\0{NOWHERE}\0"
    notebook.put_by(str(desk.home), words.encode() + b"\n" + desk.given("SessionEnd", session_id="s0"))

    ended(desk, "s1")

    assert desk.kept(at_least=1) == [SAID[1]]
    assert eventually(lambda: len(waiting(desk)) == 1)
    assert desk.log() == []


def test_a_place_that_is_gone_holds_up_nobody_else_and_is_given_up_in_the_end(desk: Desk) -> None:
    desk.warm()
    own = dict(desk.environment)
    desk.environment["TRUEKEEP_AT"] = NOWHERE
    ended(desk, "s1")
    ended(desk, "s2")
    desk.environment = own

    ended(desk, "s3")

    assert desk.kept(at_least=1) == [SAID[1]]
    assert eventually(lambda: len(waiting(desk)) == 2)
    [first, _] = waiting(desk)
    os.utime(first, (0, 0))
    desk.told("UserPromptSubmit", session_id="s4", prompt="ok")
    assert eventually(lambda: len(waiting(desk)) == 1)
    assert "helper: gave a session up: it has waited too long" in desk.log()[-1]


def test_no_password_lies_on_the_disk(desk: Desk) -> None:
    desk.environment["TRUEKEEP_AT"] = "postgresql://bob:hunter2@127.0.0.1:9/shop?sslpassword=hunter2"

    ended(desk, "s1")

    assert len(waiting(desk)) == 1
    assert b"postgresql://bob@127.0.0.1:9/shop" in on_disk(desk)
    assert b"hunter2" not in on_disk(desk)


def test_a_password_opens_the_place_for_what_was_put_by(postgres_url: str, desk: Desk) -> None:
    desk.warm()
    desk.environment["TRUEKEEP_AT"] = postgres_url

    ended(desk, "s1")

    assert eventually(lambda: SAID[1] in known(postgres_url))


@pytest.mark.parametrize(
    ("at", "bare"),
    [
        ("postgresql://bob:a@b?c@db/shop", "postgresql://bob@db/shop"),
        ("postgresql://db?user=bob&password=a&port=1", "postgresql://db?user=bob&port=1"),
        ("https://memory.example:8420/team@home?x=1", "https://memory.example:8420/team@home?x=1"),
        ("https://tk_1@memory.example,http://bob:tk_1@b/x,y", "https://memory.example,http://b/x,y"),
        ("/home/bob:x@y/shop.db", "/home/bob:x@y/shop.db"),
        ("", ""),
    ],
)
def test_a_place_without_its_password(at: str, bare: str) -> None:
    assert surroundings.without_password(at) == bare


def test_one_odd_character_or_id_costs_no_session(desk: Desk) -> None:
    said: dict[str, Any] = {"\ud800 I prefer tea.": "u1", "I prefer\0 small commits.": "u2", "I prefer Go.": "u" * 400}
    lines = [{"type": "user", "uuid": id, "message": {"content": text}} for text, id in said.items()]
    file = desk.folder / "odd.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))

    desk.told("SessionEnd", session_id="s" * 400, transcript_path=str(file))

    assert len(desk.kept(at_least=3)) == 3
    assert desk.log() == []


def test_a_prompt_with_an_odd_character_is_answered(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember("The orders service uses PostgreSQL.")
    desk.warm()

    told = desk.told("UserPromptSubmit", session_id="s1", prompt="which database does the orders\0 service use? \udcff")

    assert "PostgreSQL" in told
