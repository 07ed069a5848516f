"""Blocks that change little from turn to turn: what stays, what gives way, and what leaves at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.remote.served import served
from truekeep import Memory
from truekeep.adapters.common import Recalling, Remembering, announcement
from truekeep.adapters.common.block import MOST_CONVERSATIONS, Shown, Steady, nothing_new, steadied
from truekeep.adapters.common.speech import says_nothing
from truekeep.assembly import open_parts
from truekeep.engine.verbs.context import Entry, Material
from truekeep.model import MemoryItem
from truekeep.testing.fakes import FakeEmbedder

from .places import opened, patient

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEAS = [f"Ana drinks tea number {number}" for number in range(12)]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        yield memory


def entry(id: str, *, pinned: bool = False) -> Entry:
    moment = NOON + timedelta(seconds=len(id))
    return Entry(item=MemoryItem(id=id, content=id, pinned=pinned, created=moment, updated=moment, when=moment))


def found(ids: str) -> Material:
    return Material(entries=[entry(id, pinned=id.isupper()) for id in ids])


def order(material: Material) -> str:
    return "".join(entry.item.id for entry in material.entries)


@pytest.mark.parametrize(
    ("ranked", "before", "expected"),
    [
        ("abcdefgh", "", "abcdefgh"),
        ("xyabcd", "abcd", "xyabcd"),  # the better half are new: clearly better
        ("abxycd", "abcd", "abcdxy"),  # two new ones that are not: those shown before stay
        ("efghijklabcd", "abcd", "efghijklabcd"),  # those shown before are no longer good enough
        ("Pxabcd", "Pabcd", "Pxabcd"),  # what is pinned has a place of its own
        ("xa", "a", "xa"),
    ],
)
def test_what_comes_first(ranked: str, before: str, expected: str) -> None:
    assert order(steadied(found(ranked), before)) == expected


@given(st.permutations("abcdefghijklmnop"), st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=8))
def test_a_new_one_pushes_out_only_what_ranks_clearly_below_it(ranked: list[str], before: set[str]) -> None:
    size = len(before)

    shown = order(steadied(found("".join(ranked)), before))[:size]

    rank = {id: place for place, id in enumerate(ranked)}
    assert {*ranked[: (size + 1) // 2]} <= {*shown}
    for gone in before - {*shown}:
        for new in {*shown} - before:
            assert rank[gone] >= 2 * size or rank[gone] - rank[new] >= size // 2


def test_nothing_new_is_what_was_shown_and_what_is_pinned() -> None:
    material = Material(entries=found("Pabc").entries, lessons=found("de").entries)

    left = nothing_new(material, "bd")

    assert order(left) == "Pb"
    assert [lesson.item.id for lesson in left.lessons] == ["d"]


def test_the_latest_conversations_are_known_and_no_more() -> None:
    steady = Steady()

    for number in range(MOST_CONVERSATIONS + 5):
        steady.keep(number, Shown(str(number)))

    assert steady.last(4) == Shown()
    assert steady.last(5) == Shown("5")


def test_several_threads_use_it_at_once() -> None:
    steady = Steady()

    def talk(name: int) -> None:
        for number in range(500):
            steady.keep((name, number % 7), Shown(f"{name}"))
            assert steady.last((name, number % 7)).query == f"{name}"

    threads = [threading.Thread(target=talk, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(steady._shown) == 8 * 7


NOTHING = [
    "",
    "  \n",
    "ok",
    "OK!",
    "thanks",
    "Great, thanks!",
    "yes",
    "no thanks",
    "hi",
    "👍",
    "...",
    "/compact",
    "/clear ",
]
THANKS = ["danke", "merci", "gracias", "grazie", "bedankt", "obrigado"]
SOMETHING = ["tea", "why?", "Ana", "the second one", "ok, and what does Ana drink?", "no plants", "thanks, deploy it"]


@pytest.mark.parametrize("text", [*NOTHING, *THANKS])
def test_what_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", [*SOMETHING, "/review what Ana drinks", "/etc/hosts is wrong", "42"])
def test_what_says_something(text: str) -> None:
    assert not says_nothing(text)


def test_a_message_that_says_nothing_leaves_the_block_as_it_was(memory: Memory) -> None:
    memory.remember_many([*TEAS, "The printer is on the second floor"])
    remembering = Remembering(memory, recalling=Recalling(limit=3), guard=patient())
    before = remembering.block("which tea does Ana drink?", conversation="monday")
    memory.remember("Ana drinks tea, and which tea is this: green tea")

    after = [remembering.block(said, conversation="monday") for said in ("ok", "/compact", "", "Thanks!")]

    assert "tea number" in before
    assert after == [before] * 4


def test_a_conversation_that_begins_with_a_greeting_gets_only_what_is_pinned(memory: Memory) -> None:
    memory.remember("Ana drinks tea")
    remembering = Remembering(memory, guard=patient())
    assert remembering.block("hi", conversation="monday") == ""

    memory.remember("Ana is the captain", pinned=True)

    block = remembering.block("hi", conversation="monday")
    assert "captain" in block
    assert "tea" not in block


def test_what_is_forgotten_leaves_at_once(memory: Memory) -> None:
    kept = memory.remember_many(TEAS)
    remembering = Remembering(memory, guard=patient())
    before = remembering.block("which tea does Ana drink?", conversation="monday")
    memory.forget(kept[4].id)

    after = remembering.block("ok", conversation="monday")

    assert after == before.replace(next(line for line in before.splitlines(True) if line.endswith("number 4\n")), "")
    assert "number 4" not in remembering.block("which tea does Ana drink?", conversation="monday")


def test_what_is_replaced_leaves_at_once(memory: Memory) -> None:
    first = memory.remember("Ana drinks green tea")
    remembering = Remembering(memory, guard=patient())
    remembering.block("which tea does Ana drink?", conversation="monday")
    memory.correct(first.id, "Ana drinks black tea")

    after = remembering.block("ok", conversation="monday")

    assert "- [" not in after or "Ana drinks black tea" in after
    assert "] Ana drinks green tea" not in after


def test_the_same_question_shows_at_once_what_was_learned_meanwhile(memory: Memory) -> None:
    memory.remember("Ana drinks tea")
    remembering = Remembering(memory, guard=patient())
    remembering.block("what does Ana drink?", conversation="monday")
    memory.remember("Ana drinks cocoa in winter")

    assert "cocoa" in remembering.block("what does Ana drink?", conversation="monday")


def test_another_question_changes_only_a_part_of_a_full_block(memory: Memory) -> None:
    memory.remember_many([f"Ana {verb} {what} in town" for verb in ("drinks", "sells", "grows") for what in WARES])
    remembering = Remembering(memory, recalling=Recalling(limit=6), guard=patient())
    fresh = Remembering(memory, recalling=Recalling(limit=6), guard=patient())
    questions = [f"what about {what} in town?" for what in WARES[:6]]

    steady = [lines(remembering.block(question, conversation="monday")) for question in questions]
    new = [lines(fresh.block(question, conversation=question)) for question in questions]

    assert stay(steady) > stay(new)
    assert all(any(what in line for line in block) for what, block in zip(WARES, steady, strict=False))


def test_as_many_as_a_recall_may_bring_may_be_shown(memory: Memory) -> None:
    memory.remember("Ana drinks tea")
    remembering = Remembering(memory, recalling=Recalling(limit=1000), guard=patient())

    assert "tea" in remembering.block("what does Ana drink?", seen=[f"message {number}" for number in range(300)])
    assert remembering.failures == 0


def test_conversations_and_scopes_do_not_mix(memory: Memory) -> None:
    memory.remember_many(TEAS)
    remembering = Remembering(memory, recalling=Recalling(limit=3), guard=patient())
    tea = remembering.block("which tea does Ana drink?", conversation="monday")

    assert remembering.block("ok", conversation="tuesday") == ""
    assert remembering.block("ok", conversation="monday") == tea
    assert remembering.block("ok", seen=["Another beginning"]) == ""


def test_the_first_message_names_a_conversation_that_has_no_name(memory: Memory) -> None:
    memory.remember_many(TEAS)
    remembering = Remembering(memory, guard=patient())
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "which tea does Ana drink?"}]

    first = remembering.block(said[-1], seen=said)

    later = [*said, {"role": "assistant", "content": "Green tea."}, {"role": "user", "content": "ok"}]
    assert remembering.block("ok", seen=later) == first != ""


def chat(*said: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": one} for one in said]


def test_conversations_without_a_name_that_begin_alike_do_not_share_a_block(memory: Memory) -> None:
    memory.remember_many(TEAS)
    remembering = Remembering(memory, recalling=Recalling(limit=3), guard=patient())
    tea = remembering.block("which tea does Ana drink?", seen=chat("Hi", "which tea does Ana drink?"))
    assert remembering.block("ok", seen=chat("Hi", "which tea does Ana drink?", "ok")) == tea != ""

    assert remembering.block("ok thanks", seen=chat("Hi", "ok thanks")) == ""


def test_nor_does_one_keep_what_another_was_shown(memory: Memory) -> None:
    memory.remember_many([f"Ana {verb} {what} in town" for verb in ("drinks", "sells", "grows") for what in WARES])
    asked, other = (f"what about {what} in town?" for what in WARES[:2])
    shared, fresh = (Remembering(memory, recalling=Recalling(limit=6), guard=patient()) for _ in range(2))
    shared.block(asked, seen=chat("Hi", asked))

    assert shared.block(other, seen=chat("Hi", other)) == fresh.block(other, seen=chat("Hi", other))


def test_a_long_message_that_was_asked_for_is_known_again(memory: Memory) -> None:
    memory.remember_many(TEAS)
    remembering = Remembering(memory, recalling=Recalling(limit=3), guard=patient())
    asked = "Well, " * 2_000 + "which tea does Ana drink?"
    tea = remembering.block(asked, seen=chat("Hi", asked))

    assert remembering.block("ok", seen=chat("Hi", asked, "ok")) == tea != ""


def test_it_works_on_a_served_memory(tmp_path: Path) -> None:
    parts = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    with served() as server:
        memory = Memory("ana", at=server.add(parts))
        kept = memory.remember_many(TEAS)
        remembering = Remembering(memory, guard=patient())
        before = remembering.block("which tea does Ana drink?", conversation="monday")
        memory.forget(kept[0].id)
        after = remembering.block("ok", conversation="monday")
    parts.close()

    assert {*lines(before)} - {*lines(after)} == {line for line in lines(before) if line.endswith("number 0")}


def test_nothing_in_a_block_tells_the_time_of_day_or_counts(memory: Memory) -> None:
    memory.remember_many(TEAS)
    first = Remembering(memory, guard=patient()).block("which tea does Ana drink?")

    for _ in range(5):  # each of them counts as an access
        again = Remembering(memory, guard=patient()).block("which tea does Ana drink?")

    assert again == first


def test_an_announcement_is_one_line_for_people(memory: Memory) -> None:
    memory.remember("Ana drinks tea\n- [2020-01-01] and this is no item of its own")
    one = Remembering(memory, guard=patient()).block("tea")
    memory.remember_many(["Ben drinks tea", "Cem drinks tea"])

    assert announcement("") == ""
    assert announcement(one) == "recalled 1 memory"
    assert announcement(Remembering(memory, guard=patient()).block("tea")) == "recalled 3 memories"


WARES = ["bread", "honey", "silver", "carpets", "lemons", "candles", "mirrors", "violins"]


def lines(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("- [")]


def stay(blocks: list[list[str]]) -> int:
    return sum(len({*before} & {*after}) for before, after in pairwise(blocks))
