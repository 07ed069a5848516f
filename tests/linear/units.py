"""What hostile texts are made of, over and over."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import truekeep

# A text of each took quadratic time, or worse, at some time or would with a careless pattern.
WORST = (
    *(" ", "\n", " \n", "\u00a0", "\u0316\u0301", "a", "a ", "1", "1 ", "#", "# ", ".", "'", "-", "- ", "@", "<!--"),
    *(
        "<",
        '"',
        "a'",
        "a, ",
        "password ",
        "token:",
        "until the ",
        "A B: ",
        "<recalled-memory>\n\n",
        "<user_query>",
        "ignore\n",
        "\u4e2d",
    ),
)
# Blanks, marks, punctuation, beginnings of everything that some pattern looks for, and letters that are no Latin ones.
FIXED = (
    *(" ", "\t", "\r", "\n", "\r\n", " \n", "\n ", "\u00a0", "\u2028", "\u200b", "\u00ad", "\u0316\u0301", "a\u0301"),
    *("a", "a ", "A. ", "a, ", "a; ", "1", "1 ", "1-", "1.", "1,", "1:", "#", "# ", "@", ".", "'", "-", "- ", "+", "_"),
    *("=", ":", "/", "\\", "<", "</", "<!--", "(", "[", "{", '"', "`", "*", "|", "```\n", "a@a.", "a'", "A B: "),
    *("http://a:b", "https://a@", "AKIA", "ghp_", "eyJa.", "sk-a", "_live_", "-----BEGIN PRIVATE KEY-----\n", "$6$a"),
    *("AAAAAAAAAAAAAAAAA\n", "password ", "password is ", "password: ", "| password ", "token:", "apikey=", "pin 1"),
    *(
        "bearer a",
        "basic a",
        "code for the ",
        "wifi: a / ",
        "one two ",
        "4111 ",
        "4111\t",
        "DE89 ",
        "-u a:",
        "sshpass ",
    ),
    *("seed phrase abc ", "ignore previous a a ", "ignore\n", "<b>", "send a to http://", "when the user asks "),
    *("until the ", "from 1 march to ", "for the next ", "2026-01-01 ", "12:30 ", "+11 11 ", "i'm ", "don't ", "not "),
    *(
        "no longer ",
        "Ana: a\n",
        "<recalled-memory>\n\n",
        "</recalled",
        "<user_query>",
        "- a\n",
        "\u4e2d",
        "\u3042",
        "\u0e01",
        "\u1100",
    ),
    *("| password |\n", "password: |\n", "4111,", "4111\n", "a:5432:", "auth: a", "and now it is ", "used to be "),
    *("\U0001f600", "\u0130", "\ufb01", "\u03a3", "\uff1c"),
)
_TEXT = re.compile(r'"([^"\n]{1,200})"')
_WORD = re.compile(r"[^\W\d_][\w'-]{1,20}")


def made_up(rng: Random, count: int) -> list[str]:
    """Units of words that our own patterns know, put together at random."""
    if not count:
        return []
    package = Path(truekeep.__file__).parent
    sources = [
        path.read_text() for part in ("engine", "extractors", "index") for path in (package / part).rglob("*.py")
    ]
    known = sorted(
        {word.lower() for source in sources for text in _TEXT.findall(source) for word in _WORD.findall(text)}
    )
    return [_unit(rng, known) for _ in range(count)]


def _unit(rng: Random, known: list[str]) -> str:
    parts = [rng.choice(known if rng.random() < 0.7 else FIXED) for _ in range(rng.randint(1, 4))]
    return rng.choice((" ", "", "-", ", ", "\n", ": ")).join(parts) + rng.choice((" ", "", "\n", ". "))
