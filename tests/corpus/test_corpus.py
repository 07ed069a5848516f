"""Our own corpora keep the promises of their README, so that a figure on them says something about the code."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CATEGORIES = {
    *("replace", "polarity", "retract", "partial", "bounded"),
    *("succession", "reinforce", "restate", "coexist", "unrelated"),
}
KINDS = {"preference", "decision", "fact", "lesson", "context"}
ROLES = {"user", "assistant", "tool"}
ISSUERS = re.compile(r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6011\d{12}|65\d{14}|35\d{14}|3[068]\d{12}")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def sets(shape: str) -> dict[str, list[dict[str, Any]]]:
    """Every file of this shape, so that a set which is added is checked from its first line on."""
    return {path.name: lines(path.name) for path in sorted(HERE.glob(f"{shape}_*.jsonl"))}


BELIEF_SETS = sets("belief")
EXTRACT_SETS = sets("extract")
SETS = BELIEF_SETS | EXTRACT_SETS
BELIEF = [scenario for scenarios in BELIEF_SETS.values() for scenario in scenarios]
EXTRACT = [talk for talks in EXTRACT_SETS.values() for talk in talks]

each_set = pytest.mark.parametrize("name", SETS)


def each_of(sets: dict[str, list[dict[str, Any]]]) -> Callable[[Callable[[dict[str, Any]], None]], Any]:
    """One test a set that checks every entry: one an entry would be thousands."""

    def decorate(check: Callable[[dict[str, Any]], None]) -> Any:
        def test(name: str) -> None:
            for entry in sets[name]:
                try:
                    check(entry)
                except AssertionError as error:
                    error.add_note(f"in {entry['id']}")
                    raise

        test.__name__ = check.__name__
        return pytest.mark.parametrize("name", sets)(test)

    return decorate


each_scenario = each_of(BELIEF_SETS)
each_conversation = each_of(EXTRACT_SETS)


def folded(text: str) -> str:
    return " ".join(text.lower().split())


def steps_with(scenario: dict[str, Any], part: str) -> set[int]:
    return {number for number, step in enumerate(scenario["steps"]) if folded(part) in folded(step["say"])}


def held(scenario: dict[str, Any], wanted: Iterable[str]) -> set[int]:
    """The steps that hold any of these substrings."""
    return set[int]().union(*(steps_with(scenario, part) for part in wanted))


def parts(scenario: dict[str, Any], *fields: str) -> Iterator[str]:
    for ask in scenario["asks"]:
        for field in fields:
            yield from ask.get(field, [])


def passes_luhn(number: str) -> bool:
    digits = [int(digit) for digit in reversed(number)]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def card_numbers(talk: dict[str, Any]) -> list[str]:
    """The secrets that are nothing but digits, spaces and dashes."""
    return [re.sub(r"[ -]", "", secret) for secret in talk.get("secrets", []) if re.fullmatch(r"[\d -]+", secret)]


def test_every_file_is_one_of_the_two_shapes() -> None:
    assert {path.name for path in HERE.glob("*.jsonl")} == {*BELIEF_SETS, *EXTRACT_SETS}


@each_set
def test_ids_count_up_without_a_gap_behind_the_letter_of_their_set(name: str) -> None:
    ids = [entry["id"] for entry in SETS[name]]
    letters = Counter(entries[0]["id"][0] for entries in SETS.values())

    assert ids == [f"{ids[0][0]}{number:03}" for number in range(1, len(ids) + 1)]
    assert letters[ids[0][0]] == 1


@pytest.mark.parametrize("name", BELIEF_SETS)
def test_the_categories_are_even_and_all_there(name: str) -> None:
    counts = Counter(scenario["category"] for scenario in BELIEF_SETS[name])

    assert set(counts) == CATEGORIES
    assert max(counts.values()) - min(counts.values()) <= 2


@each_set
def test_the_readme_names_the_number_of_lines_of_a_set(name: str) -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
    entry = "scenarios" if name in BELIEF_SETS else "conversations"

    assert any(f"`{name}`" in line and f"| {len(SETS[name])} {entry}" in line for line in readme)


def test_no_statement_and_no_message_of_length_is_written_twice() -> None:
    said = Counter(folded(step["say"]) for scenario in BELIEF for step in scenario["steps"])
    written = Counter(folded(message["content"]) for talk in EXTRACT for message in talk["messages"])

    assert [text for text, times in (said + written).items() if times > 1 and len(text) > 25] == []


@each_scenario
def test_a_scenario_has_the_fields_of_its_category(scenario: dict[str, Any]) -> None:
    grouped = scenario["category"] in {"reinforce", "restate"}
    optional = {"same"} if grouped else set()
    needed = {"query", "current", "stale"}

    assert set(scenario) == {"id", "category", "steps", "asks", "must_stay"} | optional
    assert 2 <= len(scenario["steps"]) <= 6
    assert all(set(step) == {"at", "speaker", "say"} for step in scenario["steps"])
    assert scenario["asks"]
    assert all(needed <= set(ask) <= needed | {"at", "history"} for ask in scenario["asks"])
    assert any("history" in ask for ask in scenario["asks"]) == (scenario["category"] == "succession")


@each_scenario
def test_times_are_utc_and_steps_are_in_order(scenario: dict[str, Any]) -> None:
    written = [entry["at"] for entry in (*scenario["steps"], *scenario["asks"]) if "at" in entry]
    times = [datetime.fromisoformat(step["at"]) for step in scenario["steps"]]

    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:00Z", at) for at in written)
    assert all(datetime.fromisoformat(at).utcoffset() == timedelta(0) for at in written)
    assert times == sorted(times)


@each_scenario
def test_every_substring_is_verbatim_in_a_step(scenario: dict[str, Any]) -> None:
    missing = [part for part in parts(scenario, "current", "stale", "history") if not steps_with(scenario, part)]
    not_once = [part for part in scenario["must_stay"] if len(steps_with(scenario, part)) != 1]

    assert missing == []
    assert not_once == []


@each_scenario
def test_a_stale_part_stands_apart_from_what_is_current(scenario: dict[str, Any]) -> None:
    kept = held(scenario, scenario["must_stay"])
    shared = [held(scenario, ask["stale"]) & (kept | held(scenario, ask["current"])) for ask in scenario["asks"]]

    assert all(len(steps_with(scenario, part)) == 1 for part in parts(scenario, "stale"))
    assert scenario["category"] == "partial" or not any(shared)


@each_scenario
def test_something_is_stale_where_something_changes_and_nowhere_else(scenario: dict[str, Any]) -> None:
    stale = list(parts(scenario, "stale"))

    if scenario["category"] != "partial":  # there a list may stay although one of its values has changed
        changes = scenario["category"] in {"replace", "polarity", "retract", "bounded", "succession"}
        assert bool(stale) == changes


@each_scenario
def test_a_same_group_names_statements_of_which_any_may_survive(scenario: dict[str, Any]) -> None:
    groups = [set(group) for group in scenario.get("same", [])]
    kept = held(scenario, scenario["must_stay"])

    assert all(len(group) > 1 and group <= set(range(len(scenario["steps"]))) for group in groups)
    assert not any(group & kept for group in groups)
    for group in groups if scenario["category"] == "reinforce" else []:
        holders = [steps_with(scenario, part) for part in parts(scenario, "current")]
        assert all(group <= holder for holder in holders if group & holder)


@each_of({name: [one for one in each if one["category"] == "bounded"] for name, each in BELIEF_SETS.items()})
def test_a_bounded_scenario_is_asked_inside_the_period_and_after_it(scenario: dict[str, Any]) -> None:
    inside, after = scenario["asks"]

    assert scenario["steps"][0]["at"] < inside["at"] < after["at"]
    assert held(scenario, inside["current"]) == held(scenario, after["stale"]) != set()
    assert not inside["stale"]


@each_conversation
def test_a_conversation_has_its_fields_and_its_indexes_are_in_range(talk: dict[str, Any]) -> None:
    indexes = [*talk["transient"], *(entry["message"] for entry in (*talk["durable"], *talk["lessons"]))]
    needed = {"id", "messages", "durable", "transient", "lessons"}

    assert needed <= set(talk) <= needed | {"secrets", "forbidden"}
    assert 4 <= len(talk["messages"]) <= 18
    assert all(message["role"] in ROLES and message["content"] for message in talk["messages"])
    assert all(set(entry) == {"kind", "about", "must_contain", "message"} for entry in talk["durable"])
    assert {entry["kind"] for entry in talk["durable"]} <= KINDS
    assert all(0 <= index < len(talk["messages"]) for index in indexes)


@each_conversation
def test_what_is_to_be_kept_is_verbatim_in_its_message(talk: dict[str, Any]) -> None:
    texts = [folded(message["content"]) for message in talk["messages"]]
    entries = [*talk["durable"], *talk["lessons"]]

    assert all(entry["must_contain"] for entry in entries)
    assert [
        part for entry in entries for part in entry["must_contain"] if folded(part) not in texts[entry["message"]]
    ] == []


@each_conversation
def test_a_message_is_durable_or_transient_and_lessons_are_durable(talk: dict[str, Any]) -> None:
    durable = {entry["message"] for entry in talk["durable"]}
    lessons = Counter(entry["message"] for entry in talk["durable"] if entry["kind"] == "lesson")

    assert not durable & set(talk["transient"])
    assert Counter(entry["message"] for entry in talk["lessons"]) == lessons


@each_conversation
def test_what_may_not_be_kept_is_in_the_texts_but_in_nothing_durable(talk: dict[str, Any]) -> None:
    texts = [folded(message["content"]) for message in talk["messages"]]
    barred = [folded(part) for part in (*talk.get("secrets", []), *talk.get("forbidden", []))]
    kept = [folded(part) for entry in talk["durable"] for part in entry["must_contain"]]

    assert [part for part in barred if not any(part in text for text in texts)] == []
    assert [part for part in barred if any(part in text for text in kept)] == []


@each_conversation
def test_a_card_number_has_an_issuer_and_a_valid_check_digit(talk: dict[str, Any]) -> None:
    assert [card for card in card_numbers(talk) if not (passes_luhn(card) and ISSUERS.fullmatch(card))] == []


@pytest.mark.parametrize("talks", EXTRACT_SETS.values(), ids=EXTRACT_SETS)
def test_the_corpus_holds_cards_and_other_secrets_and_lessons_in_number(talks: list[dict[str, Any]]) -> None:
    assert 20 * sum(len(card_numbers(talk)) for talk in talks) >= len(talks)
    assert 5 * sum(len(talk.get("secrets", [])) for talk in talks) >= len(talks)
    assert 5 * sum(len(talk.get("forbidden", [])) for talk in talks) >= len(talks)
    assert 2 * sum(len(talk["lessons"]) for talk in talks) >= len(talks)
