"""Sentences that a real embedder can tell apart: what agents are told about people, projects and machines."""

from __future__ import annotations

import numpy as np

from .corpus import SEED

_NAMES = (
    "Ana Ben Chloe Dmitri Esra Farid Greta Hugo Ines Jamal Keiko Lars Mei Noor Oscar Priya Quentin Rosa Sven Tariq "
    "Uma Viktor Wanda Xavier Yara Zoltan"
)
_PEOPLE = _NAMES.split()
_GROUPS = ["the design team", "our backend team", "the customer", "the security group", "my manager", "the night shift"]
_ATTITUDES = [
    *("prefers", "dislikes", "has decided to use", "stopped using", "is learning", "recommends", "depends on"),
    *("wants to replace", "is allergic to", "always asks for", "was disappointed by", "pays for", "teaches"),
]
_THINGS = [
    *("TypeScript", "PostgreSQL", "green tea", "the blue theme", "pair programming", "a standing desk", "Rust", "jazz"),
    *("night trains", "the weekly report", "vegetarian food", "a fountain pen", "Kubernetes", "peanuts", "rowing"),
    *(
        "the invoice export",
        "two-factor login",
        "long meetings",
        "sourdough bread",
        "the old printer",
        "chess",
        "SQLite",
    ),
    *(
        "dark mode",
        "the staging cluster",
        "handwritten notes",
        "cold brew coffee",
        "the feature flags",
        "yoga",
        "Lisbon",
    ),
    *("message queues", "a mechanical keyboard", "the parking garage", "open source licences", "cats", "wool sweaters"),
    *("the quarterly budget", "voice messages", "unit tests", "mountain hikes", "the legacy API", "spreadsheets"),
]
_SETTINGS = [
    *("at work", "on Fridays", "since the outage in March", "while travelling", "for the mobile app", "before lunch"),
    *("because it is faster", "for reasons of cost", "after the last review", "in the Berlin office", "at home"),
    *(
        "during the migration",
        "when nobody is watching",
        "for the new customer",
        "until the contract ends",
        "in winter",
    ),
]
_EVENTS = [
    "The deployment of {thing} failed {setting}.",
    "{who} and {other} disagreed about {thing} {setting}.",
    "Remember to ask {who} about {thing} {setting}.",
    "{who} moved the meeting on {thing} to {hour} o'clock {setting}.",
    "We tried {thing} {setting} and it broke the build {hour} times.",
    "{who}'s password for {thing} expires in {hour} days.",
    "{who} told {other} that {thing} costs {hour} hundred euros {setting}.",
]
_QUESTIONS = [
    "what does {who} think of {thing}?",
    "who had trouble with {thing} {setting}?",
    "when is the meeting about {thing}?",
    "which problems came up {setting}?",
    "should I offer {thing} to {who}?",
]


def sentences(count: int) -> list[str]:
    """Different from each other, the same in every run."""
    random = np.random.default_rng(SEED)
    made: dict[str, None] = {}
    while len(made) < count:
        made[_statement(random)] = None
    return list(made)


def questions(count: int) -> list[str]:
    random = np.random.default_rng(SEED + 1)
    return [_filled(_one(random, _QUESTIONS), random) for _ in range(count)]


def _statement(random: np.random.Generator) -> str:
    if random.random() < 0.5:
        return _filled(_one(random, _EVENTS), random)
    return _filled("{who} " + _one(random, _ATTITUDES) + " {thing} {setting}.", random)


def _filled(template: str, random: np.random.Generator) -> str:
    text = template.format(
        who=_one(random, [*_PEOPLE, *_GROUPS]),
        other=_one(random, _PEOPLE),
        thing=_one(random, _THINGS),
        setting=_one(random, _SETTINGS),
        hour=random.integers(2, 20),
    )
    return text[0].upper() + text[1:]


def _one(random: np.random.Generator, choices: list[str]) -> str:
    return choices[random.integers(len(choices))]
