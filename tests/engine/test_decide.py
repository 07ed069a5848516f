"""Deciding again while others are faster."""

from __future__ import annotations

import pytest

from truekeep.engine.decide import decide
from truekeep.errors import StoreError
from truekeep.ports import Moved


def test_an_attempt_is_made_again_until_nobody_is_faster() -> None:
    def attempt(number: int) -> str:
        if number < 3:
            raise Moved("somebody was faster")
        return f"after {number}"

    assert decide(attempt) == "after 3"


def test_a_store_that_never_lets_anybody_win_is_given_up() -> None:
    def attempt(number: int) -> None:
        raise Moved("somebody was faster")

    with pytest.raises(StoreError, match="others keep changing the same memory") as caught:
        decide(attempt)

    assert caught.value.retryable
