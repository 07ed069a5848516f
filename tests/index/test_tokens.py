from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.index.stem import stem
from truekeep.index.tokens import query_terms, tag_term, text_terms


def matches(query: str, text: str) -> list[str]:
    """The words of the query that the text holds."""
    held = set(text_terms(text))
    return [term.label for term in query_terms(query) if term.hash in held]


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("which language does Ana prefer?", "Ana's preferences: she prefers TypeScript", ["ana", "prefer"]),
        ("who decided on the deployment", "We decided to deploy on Fridays", ["decided", "deployment"]),
        ("what did she buy", "Yesterday she bought two movies", ["buy"]),
        ("cafe in Zurich", "Das Café in Zürich öffnet früh", ["cafe", "zurich"]),
        ("cafe\u0301 Zu\u0308rich", "Das Café in Zürich", ["café", "zürich"]),
        ("STRASSE", "Straße", ["strasse"]),
        ("東京タワー", "昨日、東京タワーに行きました。", ["東京", "京タ", "タワ", "ワー"]),
        ("猫", "我家的猫咪很可爱", ["猫"]),
        ("苹果", "我喜欢吃苹果", ["苹果"]),
        ("ﾈｺ", "ネコが好き", ["ネコ"]),
        ("서울", "저는 서울에 살아요", ["서울"]),
        ("ข้าว", "ฉันชอบกินข้าว", ["ข้", "้า", "าว"]),
        ("ёлка", "Новогодняя елка", ["ёлка"]),
        ("καφες", "Πίνω πολλούς καφές", ["καφεσ"]),
        ("أحب القهوة", "أُحِبُّ القهوةَ صباحًا", ["أحب", "القهوة"]),
        ("אני אוהב", "אֲנִי אוֹהֵב קפה", ["אני", "אוהב"]),
        ("हिंदी", "मैं हिंदी बोलता हूँ", ["हिंदी"]),
    ],
)
def test_a_query_finds_the_words_of_a_text_in_its_script(query: str, text: str, words: list[str]) -> None:
    found = matches(query, text)

    assert found == words


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ERR_4012", "it failed with err-4012 again"),
        ("4012", "it failed with ERR_4012"),
        ("idbridge", "see services/idbridge"),
        ("services/idbridge", "look into services/idbridge."),
        ("v2.3.1", "we run v2.3.1, not v2.3.2"),
        ("foo.bar@x.org", "write to foo.bar@x.org"),
        ("user_id", "the field userId is required"),
        ("server", "an HTTPServer in a thread"),
        ("C++", "written in C++"),
        ("wifi", "the Wi-Fi password"),
        ("email", "send an e-mail"),
        ("don't", "we don\u2019t do that"),
        ("O'Brien", "mr obrien called"),
    ],
)
def test_identifiers_are_found_as_a_whole_and_by_their_parts(query: str, text: str) -> None:
    assert matches(query, text)[:1] == [term.label for term in query_terms(query)][:1]


def test_neighbouring_versions_are_not_the_same_term() -> None:
    assert "v2.3.1" not in matches("v2.3.1", "we run v2.3.2")


def test_stop_words_are_dropped_from_a_query_that_has_others() -> None:
    assert [term.label for term in query_terms("what is the name of my dog")] == ["name", "dog"]


def test_stop_words_are_asked_for_when_there_is_nothing_else() -> None:
    assert matches("who are you", "you are who you are") == ["who", "are", "you"]


def test_a_tag_is_never_found_as_a_word() -> None:
    assert tag_term("work") not in text_terms("work tag:work")


@pytest.mark.parametrize(
    "family",
    [
        "run runs running ran",
        "stop stopped stopping stops",
        "hope hoped hoping hopes",
        "create creates created creating creation",
        "organize organizing organization",
        "happy happily happiness",
        "try tries tried trying",
        "agree agreed agreement agreeing",
        "configure configuration configured",
        "child children",
    ],
)
def test_forms_of_a_word_share_a_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


def test_different_words_keep_different_stems() -> None:
    words = [
        "hop",
        "hope",
        "news",
        "new",
        "bus",
        "sing",
        "king",
        "comment",
        "status",
        "class",
        "address",
        "policy",
        "police",
    ]

    assert len({stem(word) for word in words}) == len(words)


@given(st.text())
def test_any_text_gives_the_same_terms_every_time(text: str) -> None:
    assert text_terms(text) == text_terms(text)
    assert len({term.hash for term in query_terms(text)}) == len(query_terms(text))


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_no_text_is_refused_even_with_lone_surrogates(text: str) -> None:
    text_terms(text + "\ud800")


@given(st.text(alphabet="abcAB12_-./@:'+#漢かกé ", max_size=40))
def test_a_text_holds_every_term_of_itself_as_a_query(text: str) -> None:
    assert {term.hash for term in query_terms(text)} <= set(text_terms(text))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["\u0300\u0316", "a.", "aB", "a'", "漢", "ก", "'", "\U0001d165\U0001d16d", "a-", "é"])
def test_long_monotonous_texts_take_no_more_than_linear_time(unit: str) -> None:
    # Quadratic time would take minutes at this size; the timeout catches that on any machine.
    assert text_terms(unit * 100_000) == text_terms(unit * 100_000)
