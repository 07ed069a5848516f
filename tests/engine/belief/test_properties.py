"""What holds for any two statements whatever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.belief.one_pair import judge
from truekeep.engine.belief import Said
from truekeep.engine.belief.gist import LONGEST, MOST_SENTENCES, read
from truekeep.engine.belief.tokens import MOST_TOKENS

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
_VOCABULARY = """
    I we my the a is are was not no longer now moved to from until Friday 14 March 9:30 12,000 euros kg Ana Berlin API
    v2.1 chapter 3 bed B forget that what I said again still also second left retired like hate ? . , ; : -> ( ) # @ ' -
    \u2014 ich wohne nicht mehr in jetzt je ne plus ya no \u4e09\u73ed\u5728\u5468\u56db \u6c34\u66dc\u306f
"""
_WORDS = st.sampled_from(_VOCABULARY.split())
CONTENTS = st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=60).map(" ".join))
SAID = st.builds(
    Said,
    content=CONTENTS,
    speaker=st.sampled_from([None, "user", "assistant", "Ana"]),
    kind=st.sampled_from(["fact", "lesson", "preference"]),
    when=st.integers(0, 1000).map(lambda days: NOW + timedelta(days=days)),
)
LIKENESS = st.none() | st.floats(-1, 1)


@given(SAID, SAID, LIKENESS)
def test_a_judgement_is_the_same_each_time_and_never_fails(new: Said, old: Said, likeness: float | None) -> None:
    first = judge(new, old, likeness)

    read.cache_clear()

    assert judge(new, old, likeness) == first
    assert first is None or 0 <= first.certainty <= 1


@given(SAID, LIKENESS)
def test_a_statement_only_reinforces_itself(statement: Said, likeness: float | None) -> None:
    verdict = judge(statement, statement, likeness)

    assert verdict is None or verdict.rule == "reinforce"


@given(SAID, SAID, LIKENESS)
def test_a_part_is_never_retired(new: Said, old: Said, likeness: float | None) -> None:
    verdict = judge(new, old, likeness)

    assert verdict is None or verdict.rule != "partial" or not verdict.retires


def test_only_the_beginning_of_a_long_statement_is_read() -> None:
    beginning = "The kiln is lit on Mondays. "
    same = beginning + "x" * LONGEST

    reading = read((beginning * 5000)[:64_000], None)

    assert len(reading.sentences) <= MOST_SENTENCES
    assert read(same + " and the kiln is cold", None).terms == read(same + " and the oven is new", None).terms


def test_a_sentence_of_any_length_gives_a_bounded_number_of_terms() -> None:
    reading = read(" ".join(f"word{n}" for n in range(500)), None)

    assert len(reading.terms) <= MOST_TOKENS


def test_runs_of_blanks_and_marks_are_read_in_one_go() -> None:
    for filler in (" ", "\t", "-", "a.", "'", "1,", "@", "until ", "\u0300"):
        judge(Said(content=filler * 20_000, when=NOW), Said(content=filler * 19_999, when=NOW), None)
