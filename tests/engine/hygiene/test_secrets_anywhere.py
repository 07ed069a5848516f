"""Properties of redaction: planted secrets are gone from any text, other text stays, and no text takes long."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truekeep.engine.hygiene import redacted

UNHURRIED = settings(deadline=None)  # the first example makes the patterns
MIXED = st.text(string.ascii_letters + string.digits, min_size=20, max_size=60).map(lambda body: f"a1B2{body}")
SECRETS = st.one_of(
    MIXED.map(lambda body: f"ghp_{body}"),
    MIXED.map(lambda body: f"sk-{body}"),
    MIXED.map(lambda body: f"tk_{body}"),
    MIXED.map(lambda body: f"acme_live_{body}"),
    MIXED.map(lambda body: f"eyJ{body}.{body}.{body}"),
)
PROSE = st.text(max_size=300)
WORDS = st.lists(
    st.sampled_from(["the", "a", "Ana", "team", "ships", "on", "Monday", "said", "8080", "v2.3.1", "because", "ok"]),
    max_size=60,
)


@UNHURRIED
@given(before=PROSE, secret=SECRETS, after=PROSE)
def test_a_planted_token_is_gone(before: str, secret: str, after: str) -> None:
    clean = redacted(f"{before} {secret} {after}")

    assert secret not in clean.text
    assert clean.kinds


@UNHURRIED
@given(before=WORDS, password=st.text(string.ascii_letters + "!#$%&*+", min_size=4, max_size=30), after=WORDS)
def test_a_planted_password_is_gone(before: list[str], password: str, after: list[str]) -> None:
    secret = f"q7{password}9z"
    said = " ".join((*before, "password:", secret, *after))

    clean = redacted(said)

    assert secret not in clean.text
    assert clean.text.replace("[redacted:password]", secret) == said


@UNHURRIED
@given(WORDS)
def test_plain_words_stay_byte_for_byte(words: list[str]) -> None:
    said = " ".join(words)

    assert redacted(said) == (said, ())


@UNHURRIED
@given(
    st.one_of(
        PROSE, st.lists(st.one_of(PROSE, SECRETS, st.sampled_from(["password: ", "4111111111111111", "://a:b@c"])))
    )
)
@example("İ password: hunter2")  # its small form has two characters
@example(["password=", "[redacted:password]", "x1y2"])
def test_redacting_again_changes_nothing(said: str | list[str]) -> None:
    once = redacted(said if isinstance(said, str) else "".join(said)).text

    assert redacted(once).text == once


REPEATED = """password |password is |password for |api key |4|4 |41-|4111 1111 1111 1111 |eyJ|_eyJ|eyJaaaaaaaa.|sk-|SG.|://a:
a://b:c|://a@|QUJD|password="|DE89 3704 0044 0532 0130 00 |creds |login for a |密码是|İ password: | -u a|a_live_|bearer
authorization: |mnemonic apple |aaaa is my password |password::::|password=a&|-----BEGIN PRIVATE KEY-----
-----END PRIVATE KEY-----|AKIAAAAAAAAAAAAAAAAA """


@pytest.mark.parametrize("piece", REPEATED.replace("\n", "|").split("|"))
def test_the_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    def work(size: int) -> int:
        return _calls(lambda: redacted((piece * (size // len(piece) + 1))[:size]))

    work(100)  # makes the patterns

    assert work(32_000) <= 5 * work(8_000) + 100


def _calls(run: Callable[[], Any]) -> int:
    """How many functions are called meanwhile, those in C too: work that no clock measures."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    former = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(former)
    return count
