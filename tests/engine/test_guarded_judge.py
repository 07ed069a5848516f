from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep import Memory
from truekeep.engine.guarded_judge import GuardedJudge
from truekeep.errors import InvalidInput


class Scripted:
    """A judge that gives what it is told to, or raises it."""

    name = "scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32]:
        return self._next()

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._next()

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32]:
        return self._next()

    def _next(self) -> NDArray[np.float32]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return cast(NDArray[np.float32], answer)  # or whatever was scripted


def test_without_a_judge_rules_decide_alone() -> None:
    guarded = GuardedJudge(None)

    assert guarded.relations("newer", ["older"]) is None
    assert guarded.relevance("question", ["text"]) is None
    assert guarded.sentences("", "user", ["sentence"]) is None
    assert (guarded.name, guarded.failures, guarded.is_there) == ("rules", 0, False)


def test_what_a_judge_says_is_passed_on() -> None:
    guarded = GuardedJudge(Scripted([[1, 2, 3, 4]], [0.5], np.zeros((1, 6))))

    relations = guarded.relations("newer", ["older"])
    relevance, sentences = guarded.relevance("question", ["text"]), guarded.sentences("", "user", ["sentence"])

    assert relations is not None
    assert relations.tolist() == [[1, 2, 3, 4]]
    assert relevance is not None
    assert relevance.dtype == np.float32
    assert sentences is not None
    assert sentences.shape == (1, 6)


@pytest.mark.parametrize(
    "answer", [RuntimeError("secret text"), [1, 2], [[0]], [float("nan")], ["tea"], None], ids=repr
)
def test_a_judge_that_fails_says_nothing_is_counted_and_left_alone(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    moments = [0.0]
    guarded = GuardedJudge(Scripted(answer, answer, [1]), cooldown=timedelta(seconds=30), clock=lambda: moments[-1])

    with caplog.at_level(logging.WARNING):
        first = guarded.relevance("question", ["text"])
        while_it_rests = guarded.relevance("question", ["text"])
        moments.append(31.0)
        again = guarded.relevance("question", ["text"])
        moments.append(62.0)
        works = guarded.relevance("question", ["text"])

    assert (first, while_it_rests, again) == (None, None, None)
    assert works is not None
    assert guarded.failures == 2
    (told,) = caplog.messages
    assert "rules decide alone" in told
    assert "secret" not in told


def test_a_memory_tells_which_judge_it_has_and_that_it_failed() -> None:
    with Memory("bot", at=":memory:", judge=Scripted(RuntimeError())) as memory:
        before = memory.stats()
        memory._engine._parts.judge.relevance("question", ["text"])  # type: ignore[union-attr]  # behind the handle
        after = memory.stats()

    assert (before.judge, before.judge_failures) == ("scripted", 0)
    assert after.judge_failures == 1
    assert "judge_failures=1" in repr(after)


def test_a_memory_has_the_learned_judge_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory("bot", at=":memory:") as learned, Memory("bot", at=":memory:", judge="rules") as alone:
        assert learned.stats().judge.startswith("learned-judge-")
        assert alone.stats().judge == "rules"
    monkeypatch.setenv("TRUEKEEP_JUDGE", "rules")
    with Memory("bot", at=":memory:") as chosen:
        assert chosen.stats().judge == "rules"


def test_what_is_no_judge_is_refused() -> None:
    with pytest.raises(InvalidInput, match="it has no name"):
        Memory("bot", at=":memory:", judge=7)  # type: ignore[arg-type]  # on purpose
