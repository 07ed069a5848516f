"""After `remember` returned, a recall of its text finds it, or an item that holds every word and number of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

# Words that hold a sentence together, as a reader would say: what the engine takes for such is its own affair.
EMPTY = {
    *(
        "a",
        "an",
        "the",
        "i",
        "my",
        "we",
        "our",
        "am",
        "is",
        "are",
        "be",
        "has",
        "have",
        "do",
        "does",
        "of",
        "to",
        "for",
    ),
    *("for", "in", "at", "it", "its", "that", "and", "there"),
}
STATED = st.sampled_from(
    (
        "Mia is allergic to nuts",
        "Ben works at Acme",
        "Grandma needs insulin",
        "I am vegetarian",
        "The backup runs nightly",
        "I don't like phone calls",
        "The code is 1 1 2 2",
        "build 5 of 5",
        "We deploy on Fridays",
        "Bora Bora trip",
        "The rent is 900 euros",
    )
)
ADDED = st.sampled_from(
    (
        *("and eggs", "with milk", "badly", "upstairs", "booked", "called Rex", "and takes hours", "for Ben", "daily"),
        *("except for fish", "but not on Mondays", "only in winter", "never", "not", "unless it rains", "until May"),
        *("before meals", "after lunch", "part-time", "in the morning", "in Rome", "every week", "if asked", "twice"),
        *("2", "5", "7 7", "5 of 7", "1 2", "at 9:30", "since 2019", "v2", "or tea", "again", "now", "still", "too"),
        *(
            ", tracking says so",
            ". Ben likes mail",
            ", in winter",
            ". Only at night",
            " - Ana says",
            "(left)",
            "!",
            "?",
        ),
    )
)


@st.composite
def retold(draw: st.DrawFn) -> str:
    """A statement, with something added, left out, doubled or put elsewhere."""
    words = draw(STATED).split()
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(words)))
        match draw(st.sampled_from(("add", "add", "end", "drop", "double", "move"))):
            case "add":
                words[place:place] = draw(ADDED).split()
            case "end":
                words += draw(ADDED).split()
            case "drop" if len(words) > 1:
                words.pop(place % len(words))
            case "double" if words:
                words.insert(place, words[place % len(words)])
            case "move" if words:
                words.insert(place, words.pop(draw(st.integers(0, len(words) - 1))))
    return " ".join(words) + draw(st.sampled_from(("", ".", "!")))


def told(text: str) -> Counter[str]:
    """Every word and number, without a plural's ending."""
    words = re.findall(r"\w+", text.replace("don't", "do not").lower())
    return Counter(word.removesuffix("s") for word in words if word not in EMPTY)


def is_held(text: str, found: Sequence[str]) -> bool:
    return any(text == one or not told(text) - told(one) for one in found)


Saying = Callable[[Memory, list[str]], object]
IN_TURN: Saying = lambda memory, texts: [memory.remember(text) for text in texts]  # noqa: E731
AT_ONCE: Saying = lambda memory, texts: memory.remember_many(texts)  # noqa: E731


@pytest.mark.parametrize("say", [IN_TURN, AT_ONCE], ids=["in turn", "at once"])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(retold(), min_size=2, max_size=4))
def test_what_was_said_last_is_found_in_its_own_words(say: Saying, texts: list[str]) -> None:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        say(memory, texts)

        found = [match.content for match in memory.recall(texts[-1], limit=5)]

    assert is_held(texts[-1], found), (texts, found)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(retold(), min_size=2, max_size=6))
def test_nothing_that_was_said_leaves_the_history(texts: list[str]) -> None:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        for text in texts:
            memory.remember(text)

        found = [item.content for item in memory.items(include_superseded=True)]

    assert all(is_held(text, found) for text in texts), (texts, found)


def test_the_end_of_a_long_text_counts_like_its_beginning() -> None:
    beginning = "The kiln is lit on Mondays. " * 200
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        memory.remember(beginning + "The oven is new.")

        said = memory.remember(beginning + "The oven is old.")

    assert said.outcome == "added"


def test_what_an_extraction_adds_is_kept() -> None:
    texts = ["I am allergic to nuts.", "I am allergic to nuts and eggs.", "I am allergic to nuts and eggs and milk."]
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        memory.extract([{"role": "user", "content": texts[0]}])
        memory.extract([{"role": "user", "content": text} for text in texts[1:]])

        found = [item.content for item in memory.items()]

    assert all(is_held(text, found) for text in texts), found
