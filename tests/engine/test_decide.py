"""Deciding again while others are faster."""

from __future__ import annotations

import pytest

from truekeep.engine.decide import Rounds
from truekeep.errors import Conflict, StoreError
from truekeep.ports import Moved


def test_another_round_begins_until_nobody_is_faster() -> None:
    rounds = Rounds()

    while True:
        with rounds:
            if rounds.lost < 3:
                raise Moved("somebody was faster")
            break

    assert rounds.lost == 3


def test_a_store_that_never_lets_anybody_win_is_given_up() -> None:
    def lose() -> None:
        rounds = Rounds()
        while True:
            with rounds:
                raise Moved("somebody was faster")

    with pytest.raises(StoreError, match="others keep changing the same memory") as caught:
        lose()

    assert caught.value.retryable


def test_what_else_goes_wrong_begins_no_other_round() -> None:
    rounds = Rounds()

    with pytest.raises(Conflict), rounds:
        raise Conflict("the key was used for something else")

    assert rounds.lost == 0
