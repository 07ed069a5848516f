"""What a new statement does to an older one, rule by rule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.engine.belief.one_pair import judge
from truekeep.engine.belief import Pair, Said, Verdict, lead_of, settle, verdicts

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = NOW + timedelta(days=30)
STAY, CHANGE = (6.0, -3.0, -3.0, -3.0), (-3.0, 6.0, -3.0, -3.0)  # what the learned judge may say


def said(content: str, speaker: str | None = "user", *, kind: str = "fact", when: datetime = NOW) -> Said:
    return Said(content=content, speaker=speaker, kind=kind, when=when)


def verdict_on(old: str, new: str, likeness: float | None = 0.7, *, speaker: str = "user") -> Verdict | None:
    return judge(said(new, speaker, when=LATER), said(old, speaker), likeness)


def test_the_same_words_reinforce() -> None:
    verdict = verdict_on("The gate opens at 6:30.", "The gate opens at 6:30.", 1.0)

    assert verdict is not None
    assert (verdict.rule, verdict.retires, verdict.certainty) == ("reinforce", True, 1.0)


def test_a_reminder_reinforces_and_more_detail_stands_beside() -> None:
    longer = verdict_on("The parcel is late.", "The parcel is late, tracking says 14 May via Rotterdam.", 0.8)
    again = verdict_on("The parcel is late.", "As I said, the parcel is late.", 0.9)

    assert longer is None
    assert again is not None
    assert again.rule == "reinforce"


def test_a_clear_change_of_one_value_retires_and_is_explained() -> None:
    verdict = verdict_on("The team lead of Harbour is Odile.", "The team lead of Harbour is now Bertil.", 0.85)

    assert verdict is not None
    assert verdict.retires
    assert (verdict.rule, verdict.old, verdict.new) == ("replace", "Odile", "Bertil")
    assert "lead" in verdict.key


def test_a_change_without_a_word_of_change_is_only_suspected() -> None:
    verdict = verdict_on("The team lead of Harbour is Odile.", "The team lead of Harbour is Bertil.", 0.85)

    assert verdict is not None
    assert not verdict.retires


def test_the_opposite_of_the_same_retires() -> None:
    verdict = verdict_on(
        "Night parking is allowed in the yard.", "Night parking is not allowed in the yard any more.", 0.9
    )

    assert verdict is not None
    assert (verdict.rule, verdict.retires) == ("polarity", True)


def test_one_speakers_own_taste_says_nothing_of_anothers() -> None:
    new, old = said("I can't stand opera any more.", "Ben"), said("I love opera.", "Ana")

    assert judge(new, old, 0.7) is None
    assert judge(new, old, 0.7, logits=CHANGE) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My flight leaves at 7:40.", "Your flight was rebooked to 11:15."),
        ("The staging server is at 10.0.0.5.", "The test server is now at 10.0.0.9."),
    ],
)
def test_what_is_told_of_another_thing_changes_nothing(old: str, new: str) -> None:
    later = said(new, when=LATER)

    assert judge(later, said(old), 0.7, logits=CHANGE) is None


def test_what_the_assistant_calls_yours_is_the_users_own() -> None:
    new = said("Your flight was rebooked to 11:15.", "assistant", when=LATER)

    assert judge(new, said("My flight leaves at 7:40."), 0.7, logits=CHANGE) is not None


def test_what_is_taken_back_is_suspected_and_its_neighbour_is_not() -> None:
    taken_back = verdict_on("Gunnar's flight lands at noon.", "Scratch that about Gunnar's flight, wrong week.", 0.6)
    neighbour = verdict_on("Gunnar's hotel is by the station.", "Scratch that about Gunnar's flight, wrong week.", 0.4)

    assert taken_back is not None
    assert taken_back.rule == "retract"
    assert neighbour is None


def test_forget_that_takes_back_what_was_said_just_before() -> None:
    before = said("The vault code is on the fridge.")

    at_once = judge(said("Forget that.", when=NOW + timedelta(minutes=1)), before, 0.1)
    next_day = judge(said("Forget that.", when=NOW + timedelta(days=1)), before, 0.1)

    assert at_once is not None
    assert at_once.rule == "retract"
    assert next_day is None


def test_a_reminder_not_to_forget_takes_nothing_back() -> None:
    verdict = verdict_on("My locker is number 12.", "Don't forget my locker is number 12.", 0.9)

    assert verdict is not None
    assert verdict.rule == "reinforce"


def test_one_member_of_a_list_changes_without_a_verdict() -> None:
    verdict = verdict_on("Our couriers are Falk, Ines and Pavel.", "Pavel is no longer one of our couriers.", 0.7)

    assert verdict is None


def test_one_sentence_of_several_changes_as_a_part_and_never_retires() -> None:
    old = "Milk comes on Monday. Bread comes on Tuesday. Eggs come on Friday."

    verdict = verdict_on(old, "Bread comes on Thursday now.", 0.6)

    assert verdict is not None
    assert (verdict.rule, verdict.retires) == ("partial", False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The canteen closes at three.", "The canteen closes at noon until 14 March."),
        ("The canteen closes at noon until 14 March.", "The canteen closes at three."),
        ("Orders go to Sanne.", "For the next two weeks orders go to Timo."),
    ],
)
def test_what_holds_for_a_while_and_what_holds_as_a_rule_stand_side_by_side(old: str, new: str) -> None:
    verdict = verdict_on(old, new, 0.9)

    assert verdict is None


def test_what_is_asked_or_considered_changes_nothing() -> None:
    old = "The newsletter goes out on Mondays."

    assert verdict_on(old, "Should the newsletter go out on Fridays?", 0.9) is None
    assert verdict_on(old, "Maybe the newsletter goes out on Fridays from now on.", 0.9) is None


def test_a_later_success_supersedes_a_lesson() -> None:
    lesson = said("Importing the ledger with the batch script failed: out of memory.", kind="lesson")

    success = judge(said("Importing the ledger with the batch script worked.", when=LATER), lesson, 0.8)
    other = judge(said("Exporting the invoices worked.", when=LATER), lesson, 0.4)

    assert success is not None
    assert (success.rule, success.retires) == ("success", True)
    assert other is None


def test_a_lesson_is_not_replaced_by_a_mere_change() -> None:
    lesson = said("Tests on the old runner time out after 10 minutes.", kind="lesson")

    assert judge(said("Tests on the old runner time out after 20 minutes.", when=LATER), lesson, 0.9) is None


def test_clauses_of_values_alone_can_be_compared() -> None:
    verdict = verdict_on("I like 9:30.", "I don't like 10:30.", 0.5)

    assert verdict is None or not verdict.retires


def test_without_vectors_words_decide() -> None:
    assert verdict_on("The rent is 900 euros.", "The rent is now 980 euros.", None) is not None
    assert verdict_on("The rent is 900 euros.", "The deposit is 980 euros.", None) is None


@pytest.mark.parametrize("new", ["Is the kiln in the yard?", "Maybe the kiln could stand in the yard", "..."])
def test_a_question_or_a_thought_changes_nothing(new: str) -> None:
    assert verdict_on("The kiln stands in the cellar.", new, 0.9) is None


def test_a_warning_changes_no_fact() -> None:
    old = said("The kiln stands in the cellar.")

    verdict = judge(said("Putting the kiln in the yard cracked it in the rain", kind="lesson", when=LATER), old, 0.8)

    assert verdict is None


def test_something_else_in_its_place_is_no_repetition() -> None:
    verdict = verdict_on("mail goes on the early bus", "missed the early bus, sent the mail on the ferry", 0.8)

    assert verdict is None or not verdict.retires


def test_a_change_that_no_rule_sees_is_suspected_where_the_learned_judge_says_so() -> None:
    old, new = said("We allow two guests per member."), said("One guest per member, the committee voted.", when=LATER)

    changed, stays = (judge(new, old, 0.64, 0.15, logits=logits) for logits in (CHANGE, STAY))

    assert changed is not None
    assert not changed.retires
    assert stays is None


def test_the_learned_judge_alone_retires_nothing() -> None:
    old, new = said("We allow two guests per member."), said("One guest per member, the committee voted.", when=LATER)

    verdict = judge(new, old, 0.9, 0.3, logits=(-50, 50, -50, -50))

    assert verdict is not None
    assert not verdict.retires


def test_what_words_and_the_learned_judge_say_together_retires() -> None:
    old, new = said("The office is on the second floor."), said("The office has moved to the fifth floor.", when=LATER)

    together, words_alone = judge(new, old, 0.8, 0.3, logits=CHANGE), judge(new, old, 0.8, 0.3, logits=STAY)

    assert together is not None
    assert together.retires
    assert words_alone is None or not words_alone.retires


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rehearsal for the spring concert is on 3 May.", "The premiere of the spring concert moved to 20 May."),
        ("Locker 12-40 is broken.", "Locker 12-41 is no longer rented out."),
        ("The pantry holds flour, rice and oats.", "The rice was moved to the cellar."),
    ],
)
def test_whatever_the_learned_judge_says_another_subject_retires_nothing(old: str, new: str) -> None:
    verdict = judge(said(new, when=LATER), said(old), 0.8, 0.3, logits=(-50, 50, -50, -50))

    assert verdict is None or not verdict.retires


def test_part_of_a_statement_is_suspected_where_the_learned_judge_is_sure() -> None:
    old, new = said("The pantry holds flour, rice and oats."), said("The rice was moved to the cellar.", when=LATER)

    assert judge(new, old, 0.6, 0.2, logits=STAY) is None
    assert judge(new, old, 0.6, 0.2, logits=(-50, 50, -50, -50)) is not None


def test_what_the_learned_judge_says_counts_in_english_alone() -> None:
    old, new = said("Der Bus f\u00e4hrt um 7:12 ab."), said("Der Bus f\u00e4hrt um 7:25 ab.", when=LATER)

    assert judge(new, old, 0.7, 0.1, logits=STAY) == judge(new, old, 0.7, 0.1)


def test_what_is_neither_near_nor_the_nearest_is_not_even_read() -> None:
    old = said("The kiln is lit on Mondays.")

    assert judge(said("The kiln is lit on Fridays now.", when=LATER), old, 0.2, lead=-0.1) is None
    assert judge(said("Forget it, the kiln is not lit on Mondays.", when=LATER), old, 0.2, lead=-0.1) is not None


@pytest.mark.parametrize(
    ("similarity", "others", "lead"),
    [
        (0.7, [0.5, 0.6], 0.1),
        (0.5, [0.7], -0.2),
        (0.4, [], 0.15),
        (0.9, [0.1], 0.3),
        (None, [0.5], 0.0),
        (0.5, [None], 0.25),
    ],
)
def test_the_lead_is_the_distance_to_the_nearest_other(
    similarity: float | None, others: list[float | None], lead: float
) -> None:
    assert lead_of(similarity, others) == pytest.approx(lead)


def test_beside_a_strong_suspicion_the_weak_ones_are_dropped() -> None:
    strong = Verdict("replace", "a", "x", "y", retires=False, certainty=0.9)
    weak = Verdict("replace", "b", "x", "y", retires=False, certainty=0.5)
    sure = Verdict("reinforce", "c", "x", "y", retires=True, certainty=0.4)

    assert settle([("a", strong), ("b", weak), ("c", sure)]) == [("a", strong), ("c", sure)]
    assert settle([("b", weak)]) == [("b", weak)]
    assert settle([]) == []


def test_a_statement_is_judged_beside_all_that_are_near_it() -> None:
    new = said("The team lead of Harbour is now Bertil.", when=LATER)
    lead, barge = said("The team lead of Harbour is Odile."), said("The barge is moored at Harbour.")

    found = verdicts([Pair(new, lead, 0.85, 0.3), Pair(new, barge, 0.45, -0.3)])

    assert found == [judge(new, lead, 0.85, 0.3), None]
