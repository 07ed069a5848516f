from __future__ import annotations

from datetime import date

import pytest

from truekeep.engine.asked import read
from truekeep.language import OTHER, glossed, language, languages

WEDNESDAY = date(2026, 1, 14)
LAST_WEEK = (date(2026, 1, 5), date(2026, 1, 11))


def asked(question: str) -> list[tuple[date, date]]:
    return [
        (period.first, period.last) for period in read(question, today=WEDNESDAY, speakers=(), is_chat=False).periods
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Was haben wir letzte Woche beschlossen?",
        "Qu'est-ce que nous avons décidé la semaine dernière ?",
        "¿Qué decidimos la semana pasada?",
        "Cosa abbiamo deciso la settimana scorsa?",
        "Wat hebben we vorige week besloten?",
        "O que decidimos na semana passada?",
        "Что мы решили на прошлой неделе?",
        "上周我们决定了什么",
        "先週は何を決めましたか",
        "Co postanowiliśmy w zeszłym tygodniu?",
    ],
)
def test_last_week_is_last_week_in_every_language(question: str) -> None:
    assert asked(question) == [LAST_WEEK]


@pytest.mark.parametrize(
    "question",
    [
        "Was war am 3. Mai 2025?",
        "¿Qué hice el 3 de mayo de 2025?",
        "Что было 3 мая 2025?",
        "Qu'a-t-on fait le 3 mai 2025 ?",
    ],
)
def test_a_day_is_read_with_its_month_and_year(question: str) -> None:
    assert asked(question) == [(date(2025, 5, 3), date(2025, 5, 3))]


@pytest.mark.parametrize(
    "question", ["Co kupiłem w marcu?", "Was war im März?", "我三月份去了哪里", "三月に何を買いましたか"]
)
def test_a_month_is_read(question: str) -> None:
    assert asked(question) == [(date(2026, 3, 1), date(2026, 3, 31))]


@pytest.mark.parametrize(
    "question",
    [
        "Was sollten wir vermeiden?",
        "Que faut-il éviter ?",
        "Jakich błędów unikać?",
        "Каких ошибок избегать?",
        "有什么教训",
    ],
)
def test_questions_about_what_to_avoid_are_understood(question: str) -> None:
    assert read(question, today=WEDNESDAY, speakers=(), is_chat=False).wants_lessons


@pytest.mark.parametrize(
    "question", ["Wann war ich beim Zahnarzt?", "Когда я ездил на море?", "Kiedy byłem u mojej siostry?"]
)
def test_who_asks_and_that_a_time_is_asked_for_is_understood(question: str) -> None:
    found = read(question, today=WEDNESDAY, speakers=(), is_chat=False)

    assert (found.wants_time, found.is_about_user) == (True, True)


def test_no_form_reaches_across_words_that_were_left_out() -> None:
    assert glossed("Hat im Keller jemand März gesagt?")[0] == "; in ; March"
    assert asked("Hat im Keller jemand März gesagt?") == []


def test_english_is_left_as_it_is() -> None:
    assert glossed("What did we decide last week?") == ("What did we decide last week?", "")


@pytest.mark.parametrize("code", sorted(languages().keys() - {"en"}))
def test_every_language_says_the_same_of_questions(code: str) -> None:
    listed = language(code).tables["asked"]

    assert listed.keys() >= {"last week", "this month", "next year", "yesterday", "tomorrow", "when did", "avoid", "in"}
    assert code == OTHER or all(phrase.strip() for said in listed.values() for phrase in said.split(","))
