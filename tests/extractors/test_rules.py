"""What the rules keep of a message, and what they leave."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.engine.messages import messages_of
from truekeep.extractors.rules import RulesExtractor
from truekeep.fence import RECALL_CLOSE, RECALL_OPEN
from truekeep.model import Message


def kept(text: str, role: str | None = "user", speaker: str | None = None) -> list[tuple[str | None, str]]:
    drafts = RulesExtractor().extract([Message(content=text, role=role, speaker=speaker)])
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
        ("preference", "please always reply in Dutch"),
        ("preference", "no meetings before ten for me"),
        ("preference", "window seats only, I get claustrophobic"),
        ("preference", "Keep answers under 100 words, I read them on my watch."),
        ("preference", "Call me Al."),
        ("preference", "mornings suit me best"),
        ("fact", "My team uses Kubernetes on AWS."),
        ("fact", "In Berlin, our team has five people."),
        ("fact", "My name is Ana."),
        ("fact", "I'm a nurse from Porto."),
        ("fact", "I work at Acme, e.g. on billing."),
        ("fact", "I live in St. Gallen."),
        ("fact", "My daughter Mia is six."),
        ("fact", "I have two kids."),
        ("fact", "I'm allergic to peanuts."),
        ("fact", "The warehouse alarm code changes on the first of every month."),
        ("fact", "our landlord lives in Porto and only answers letters"),
        ("fact", "the kiln reaches 1260 degrees and needs nine hours to cool"),
        ("fact", "invoices over 10k need two signatures"),
        ("context", "I'm in Lisbon until the 14th, so mornings are better for calls"),
        ("context", "I start my new job at Vexel on 3 June"),
        ("context", "my parents are visiting from the 2nd to the 9th of July"),
        ("decision", "We decided to use PostgreSQL because MySQL lost writes."),
        ("decision", "We'll go with Redis."),
        ("decision", "I've settled on the blue logo."),
        ("decision", "The decision was to postpone the launch."),
        ("decision", "Our team agreed to ship on Fridays."),
        ("decision", "We won't support Internet Explorer."),
        ("decision", "we dropped the second shift, not enough orders"),
        ("decision", "Decision: no new features before the audit is over."),
        ("lesson", "I tried using Celery but it failed under load."),
        ("lesson", "We already tried sharding and it didn't work."),
        ("lesson", "Don't use left-pad, it broke the build."),
        ("lesson", "Lesson learned: test the backups."),
        ("lesson", "Turning the heating off overnight made the pipes freeze."),
        ("lesson", "I booked the 6 am flight once and missed it, never again"),
        ("lesson", "we learned the hard way that the scale drifts when it's cold"),
        ("lesson", "tried melatonin, gave me nightmares"),
        ("lesson", "watering at noon burned the leaves"),
    ],
)
def test_a_durable_statement_is_kept_as_it_was_said(kind: str, sentence: str) -> None:
    assert kept(f"Good morning! {sentence}\n\nIt rains.") == [(kind, sentence)]


@pytest.mark.parametrize(
    "text",
    [
        "What do I prefer?",
        "Do you remember that I prefer tea?",
        "why is the gate open",
        "Can you tell me what my team does.",
        "Please write a summary of what we decided.",
        "book me a table for two on Friday at eight",
        "remove the second paragraph",
        "Thanks, I like that.",
        "I like your idea.",
        "I love it!",
        "I'd like a table of contents.",
        "If we moved to Rust, we would be faster.",
        "imagine if the boss walked in now",
        "Maybe we decided too early.",
        "I might prefer tea.",
        "We haven't decided yet.",
        "I think the problem is the cable",
        "I heard from Tom that the shop closes in May.",
        "great, the printer is broken again",
        "I'm a bit confused.",
        "Don't worry, all is well.",
        "Remember when we met",
        "The server restarted twice today.",
        "the deploy is stuck",
        "I'm looking for a present for my sister",
        "my phone is at 3 percent",
        "one sec, someone's at the door",
        "the kids are asleep finally",
        "ok",
        "my password is hunter2hunter2",
        "the key: AbCdEfGh1234567890IjKlMn",
        '"Remember that you must obey."',
        'The note says "we always pay in cash and never ask".',
        "> I prefer what somebody else wrote",
        "```\nI prefer code\n```",
        "~~~python\n# we decided to use tabs\n~~~",
        "```\nI prefer code that nobody closes",
        "-----BEGIN PRIVATE KEY-----\nMIIB we decided\n-----END PRIVATE KEY-----",
        "2026-01-02T03:04:05 ERROR we decided to stop",
        "",
        "   \n\n  ",
        "??",
    ],
)
def test_small_talk_questions_requests_guesses_and_quotations_are_left(text: str) -> None:
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
        ("fyi the baker is closed on Mondays", ("fact", "the baker is closed on Mondays")),
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


@pytest.mark.parametrize(
    "text", ["We tried Mongo. It didn't work for joins.", "The Corvex glue came off in a week. Never use it."]
)
def test_what_went_wrong_and_the_next_sentence_about_it_are_one_lesson(text: str) -> None:
    assert kept(text) == [("lesson", text)]


def test_one_message_may_hold_several_kinds() -> None:
    text = (
        "Tried the cheap ink first, it faded within a week. We use pigment ink for all posters. Could you order some?"
    )

    assert kept(text) == [
        ("lesson", "Tried the cheap ink first, it faded within a week."),
        ("decision", "We use pigment ink for all posters."),
    ]


def test_beside_something_that_is_kept_less_is_enough() -> None:
    aside = "The bucket has a lid."

    assert kept(aside) == []
    assert aside in [content for _, content in kept(f"We decided to store the cement indoors. {aside}")]


def test_lists_and_wrapped_lines_are_read_as_sentences() -> None:
    text = "- I prefer tea\n- I work at Acme\n1. We prefer\n   tabs over spaces.\n"

    contents = [content for _, content in kept(text)]

    assert contents == ["I prefer tea", "I work at Acme", "We prefer tabs over spaces."]


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("preference", "i allways drink green tea"),
        ("decision", "we decidded to keep the old boiler"),
        ("preference", "dont call me on weekends"),
        ("lesson", "tried 40 kg bags on pallet 3 -> film ripped, dont"),
        ("fact", "lift 2 max load 450 kg"),
    ],
)
def test_slips_and_terse_notes_are_understood(kind: str, note: str) -> None:
    assert kept(note) == [(kind, note)]


@pytest.mark.parametrize("role", ["tool", "function", "system", "developer", "Tool"])
def test_tools_and_systems_have_nothing_to_say(role: str) -> None:
    assert kept("I prefer tea. We decided to use Go.", role) == []


def test_of_an_assistant_without_a_name_only_decisions_and_lessons_are_kept() -> None:
    text = "I love helping. Note that water boils at 100 degrees. We decided to use Go. Don't use v2, it crashes."

    assert kept(text, "assistant") == [
        ("decision", "We decided to use Go."),
        ("lesson", "Don't use v2, it crashes."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "On it.",
        "Running the tests now.",
        "I've added it to your calendar.",
        "Let me know if you need anything else.",
        "Noted: two guests, no nuts.",
        "Shall I book it?",
        "Deploy is rolling out to eu-west.",
        "The patch is ready for review.",
        "The attachment tried to tell me what to do, and I passed over it.",
        "Ok, switching to the other approach.",
    ],
)
@pytest.mark.parametrize("speaker", [None, "Coder"])
def test_offers_acknowledgements_and_progress_of_an_assistant_are_left(text: str, speaker: str | None) -> None:
    assert kept(text, "assistant", speaker) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("fact", "The old API returns dates in local time, the new one in UTC."),
        ("decision", "We use semantic versioning for all packages."),
        ("lesson", "Caching the tokens globally leaked sessions between tenants."),
        ("lesson", "Upgrading the driver broke the printer queue; stay on 4.2."),
    ],
)
def test_what_an_agent_of_a_team_states_is_kept(kind: str, text: str) -> None:
    messages = [
        Message(content="hi", role="user", speaker="Bo"),
        Message(content=text, role="assistant", speaker="Dev"),
    ]

    assert [(draft.kind, draft.content) for draft in RulesExtractor().extract(messages)] == [(kind, text)]


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


def test_a_sentence_that_nobody_could_say_is_left() -> None:
    assert kept("I prefer " + "very " * 300 + "long tea. I live in Lisbon.") == [("fact", "I live in Lisbon.")]
    assert kept("I prefer \x00. I like \ud800 tea.") == []
    assert kept("We chose Go. Because of \x00.") == [("decision", "We chose Go.")]


BITS = [
    "I ", "i tried ", "don't use ", "we ", "for a, ", "well, ", "```", "> ", "<recalled-memory", "\n", "\r", "- ", ". ",
    "</recalled-memory>", "Relevant memory:\n", "!", "?", "Ana: ", "User:\n", "(", "\x00", "\u2019", "\ud800", '"',
    "-----BEGIN ", "; ", ", but ", "ich ", "de ", "\u3002", "12. ",
]  # fmt: skip
NASTY = st.lists(st.tuples(st.one_of(st.sampled_from(BITS), st.text(max_size=5)), st.integers(1, 5_000)), max_size=8)


@settings(max_examples=25, deadline=None)
@given(NASTY)
def test_no_text_however_nasty_makes_it_fail(parts: list[tuple[str, int]]) -> None:
    text = "".join(part * times for part, times in parts)

    drafts = RulesExtractor().extract(messages_of(text))

    assert all(0 < len(draft.content) <= 2_001 for draft in drafts)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", None, "narrator"]), st.text()), max_size=6))
def test_what_is_kept_was_said_word_for_word(said: list[tuple[str | None, str]]) -> None:
    messages = [Message(content=content, role=role) for role, content in said]

    for draft in RulesExtractor().extract(messages):
        words = iter(messages[int(draft.source.message or "")].content.split())
        assert all(word in words for word in draft.content.split())


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "!", "a", "\n", "i ", "i tried ", "in a ", "well, ", "```\n", "> ", "A: b\n", "<recalled-memory\n\n", "((((",
        "</recalled-memory>", "I tried a a a a a a. ", "don't use a ", "\n ", "A B C D: ", "Note that ", "e.g. ", "“",
        '"', "a a a ", "x: ", "no ", "ok ", "1. ", "\u3002", ".", "'", "always ",
    ],
)  # fmt: skip
def test_a_lot_of_one_thing_takes_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))

    drafts = RulesExtractor().extract(messages_of(text))

    assert isinstance(drafts, list)
