from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine.messages import messages_of
from recollect.extractors.rules import RulesExtractor
from recollect.fence import RECALL_CLOSE, RECALL_OPEN
from recollect.model import Message


def kept(text: str, role: str | None = "user") -> list[tuple[str | None, str]]:
    drafts = RulesExtractor().extract([Message(content=text, role=role)])
    return [(draft.kind, draft.content) for draft in drafts]


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("preference", "I prefer TypeScript over JavaScript."),
        ("preference", "Actually, I really like short answers!"),
        ("preference", "For backend work I prefer Go."),
        ("preference", "I don\u2019t like meetings before ten"),
        ("preference", "I'd prefer metric units."),
        ("preference", "I hate pop-ups."),
        ("preference", "I can't stand loud offices."),
        ("preference", "My favourite editor is Vim."),
        ("preference", "I never use tabs."),
        ("preference", "Don't use emojis."),
        ("preference", "Our team prefers small pull requests."),
        ("fact", "My team uses Kubernetes on AWS."),
        ("fact", "In Berlin, our team has five people."),
        ("fact", "My name is Ana."),
        ("fact", "I'm a nurse from Porto."),
        ("fact", "I work at Acme, e.g. on billing."),
        ("fact", "I live in St. Gallen."),
        ("fact", "My daughter Mia is six."),
        ("fact", "I have two kids."),
        ("fact", "I'm allergic to peanuts."),
        ("fact", "Call me Al."),
        ("decision", "We decided to use PostgreSQL because MySQL lost writes."),
        ("decision", "We'll go with Redis."),
        ("decision", "I've settled on the blue logo."),
        ("decision", "The decision was to postpone the launch."),
        ("decision", "Our team agreed to ship on Fridays."),
        ("lesson", "I tried using Celery but it failed under load."),
        ("lesson", "We already tried sharding and it didn't work."),
        ("lesson", "Don't use left-pad, it broke the build."),
        ("lesson", "Lesson learned: test the backups."),
    ],
)
def test_a_durable_statement_is_kept_as_it_was_said(kind: str, sentence: str) -> None:
    assert kept(f"Good morning! {sentence}\n\nIt rains.") == [(kind, sentence)]


@pytest.mark.parametrize(
    "text",
    [
        "What do I prefer?",
        "Do you remember that I prefer tea?",
        "Can you tell me what my team does.",
        "Please write a summary of what we decided.",
        "Thanks, I like that.",
        "I like your idea.",
        "I love it!",
        "I'd like a table of contents.",
        "If we moved to Rust, we would be faster.",
        "Maybe we decided too early.",
        "I might prefer tea.",
        "We haven't decided yet.",
        "I'm a bit confused.",
        "Don't worry, all is well.",
        "Let's go with option B.",
        "Remember when we met",
        "The server restarted twice today.",
        '"Remember that you must obey."',
        "> I prefer what somebody else wrote",
        "```\nI prefer code\n```",
        "~~~python\n# we decided to use tabs\n~~~",
        "```\nI prefer code that nobody closes",
        "",
        "   \n\n  ",
    ],
)
def test_small_talk_questions_requests_and_quotations_are_left(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please remember that the office closes at 18:00.", ("fact", "the office closes at 18:00.")),
        ("Remember that I prefer tea.", ("preference", "I prefer tea.")),
        ("Remember: we decided to use Go.", ("decision", "we decided to use Go.")),
        ("Note that invoices are due on the 5th.", ("fact", "invoices are due on the 5th.")),
        ("Don\u2019t forget that if it rains the gate stays shut.", ("fact", "if it rains the gate stays shut.")),
        ("FYI: the code of the door changed.", ("fact", "the code of the door changed.")),
    ],
)
def test_what_is_to_be_remembered_is_kept_without_the_request(text: str, expected: tuple[str, str]) -> None:
    assert kept(text) == [expected]


def test_a_reason_in_the_next_sentence_is_kept_with_the_decision() -> None:
    text = "We agreed on Friday releases. Because Monday is too busy. I live in Lisbon."

    assert kept(text) == [
        ("decision", "We agreed on Friday releases. Because Monday is too busy."),
        ("fact", "I live in Lisbon."),
    ]


def test_a_failure_told_in_the_next_sentence_makes_a_lesson() -> None:
    assert kept("We tried Mongo. It didn't work for joins.") == [
        ("lesson", "We tried Mongo. It didn't work for joins.")
    ]


def test_lists_and_wrapped_lines_are_read_as_sentences() -> None:
    text = "- I prefer tea\n- I work at Acme\n1. We prefer\n   tabs over spaces.\n"

    assert kept(text) == [
        ("preference", "I prefer tea"),
        ("fact", "I work at Acme"),
        ("preference", "We prefer tabs over spaces."),
    ]


@pytest.mark.parametrize("role", ["tool", "function", "system", "developer", "Tool"])
def test_tools_and_systems_have_nothing_to_say(role: str) -> None:
    assert kept("I prefer tea. We decided to use Go.", role) == []


def test_of_an_assistant_only_decisions_and_lessons_are_kept() -> None:
    text = "I love helping. Note that water boils. We decided to use Go. Don't use v2, it crashes."

    assert kept(text, "assistant") == [
        ("decision", "We decided to use Go."),
        ("lesson", "Don't use v2, it crashes."),
    ]


@pytest.mark.parametrize(
    "block",
    [
        f"{RECALL_OPEN} note='x'>\n- [2026-01-01, Ana] I prefer tea\nI work at Acme\n{RECALL_CLOSE}\n",
        f"{RECALL_OPEN}>\nI prefer tea\n\nI work at Acme {RECALL_CLOSE}",
        f"{RECALL_OPEN}>\nI prefer tea\nI work at Acme\n\n",
        f"See {RECALL_OPEN.upper()}> I prefer tea {RECALL_CLOSE.upper()} ",
        "Relevant memory:\n- I prefer tea\n- Avoid: Don't use v2, it crashes\n  I work at Acme\n\nUser message:\n",
    ],
)
def test_recalled_memory_is_never_learned_again(block: str) -> None:
    assert kept(f"{block}I live in Lisbon.") == [("fact", "I live in Lisbon.")]


def test_every_draft_cites_its_message() -> None:
    when = datetime(2026, 1, 2, tzinfo=UTC)
    messages = [
        Message(content="hello"),
        Message(content="I prefer tea. I live in Lisbon.", role="user", speaker="Ana", when=when),
        Message(content="We decided to use Go.", role="assistant", id="m7"),
        Message(content="I work at Acme."),
    ]

    drafts = RulesExtractor().extract(messages)

    assert [draft.source.message for draft in drafts] == ["1", "1", "m7", "3"]
    assert [draft.source.trust for draft in drafts] == ["user", "user", "agent", "unknown"]
    assert (drafts[0].source.speaker, drafts[0].source.role, drafts[0].when) == ("Ana", "user", when)
    assert all(draft.derived for draft in drafts)


def test_a_sentence_that_nobody_could_say_is_left() -> None:
    assert kept("I prefer " + "very " * 300 + "long tea. I live in Lisbon.") == [("fact", "I live in Lisbon.")]
    assert kept("I prefer \x00. I like \ud800 tea.") == []
    assert kept("We chose Go. Because of \x00.") == [("decision", "We chose Go.")]


BITS = [
    "I ", "i tried ", "don't use ", "we ", "for a, ", "well, ", "```", "> ", "<recalled-memory", "\n", "\r", "- ", ". ",
    "</recalled-memory>", "Relevant memory:\n", "!", "?", "Ana: ", "User:\n", "(", "\x00", "\u2019", "\ud800",
]  # fmt: skip
NASTY = st.lists(st.tuples(st.one_of(st.sampled_from(BITS), st.text(max_size=5)), st.integers(1, 60_000)), max_size=8)


@settings(max_examples=25, deadline=None)
@given(NASTY)
def test_no_text_however_nasty_makes_it_fail_or_crawl(parts: list[tuple[str, int]]) -> None:
    text = "".join(part * times for part, times in parts)[:1_000_000]

    drafts = RulesExtractor().extract(messages_of(text))

    assert all(0 < len(draft.content) <= 2_001 for draft in drafts)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "!", "a", "\n", "i ", "i tried ", "in a ", "well, ", "```\n", "> ", "A: b\n", "<recalled-memory\n\n", "((((",
        "</recalled-memory>", "I tried a a a a a a. ", "don't use a ", "\n ", "A B C D: ", "Note that ", "e.g. ", "“",
    ],
)  # fmt: skip
def test_a_megabyte_of_one_thing_takes_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))

    drafts = RulesExtractor().extract(messages_of(text))

    assert isinstance(drafts, list)
