"""Scopes are explicit, reading apart from writing, and resolved for every call."""

from __future__ import annotations

from contextlib import closing
from contextvars import ContextVar
from pathlib import Path

import pytest

from tests.remote.served import allowed, served
from truekeep.adapters.common import Recording, Remembering, Scopes, Spaces
from truekeep.assembly import open_parts
from truekeep.errors import AccessDenied, ConfigurationError
from truekeep.testing.fakes import FakeEmbedder

from .places import kept, opened, patient, spaces

BOTH = Scopes(read=["user:ana", "team:web"], write="user:ana")


def filled(folder: Path) -> None:
    with opened(folder, "user:ana") as ana, opened(folder, "team:web") as team, opened(folder, "user:ben") as ben:
        ana.remember("Ana likes green tea", kind="preference")
        ana.remember("Deploys happen on Fridays")
        team.remember("The web team deploys with Docker")
        team.remember("deploys happen on Fridays.")
        team.remember("Deploying by hand broke production", kind="lesson")
        ben.remember("Ben deploys at night")


def test_one_name_is_read_and_written() -> None:
    assert Scopes.of("user:ana") == Scopes(read=["user:ana"], write="user:ana")


def test_one_name_to_read_is_not_taken_for_a_list_of_letters() -> None:
    assert Scopes(read="ana").read == ("ana",)


def test_what_is_not_named_to_be_written_is_not_written() -> None:
    assert Scopes(read=["team:web"]).write is None


@pytest.mark.parametrize("given", [None, 7, ["user:ana"], "", "  "])
def test_scopes_that_say_nothing_are_refused(given: object) -> None:
    with pytest.raises(ConfigurationError):
        Scopes.of(given)


def test_recall_looks_into_all_read_scopes_and_no_other(tmp_path: Path) -> None:
    filled(tmp_path)

    found = spaces(tmp_path, BOTH).recall("who deploys when?", BOTH, limit=10)

    contents = [match.content for match in found]
    assert "The web team deploys with Docker" in contents
    assert "Ana likes green tea" in contents
    assert "Ben deploys at night" not in contents


def test_a_scope_that_the_key_may_not_read_is_as_good_as_empty(tmp_path: Path) -> None:
    filled(tmp_path)

    with served() as server, closing(open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder())) as parts:
        url = server.add(parts)
        team, none = (Spaces(BOTH, at=url, key=allowed(parts.parts.store, name)) for name in ("team:*", "other"))
        found = team.recall("who deploys when?", BOTH, limit=10)
        shown = team.material("who deploys when?", BOTH)
        with pytest.raises(AccessDenied):
            none.recall("who deploys when?", BOTH)
        team.close()
        none.close()
        server.remove(url)

    assert "The web team deploys with Docker" in [match.content for match in found]
    assert "The web team deploys with Docker" in [entry.item.content for entry in shown.entries]
    assert "Ana likes green tea" not in [match.content for match in found]


def test_what_two_scopes_state_alike_is_recalled_once(tmp_path: Path) -> None:
    filled(tmp_path)

    found = spaces(tmp_path, BOTH).recall("deploys happen on Fridays", BOTH, limit=10)

    assert sum("on fridays" in match.content.lower() for match in found) == 1


def test_merged_matches_are_sorted_by_their_scores_and_limited(tmp_path: Path) -> None:
    filled(tmp_path)

    found = spaces(tmp_path, BOTH).recall("which team deploys with Docker?", BOTH, limit=2)

    assert len(found) == 2
    assert found[0].content == "The web team deploys with Docker"
    assert found[0].score >= found[1].score


def test_a_scope_that_knows_the_answer_comes_before_one_that_does_not(tmp_path: Path) -> None:
    filled(tmp_path)

    found = spaces(tmp_path, BOTH).recall("green tea", BOTH, limit=2)

    assert found[0].content == "Ana likes green tea"  # the best of the team says nothing about tea


def test_lessons_of_all_scopes_are_told(tmp_path: Path) -> None:
    filled(tmp_path)

    found = spaces(tmp_path, BOTH).recall("deploying by hand", BOTH)

    assert [lesson.content for lesson in found.lessons] == ["Deploying by hand broke production"]


def test_a_block_holds_all_scopes_within_one_budget(tmp_path: Path) -> None:
    filled(tmp_path)
    remembering = Remembering(spaces(tmp_path, BOTH), guard=patient())

    block = remembering.block("deploys")

    assert block.count("<recalled-memory") == 1
    assert "Ana likes green tea" in block
    assert "The web team deploys with Docker" in block
    assert "Avoid" in block
    assert block.lower().count("on fridays") == 1


def test_what_is_pinned_in_any_scope_is_in_every_block(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, "team:web") as team:
        team.remember("Never share customer names", pinned=True)
    remembering = Remembering(spaces(tmp_path, BOTH), guard=patient())

    assert "Never share customer names" in remembering.block("green tea")


def test_writes_go_to_the_write_scope_only(tmp_path: Path) -> None:
    remembering = Remembering(spaces(tmp_path, BOTH), guard=patient())

    remembering.tools.remember("Ana works in Lisbon")
    remembering.note("I work in Lisbon", speaker="Ana", role="user")

    assert [item.content for item in kept(tmp_path, "user:ana")] == ["Ana works in Lisbon", "I work in Lisbon"]
    assert kept(tmp_path, "team:web") == []


def test_without_a_write_scope_nothing_is_written_and_nothing_fails(tmp_path: Path) -> None:
    filled(tmp_path)
    before = len(kept(tmp_path, "team:web"))
    remembering = Remembering(spaces(tmp_path, Scopes(read=["team:web"])), guard=patient())

    remembering.note("I work in Lisbon", speaker="Ana", role="user")
    told = remembering.tools.remember("Ana works in Lisbon")

    assert told == "This memory can only be read."
    assert "Docker" in remembering.tools.recall("Docker")
    assert len(kept(tmp_path, "team:web")) == before
    assert remembering.failures == 0


def test_one_agent_serves_two_users_and_neither_sees_the_other(tmp_path: Path) -> None:
    user: ContextVar[str] = ContextVar("user")
    remembering = Remembering(spaces(tmp_path, lambda: f"user:{user.get()}"), guard=patient())

    user.set("ana")
    remembering.note("My favourite drink is green tea", speaker="Ana", role="user", conversation="one")
    remembering.tools.remember("Ana is allergic to nuts")
    user.set("ben")
    of_ben = remembering.block("what is my favourite drink?"), remembering.tools.recall("favourite drink, nuts")
    user.set("ana")
    of_ana = remembering.block("what is my favourite drink?")

    assert of_ben == ("", "No relevant memories found.")
    assert "green tea" in of_ana
    assert "nuts" in of_ana


def test_when_nobody_knows_the_user_nothing_is_read_and_the_agent_goes_on(tmp_path: Path) -> None:
    filled(tmp_path)
    user: ContextVar[str] = ContextVar("user")
    remembering = Remembering(spaces(tmp_path, lambda: user.get()), guard=patient())

    block = remembering.block("deploys")
    remembering.note("hello there")

    assert block == ""
    assert remembering.failures == 2


def test_a_memory_that_was_handed_over_is_the_only_scope_and_stays_open(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        remembering = Remembering(memory, guard=patient(), recording=Recording(mode="messages"))
        remembering.note("Ana likes tea", speaker="Ana")

        remembering.close()

        assert [item.content for item in memory.items()] == ["Ana likes tea"]
        with pytest.raises(ConfigurationError, match="only the space 'ana'"):
            remembering.spaces.memory("ben")


def test_closed_spaces_open_again_when_they_are_used(tmp_path: Path) -> None:
    several = spaces(tmp_path, "ana")
    several.memory("ana").remember("Ana likes tea")

    several.close()

    assert several.recall("tea", several.scopes())[0].content == "Ana likes tea"
    several.close()


def test_many_users_do_not_keep_as_many_handles_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.adapters.common.spaces.MOST_OPEN", 3)
    several = spaces(tmp_path, "ana")

    for number in range(10):
        several.memory(f"user:{number}").remember(f"this is user {number}")

    assert [memory.space for memory in several.opened()] == ["user:7", "user:8", "user:9"]
    assert several.memory("user:0").recall("user")[0].content == "this is user 0"
    several.close()


@pytest.mark.parametrize("given", [None, 7, object()])
def test_what_is_no_memory_is_refused(given: object) -> None:
    with pytest.raises(ConfigurationError):
        Spaces.of(given)  # type: ignore[arg-type]
