"""Pass phrases of several words, said in prose."""

from __future__ import annotations

import pytest

from truekeep.engine.hygiene import redacted


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The wifi pass phrase is purple otter river seven, upstairs too.", "purple otter river seven"),
        ("the wifi password is kestrel morning", "kestrel morning"),
        ("the pass phrase for the guest network is tin roof lemon bicycle", "tin roof lemon bicycle"),
        ("Network: Attic, pass phrase: three small owls", "three small owls"),
        ('the guest Wi-Fi is Harbour, pass phrase "lemon tram"', "lemon tram"),
        ("the Wi-Fi key is Sommer2031!", "Sommer2031"),
        ("The locker code is 4471", "4471"),
    ],
)
def test_a_pass_phrase_is_masked_as_a_whole(text: str, phrase: str) -> None:
    cleaned = redacted(text)

    assert phrase not in cleaned.text
    assert cleaned.kinds


@pytest.mark.parametrize(
    "text",
    [
        "Our pass phrase is long and complicated.",
        "the passphrase is in the safe",
        "The pass phrase is not known to the new tenants yet",
        "The wifi password is changed every week.",
        "The router password is printed on the label",
        "the passphrase must be 20 characters",
        'the secret is "hard work"',
    ],
)
def test_a_sentence_about_a_pass_phrase_is_left_as_it_is(text: str) -> None:
    assert redacted(text).text == text
