from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.extractors.prose import own_words
from truekeep.language import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He said (quietly.) Then he left.", ["He said (quietly.)", "Then he left."]),
        ("See Dr. Abara, e.g. on Monday.", ["See Dr. Abara, e.g. on Monday."]),
        ("Version 3.2 is out. Use it.", ["Version 3.2 is out.", "Use it."]),
        ("Am 3. Mai ist frei. Am 4. nicht.", ["Am 3. Mai ist frei.", "Am 4. nicht."]),
        ("J. Smith came.", ["J. Smith came."]),
        ("- one\n* two\n3) three", ["one", "two", "three"]),
        ("gate code changed\nbins go out on monday", ["gate code changed", "bins go out on monday"]),
        ("this line is so long that it was wrapped by an editor\nand goes on", None),
        ("short\n  and indented", ["short and indented"]),
        ("\u4e00\u4e8c\u3002\u4e09\u56db\uff01\u4e94", ["\u4e00\u4e8c\u3002", "\u4e09\u56db\uff01", "\u4e94"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_text_is_cut_at_the_ends_of_sentences(text: str, expected: list[str] | None) -> None:
    assert list(sentences(text)) == (expected if expected is not None else [" ".join(text.split())])


@pytest.mark.parametrize(
    "other",
    [
        "```\ncode\n```",
        "~~~\ncode\n~~~",
        "> quoted",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "$ make test",
        "2026-01-02 03:04:05 started",
        'Traceback (most recent call last):\nFile "a.py", line 3',
        '{"a": 1}',
        "<div>",
        "import os",
        "diff --git a/x b/x",
    ],
)
def test_what_is_not_the_speakers_own_is_taken_out(other: str) -> None:
    assert own_words(f"before\n{other}\nafter").split() == ["before", "after"]


@given(st.text())
def test_sentences_hold_the_words_of_the_text_in_order(text: str) -> None:
    words = iter("".join(text.split()))

    assert all(letter in words for sentence in sentences(text) for letter in "".join(sentence.split()))
