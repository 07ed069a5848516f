"""A query that is, or holds, an identifier of the space finds the item that holds it, first and in every order."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from truekeep import Memory
from truekeep.model import Order
from truekeep.testing.fakes import FixedClock

OCTOBER = datetime(2025, 10, 15, 9, tzinfo=UTC)
SUBJECTS = ["The build", "A nightly import", "The mail relay", "Our staging cluster", "The billing job"]
EVENTS = [
    "failed at the linking step and had to be started again by hand after the disk had been cleaned up",
    "took twice as long as the week before, since the warehouse sent its whole history instead of the last day",
    "was moved to another machine, which nobody had told the people who look after the monitoring",
    "stopped without a word, and the log held nothing but the time at which it had last been seen",
]
ORDERS: tuple[Order, ...] = get_args(Order)


def identifier(chance: random.Random) -> str:
    letters = string.ascii_lowercase + string.digits
    return "".join(chance.choice(letters) for _ in range(16))


def long_text(chance: random.Random, name: str) -> str:
    sentences = [f"{chance.choice(SUBJECTS)} {chance.choice(EVENTS)}." for _ in range(chance.randint(1, 12))]
    sentences.insert(chance.randrange(len(sentences) + 1), f"That was run {name}.")
    return " ".join(sentences)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", clock=FixedClock(OCTOBER), background=False) as opened:
        yield opened


@pytest.mark.parametrize("seed", range(10))
def test_an_identifier_alone_finds_the_long_item_that_holds_it_among_twenty(memory: Memory, seed: int) -> None:
    """200 of 200 over all seeds, in every order; items that are newer and often recalled compete."""
    chance = random.Random(seed)
    names = [identifier(chance) for _ in range(20)]
    for age, name in enumerate(names):
        memory.remember(long_text(chance, name), when=OCTOBER - timedelta(days=10 * age), judged=False)
    for _ in range(10):
        memory.recall("what failed at the linking step?", limit=3)

    for order in ORDERS:
        missed = [name for name in names if name not in memory.recall(name, order=order)[0].content]
        assert missed == [], order


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("query", "holder", "others"),
    [
        ("Is 2024-0187 paid?", "Invoice 2024-0187 is open.", ["Invoice 2024-0178 is paid.", "Who has not paid?"]),
        ("what did get_user_by_mail do?", "get_user_by_mail raises.", ["get_user_by_id did what it should do."]),
        ("How was LH441?", "LH441: two hours on the apron", ["How was the flight? LH414 was fine."]),
        ("who is anna@example.org", "Write to anna@example.org", ["Who is Ana? ana@example.org is who she is."]),
        ("tell me about host 10.0.0.9", "10.0.0.9 is the printer", ["The host tells about itself at 10.0.0.5."]),
    ],
)
def test_an_identifier_among_other_words_wins(
    memory: Memory, order: Order, query: str, holder: str, others: list[str]
) -> None:
    memory.remember(holder, when=OCTOBER - timedelta(days=300))
    memory.remember_many(others)

    assert memory.recall(query, order=order)[0].content == holder


def test_an_identifier_is_as_similar_as_can_be_to_the_item_that_holds_it(memory: Memory) -> None:
    memory.remember(long_text(random.Random(1), "zq2rogubbb8ayn1b"))

    (found,) = memory.recall("zq2rogubbb8ayn1b", min_similarity=0.9)

    assert found.similarity == 1.0
    assert "identifier" in found.why


@pytest.mark.parametrize("query", ["When do we meet on 3 May at 10?", "Is it 30min or 45min?", "what came in 2024?"])
def test_numbers_and_times_are_no_identifiers(memory: Memory, query: str) -> None:
    memory.remember_many(["10 apples cost 2024 cents in May", "30min on the stove"])

    assert all("identifier" not in match.why for match in memory.recall(query))


def test_what_many_items_hold_identifies_none_of_them(memory: Memory) -> None:
    memory.remember_many([f"job_runner wrote line {n}" for n in range(12)])

    assert all("identifier" not in match.why for match in memory.recall("job_runner"))


def test_an_identifier_beyond_the_first_few_hundred_items_is_nominated(memory: Memory) -> None:
    noise = [{"content": f"the pump of house {n} was paid and checked again", "judged": False} for n in range(400)]
    memory.remember_many(noise)
    memory.remember(long_text(random.Random(2), "XK-55-9"))

    found = memory.recall("was the pump of house 7 paid, checked again, or was it XK-55-9?", order="confidence")

    assert "XK-55-9" in found[0].content
