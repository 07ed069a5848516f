"""What the rules and a learned judge make of a conversation together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep.extractors.rules import RulesExtractor
from truekeep.extractors.rules.conversation import MOST_ASKED
from truekeep.extractors.rules.weights import KINDS, Weighed, together
from truekeep.judges.learned import LearnedJudge
from truekeep.model import Message
from truekeep.ports.texts import SENTENCE

TALK = ("user: Morning!", "assistant: Good morning.", "user: {}", "assistant: Noted.")
LATER = "Cash or not at all."  # of which the rules keep nothing
UNSURE = -0.1  # a logit of the judge that makes what the rules like as likely worth keeping as not
LIKED = "The depot opens at 6 and needs two drivers."


class Judge:
    """Says of each sentence what it was told to, and otherwise that it is not worth keeping."""

    def __init__(self, sure: float = 6.0, **kinds: str) -> None:
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []
        self._sure = sure
        self._kinds = {sentence.replace("_", " "): kind for kind, sentence in kinds.items()}

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32] | None:
        self.asked.append((before, speaker, tuple(sentences)))
        return np.array([self._logits(sentence) for sentence in sentences], dtype=np.float32)

    def _logits(self, sentence: str) -> list[float]:
        kind = self._kinds.get(sentence)
        return [self._sure if kind else -6.0, *(3.0 if name == kind else 0.0 for name in SENTENCE[1:])]


class Failing(Judge):
    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> None:
        super().sentences(before, speaker, sentences)


def kept(judge: Judge | LearnedJudge | None, *said: str) -> list[tuple[str | None, str]]:
    spoken = [line.partition(": ") for line in said]
    messages = [Message(content=content, role=role) for role, _, content in spoken]
    drafts = RulesExtractor(judge=judge.sentences if judge else None).extract(messages)
    return [(draft.kind, draft.content) for draft in drafts]


def talk(text: str) -> list[str]:
    return [line.format(text) for line in TALK]


def test_the_judge_finds_what_the_rules_leave_and_says_of_which_kind_it_is() -> None:
    assert kept(None, *talk(LATER)) == []
    assert kept(Judge(decision=LATER), *talk(LATER)) == [("decision", LATER)]


def test_what_the_judge_thinks_nothing_of_is_left() -> None:
    assert kept(None, *talk(LIKED)) == [("fact", LIKED)]
    assert kept(Judge(), *talk(LIKED)) == []


def test_what_is_perhaps_worth_keeping_is_kept_in_company_alone() -> None:
    hesitant, company = Judge(UNSURE, fact=LIKED), "I prefer concise answers."

    assert kept(Judge(UNSURE + 1, fact=LIKED), *talk(LIKED)) == [("fact", LIKED)]
    assert kept(hesitant, *talk(LIKED)) == []
    assert kept(hesitant, *talk(LIKED), *talk(company)) == [("fact", LIKED), ("preference", company)]


def test_a_plain_wish_is_kept_whatever_the_judge_thinks_of_it() -> None:
    assert kept(Judge(), *talk("I prefer concise answers.")) == [("preference", "I prefer concise answers.")]


@pytest.mark.parametrize(
    "text", ["We decided to use Postgres.", "We decided on Redis.", "We chose Redis for the cache."]
)
def test_a_plain_decision_without_a_reason_is_kept(text: str) -> None:
    assert kept(LearnedJudge(), *talk(text)) == [("decision", text)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("fact", "My dog is called Rex."),
        ("fact", "My birthday is May 4."),
        ("lesson", "We tried Redis and it failed under load."),
    ],
)
def test_a_plain_statement_is_kept_in_the_middle_of_small_talk(kind: str, text: str) -> None:
    assert kept(LearnedJudge(), *talk(text)) == [(kind, text)]


@pytest.mark.parametrize(
    "text", ["What did we decide on?", "We need to choose between the two offers.", "We're hiring!"]
)
def test_what_is_no_decision_yet_is_left(text: str) -> None:
    assert kept(LearnedJudge(), *talk(text)) == []


@pytest.mark.parametrize("text", ["My password is Sun$hine77.", '"We only take cash here, says the sign."'])
def test_secrets_and_quotations_are_left_whatever_the_judge_thinks_of_them(text: str) -> None:
    assert kept(Judge(fact=text), *talk(text)) == []


def test_the_judge_hears_the_message_before_and_who_speaks() -> None:
    judge = Judge()

    kept(judge, *talk("We moved the depot to Graz."))

    assert judge.asked == [("assistant: Good morning.", "user", ("We moved the depot to Graz.",))]


@pytest.mark.parametrize(
    "said",
    [
        ("user: Hallo!", "assistant: Guten Tag.", "user: Wir haben das Lager nach Graz verlegt.", "assistant: Gut."),
        ("user: ok", "assistant: Sure!", "user: thanks", "assistant: You're welcome."),  # nothing to be asked about
    ],
)
def test_the_judge_is_asked_about_english_conversations_with_something_in_them(said: tuple[str, ...]) -> None:
    judge = Judge()

    assert kept(judge, *said) == kept(None, *said)
    assert judge.asked == []


def test_in_a_message_or_two_one_of_both_is_enough() -> None:
    told = "I moved to Denver last month."  # the rules alone leave it

    assert kept(Judge(-0.5, fact=told), f"user: {told}") == [("fact", told)]
    assert kept(Judge(-0.5, fact=told), *talk(told.replace("moved to", "waved at"))) == []
    assert kept(Judge(-2.0, fact=LIKED), f"user: {LIKED}") == [("fact", LIKED)]
    assert kept(Judge(), f"user: {LIKED}") == []  # unless the judge is sure that it is small talk


API = "user: Our API is at api.foo.dev."


@pytest.mark.parametrize("slip", ["Sorry, I meant api.foo.io", "oops, I mean api.foo.io"])
def test_a_message_that_only_corrects_the_one_before_is_kept_with_it(slip: str) -> None:
    content = f"Our API is at api.foo.dev, {slip}"

    assert kept(LearnedJudge(), API, "assistant: Noted.", f"user: {slip}") == [("fact", content)]
    assert kept(None, API, f"user: {slip}", f"user: {slip}") == [("fact", content)]  # once


@pytest.mark.parametrize(
    "said",
    [
        (API, "user: Sorry, I mean, is it?"),
        (API, "user: No wait!"),
        (API, "user: I mean, it is great."),
        (API, "assistant: I meant api.foo.io."),  # somebody else
        (API, "assistant: What is your PIN?", "user: I meant 4712"),  # an answer
        (API, "user: How far is it to Rome?", "user: I meant Milan"),
        ("user: Our API is at api.foo.dev. How far is it to Rome?", "user: I meant Milan"),
        ("user: I prefer tea. My password is Sun$hine77.", "user: sorry, I meant Sun$hine78"),
    ],
)
def test_what_corrects_something_else_or_nothing_is_left(said: tuple[str, ...]) -> None:
    alone = kept(None, said[0])

    assert kept(None, *said)[: len(alone)] == alone  # nothing is added to it


def test_what_was_corrected_was_said_when_it_was_said_first() -> None:
    then = datetime(2025, 1, 1, tzinfo=UTC)
    said = [Message(content="My flight is tomorrow.", role="user", when=then), Message(content="I meant my train.")]

    (draft,) = RulesExtractor().extract([said[0], replace(said[1], role="user")])

    assert (draft.when, draft.source.message if draft.source else None) == (then, "0")
    assert draft.content == "My flight is tomorrow, I meant my train."


def test_what_a_service_says_needs_the_rules_however_little_was_said() -> None:
    judge = Judge(-0.5, fact=LATER)

    assert kept(judge, f"user: {LATER}") == [("fact", LATER)]
    assert kept(judge, "user: when?", f"assistant: {LATER}") == []


def test_where_the_judge_fails_the_rules_decide_alone_and_it_is_asked_once() -> None:
    said = [*talk("We moved the depot to Graz."), *talk("I live in Lisbon.")]
    judge = Failing()

    assert kept(judge, *said) == kept(None, *said) != []
    assert len(judge.asked) == 1


def test_a_long_conversation_is_put_to_the_judge_up_to_a_limit() -> None:
    judge = Judge()

    kept(judge, *["user: We moved the depot to Graz."] * (MOST_ASKED + 5))

    assert len(judge.asked) == MOST_ASKED


def test_a_message_of_very_many_sentences_is_read_by_rules_alone_and_keeps_no_other_from_the_judge() -> None:
    judge = Judge()
    endless = "user: " + "We moved the depot to Graz. " * (MOST_ASKED * 5 + 5)

    kept(judge, *talk("I live in Lisbon."), endless, *talk("We moved the depot to Graz."))

    assert [said for _, _, said in judge.asked] == [("I live in Lisbon.",), ("We moved the depot to Graz.",)]


def test_both_weigh_and_a_doubt_tells() -> None:
    sure, unsure = Weighed((3.0, 0.0, 0.0, 0.0, 0.0)), Weighed((-5.0, -4.0, -4.0, -4.0, -4.0))
    opinion = dict(zip(SENTENCE, (1.0, 0.0, 0.0, 2.0, 0.0, 0.0), strict=True))

    found = [together(rules, opinion, doubted=doubted).odds for rules in (sure, unsure) for doubted in (False, True)]

    assert found == sorted(found, reverse=True)
    assert together(unsure, opinion, doubted=False).kind == "fact"
    assert set(KINDS) == set(SENTENCE[1:])


def test_the_judge_of_the_package_tells_small_talk_from_what_lasts() -> None:
    judge = LearnedJudge(threads=1)
    lesson = (
        "We tried the cheap solvent on the rollers last year and it ate the rubber, so only isopropanol from now on."
    )
    chat = [
        Message(content="can you look over the cleaning plan?", role="user"),
        Message(content="Sure, here it is. Shall I add the rollers?", role="assistant"),
        Message(content=f"yes please. {lesson}", role="user"),
        Message(content="I've added a step for that and I'm rendering the page now.", role="assistant"),
        Message(content="looks good, the coffee machine is empty by the way", role="user"),
    ]

    drafts = RulesExtractor(judge=judge.sentences).extract(chat)

    assert [(draft.kind, draft.content) for draft in drafts] == [("lesson", lesson)]
