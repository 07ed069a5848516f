"""What the rules make of a conversation: who speaks, who was asked what, and which language it is in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from truekeep.engine.messages import messages_of
from truekeep.extractors.rules import RulesExtractor
from truekeep.model import Draft, Message


def drafts_of(*said: str) -> list[Draft]:
    """Of a conversation written as "role/name: text" lines."""
    messages = []
    for line in said:
        who, _, content = line.partition(": ")
        role, _, name = who.partition("/")
        messages.append(Message(content=content, role=role, speaker=name or None))
    return RulesExtractor().extract(messages)


def kept(*said: str) -> list[tuple[str | None, str]]:
    return [(draft.kind, draft.content) for draft in drafts_of(*said)]


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


def test_a_transcript_yields_what_its_speakers_said() -> None:
    drafts = RulesExtractor().extract(messages_of("Ana: I prefer tea.\nBen: ok\nBen: I work at Acme."))

    assert [(draft.source.speaker, draft.content) for draft in drafts] == [
        ("Ana", "I prefer tea."),
        ("Ben", "I work at Acme."),
    ]


def test_a_short_answer_is_kept_with_its_question() -> None:
    [draft] = drafts_of("assistant: Sure. Which beds are yours?", "user: ours are the two next to the greenhouse")

    assert (draft.kind, draft.content) == ("fact", "ours are the two next to the greenhouse")
    assert draft.metadata == {"asked": "Which beds are yours?"}


@pytest.mark.parametrize("answer", ["yes please", "no", "sure, go ahead", "about 30", "not today", "sounds good to me"])
def test_an_answer_without_content_is_left(answer: str) -> None:
    assert kept("assistant: Shall I book the usual table?", f"user: {answer}") == []


def test_who_is_spoken_to_by_name_gets_a_request() -> None:
    assert kept("user/Lin: Scout, find three papers on moss", "assistant/Scout: ok") == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "Wir haben beschlossen, den Stand am 3. Mai abzubauen, weil der Platz gebraucht wird."),
        ("preference", "Ich trinke am liebsten schwarzen Tee."),
        ("lesson", "Den billigen Kleber haben wir letztes Jahr probiert, er ist bei Frost gerissen."),
        ("fact", "Mein Sohn wohnt in Graz."),
        ("decision", "We hebben besloten de oude boot te houden."),
        ("lesson", "Nooit meer die dunne zeilen, vorig jaar zijn ze gescheurd."),
        ("preference", "Je préfère le train à l'avion."),
        ("decision", "Nous avons décidé de fermer le lundi, parce que personne ne vient."),
        ("lesson", "On a essayé la peinture à l'eau, elle est tombée au bout d'un mois."),
        ("fact", "La pharmacie ferme à 19 heures le samedi."),
        ("preference", "Prefiero las reuniones por la tarde."),
        ("decision", "Hemos decidido cambiar de proveedor porque tarda demasiado."),
        ("lesson", "Probamos el horno nuevo y se rompió en una semana."),
        ("preference", "Preferisco il treno all'aereo."),
        ("decision", "Abbiamo deciso di chiudere il martedì."),
        ("lesson", "Mai più quel fornitore, l'anno scorso la merce era rovinata."),
        ("preference", "Prefiro trabalhar de manhã."),
        ("decision", "Decidimos manter o horário antigo."),
        ("lesson", "Nunca mais aquele hotel, no ano passado perdemos a reserva."),
    ],
)
def test_other_languages_are_understood(kind: str, text: str) -> None:
    assert kept(f"user: {text}") == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Kannst du mir die Liste schicken?",
        "Vielleicht nehmen wir den Zug.",
        "Danke, bis morgen!",
        "Zou je dat kunnen doen?",
        "Bonjour, comment ça va ?",
        "Merci beaucoup !",
        "Si on avait le temps, ce serait bien.",
        "¿Puedes enviarme la lista?",
        "Quizás el lunes.",
        "Grazie mille!",
        "Forse domani.",
        "Obrigado, até amanhã!",
        "Talvez na segunda.",
    ],
)
def test_small_talk_in_other_languages_is_left(text: str) -> None:
    assert kept(f"user: {text}") == []


def test_a_language_without_a_lexicon_is_judged_by_what_all_share() -> None:
    statement = "Zebranie jest 14 marca o siedemnastej w świetlicy szkolnej."

    assert kept(f"user: {statement}", "user: dzień dobry", "user: co słychać?") == [("fact", statement)]


def test_a_lesson_is_told_by_its_parts() -> None:
    [draft] = drafts_of("user: We tried Monday releases but support drowned in tickets because nobody was in.")

    assert draft.kind == "lesson"
    assert draft.metadata == {
        "attempt": "We tried Monday releases",
        "outcome": "support drowned in tickets",
        "reason": "nobody was in.",
    }
