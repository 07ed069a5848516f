from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from truekeep.engine.guarded_embedder import LANES, Guarded
from truekeep.errors import EmbedderError
from truekeep.testing.fakes import ChoosyEmbedder, FailingEmbedder, FakeEmbedder, HangingEmbedder

SOON = timedelta(seconds=0.05)
PATIENT = timedelta(seconds=30)


class Ticks:
    """Monotonic seconds that move only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Scripted(FakeEmbedder):
    """Gives or raises what it was told, from afar."""

    in_process = False

    def __init__(self, result: Any) -> None:
        super().__init__(4)
        self.result = result
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "truekeep-embed"]


@pytest.fixture
def hanging() -> Iterator[HangingEmbedder]:
    embedder = HangingEmbedder(4)
    yield embedder
    embedder.release.set()
    for thread in threads():
        thread.join(10)


def test_a_sound_embedder_answers_as_if_nobody_stood_between() -> None:
    bare = FakeEmbedder(16)
    guarded = Guarded(bare)

    assert np.allclose(guarded.embed(["tea", "coffee"]), bare.embed(["tea", "coffee"]), atol=1e-6)
    assert guarded.embed([]).shape == (0, 16)
    assert (guarded.name, guarded.dimension) == ("fake-16", 16)
    assert guarded.passages("tea") == ["tea"]
    assert guarded.available
    assert guarded.failures == 0


def test_an_embedder_in_this_process_is_called_directly() -> None:
    callers: list[threading.Thread] = []

    class Watched(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            callers.append(threading.current_thread())
            return super().embed(texts)

    Guarded(Watched()).embed(["tea"])

    assert callers == [threading.current_thread()]


def test_an_embedder_in_this_process_is_asked_again_at_once_after_a_failure() -> None:
    embedder = FailingEmbedder(4)
    guarded = Guarded(embedder)
    with pytest.raises(EmbedderError, match="on purpose"):
        guarded.embed(["tea"])
    assert not guarded.available

    embedder.broken = False
    vectors = guarded.embed(["tea"])

    assert vectors.shape == (1, 4)
    assert guarded.available
    assert guarded.failures == 1


def test_a_hanging_embedder_is_given_up_at_the_deadline(hanging: HangingEmbedder) -> None:
    guarded = Guarded(hanging, deadline=SOON)

    with pytest.raises(EmbedderError, match=r"within 0\.05 s") as caught:
        guarded.embed(["tea"])

    assert caught.value.retryable
    assert guarded.failures == 1
    assert not guarded.available


def test_the_deadline_of_a_call_goes_before_that_of_the_guard(hanging: HangingEmbedder) -> None:
    guarded = Guarded(hanging, deadline=PATIENT)

    with pytest.raises(EmbedderError, match=r"within 0\.05 s"):
        guarded.embed(["tea"], deadline=SOON)


def test_while_the_embedder_rests_calls_fail_at_once_without_asking_it() -> None:
    embedder = Scripted(RuntimeError("down"))
    ticks = Ticks()
    guarded = Guarded(embedder, cooldown=timedelta(seconds=30), clock=ticks)
    with pytest.raises(EmbedderError, match="RuntimeError"):
        guarded.embed(["tea"])

    ticks.now += 29
    with pytest.raises(EmbedderError, match="rests"):
        guarded.embed(["tea"])

    assert embedder.calls == 2  # with the text, and with one that tells whose fault it is
    assert guarded.failures == 1


def test_after_the_rest_one_good_trial_brings_it_back(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    embedder = Scripted(RuntimeError("down"))
    ticks = Ticks()
    guarded = Guarded(embedder, cooldown=timedelta(seconds=30), clock=ticks)
    for _ in range(3):
        with pytest.raises(EmbedderError):
            guarded.embed(["my secret diary"])

    ticks.now += 31
    embedder.result = np.eye(4)[:1]
    assert guarded.available
    guarded.embed(["my secret diary"])

    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "diary" not in caplog.text


def test_a_failed_trial_starts_another_rest() -> None:
    embedder = Scripted(RuntimeError("down"))
    ticks = Ticks()
    guarded = Guarded(embedder, cooldown=timedelta(seconds=30), clock=ticks)
    with pytest.raises(EmbedderError, match="RuntimeError"):
        guarded.embed(["tea"])
    ticks.now += 31
    with pytest.raises(EmbedderError, match="RuntimeError"):
        guarded.embed(["tea"])

    with pytest.raises(EmbedderError, match="rests"):
        guarded.embed(["tea"])

    assert embedder.calls == 3  # the trial is one call


def test_only_one_call_is_the_trial(hanging: HangingEmbedder) -> None:
    ticks = Ticks()
    guarded = Guarded(hanging, deadline=SOON, clock=ticks)
    with pytest.raises(EmbedderError, match="within"):
        guarded.embed(["tea"])
    ticks.now += 31
    outcome: list[Any] = []
    trial = threading.Thread(target=lambda: outcome.append(guarded.embed(["tea"], deadline=PATIENT)))
    trial.start()
    while len(threads()) < 3:  # the text, the one that tells whose fault it is, and the trial
        trial.join(0.01)

    with pytest.raises(EmbedderError, match="rests"):
        guarded.embed(["tea"])

    hanging.release.set()
    trial.join()
    assert outcome[0].shape == (1, 4)


def test_no_more_threads_get_stuck_than_there_are_lanes(hanging: HangingEmbedder) -> None:
    ticks = Ticks()
    guarded = Guarded(hanging, deadline=SOON, cooldown=timedelta(seconds=1), clock=ticks)

    for _ in range(LANES + 4):
        ticks.now += 2
        with pytest.raises(EmbedderError):
            guarded.embed(["tea"])

    assert len(threads()) == LANES
    assert guarded.failures == LANES + 4
    guarded.reset_after_fork()
    hanging.release.set()
    ticks.now += 2
    assert guarded.embed(["tea"], deadline=PATIENT).shape == (1, 4)


@pytest.mark.parametrize(
    "error", [EmbedderError("400"), EmbedderError("500", retryable=True), ValueError("no such character")]
)
def test_a_text_that_fails_while_others_do_not_is_refused_and_starts_no_rest(error: Exception) -> None:
    guarded = Guarded(ChoosyEmbedder(4, error, in_process=False), deadline=PATIENT)

    with pytest.raises(EmbedderError) as caught:
        guarded.embed(["tea", "poison"])

    assert not caught.value.retryable
    assert guarded.embed(["tea"]).shape == (1, 4)
    assert guarded.failures == 1


def test_a_text_that_hangs_while_others_do_not_starts_no_rest() -> None:
    release = threading.Event()

    class Stuck(FakeEmbedder):
        in_process = False

        def embed(self, texts: Sequence[str]) -> Any:
            if "poison" in texts:
                release.wait()
            return super().embed(texts)

    guarded = Guarded(Stuck(4), deadline=timedelta(seconds=1))

    with pytest.raises(EmbedderError, match="within 1 s") as caught:
        guarded.embed(["tea", "poison"])

    assert not caught.value.retryable
    assert guarded.embed(["tea"], deadline=PATIENT).shape == (1, 4)
    release.set()


def test_a_text_that_fails_does_not_spoil_the_trial_after_a_rest() -> None:
    ticks = Ticks()
    guarded = Guarded(ChoosyEmbedder(4, ValueError(), in_process=False), deadline=PATIENT, clock=ticks)
    guarded._breaker.failed()
    ticks.now += 31

    with pytest.raises(EmbedderError):
        guarded.embed(["poison"])

    assert guarded.embed(["tea"]).shape == (1, 4)


def test_an_embedder_that_refuses_everything_is_out_of_order() -> None:
    guarded = Guarded(Scripted(EmbedderError("status 401", retryable=False)))

    with pytest.raises(EmbedderError, match="401") as caught:
        guarded.embed(["tea"])

    assert caught.value.retryable
    assert not guarded.available


@pytest.mark.parametrize("error", [ValueError("my secret diary"), SystemExit(3), MemoryError(), EmbedderError("no")])
def test_whatever_is_raised_becomes_an_embedder_error_without_the_text(error: BaseException) -> None:
    guarded = Guarded(Scripted(error), deadline=PATIENT)

    with pytest.raises(EmbedderError) as caught:
        guarded.embed(["my secret diary"])

    assert "diary" not in str(caught.value)


@pytest.mark.parametrize(
    "result",
    [
        None,
        "vectors",
        [],
        [[1.0, 0.0]],
        [[1.0, 0.0, 0.0, 0.0]] * 2,
        [1.0, 0.0, 0.0, 0.0],
        [[1.0, 0.0, 0.0, float("nan")]],
        [[1.0, 0.0, 0.0, float("inf")]],
        [[1e300, 0.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0, 0.0]],
        [[1.0], [2.0, 3.0]],
        [[10**400, 0, 0, 0]],
    ],
)
def test_vectors_that_cannot_be_are_refused(result: Any) -> None:
    with pytest.raises(EmbedderError):
        Guarded(Scripted(result), deadline=PATIENT).embed(["tea"])


def test_vectors_of_another_length_are_made_unit_length() -> None:
    guarded = Guarded(Scripted([[3.0, 4.0, 0.0, 0.0]]), deadline=PATIENT)

    vectors = guarded.embed(["tea"])

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8, 0.0, 0.0]])


def test_a_name_that_must_be_asked_for_is_asked_under_guard_and_once() -> None:
    class Unknown(FakeEmbedder):
        in_process = False
        asked = 0

        @property
        def dimension(self) -> int:
            type(self).asked += 1
            if self.asked == 1:
                raise OSError("no route")
            return 4

        @dimension.setter
        def dimension(self, value: int) -> None: ...

    ticks = Ticks()
    guarded = Guarded(Unknown(4), clock=ticks, deadline=PATIENT)
    with pytest.raises(EmbedderError, match="OSError"):
        _ = guarded.name
    ticks.now += 31

    assert guarded.dimension == 4
    assert guarded.dimension == 4
    assert guarded.name == "fake-4"
    assert Unknown.asked == 2


TRAP = "what is Ana's telephone number"
LEFT = [(0, 7), (14, 30)]  # without her name


class Contextual(FakeEmbedder):
    """Tells the meaning of parts, or fails to."""

    def __init__(self, result: Any) -> None:
        super().__init__(4)
        self.result = result

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> Any:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def test_a_part_of_a_text_is_left_to_an_embedder_that_can_tell() -> None:
    vector = Guarded(Contextual([0.0, 3.0, 0.0, 4.0])).embed_within(TRAP, LEFT)

    assert vector is not None
    assert np.allclose(vector, [0.0, 0.6, 0.0, 0.8])


def test_any_other_embedder_in_this_process_is_given_the_part_as_a_text() -> None:
    embedder = FakeEmbedder(64)

    vector = Guarded(embedder).embed_within(TRAP, LEFT)

    assert vector is not None
    assert np.allclose(vector, embedder.embed(["what is telephone number"])[0])


def test_an_embedder_behind_a_network_is_not_asked_again() -> None:
    embedder = Scripted([[1.0, 0.0, 0.0, 0.0]])

    assert Guarded(embedder).embed_within(TRAP, LEFT) is None
    assert embedder.calls == 0


@pytest.mark.parametrize("result", [OSError("gone"), [1.0], [float("nan")] * 4])
def test_a_part_that_cannot_be_told_is_an_embedder_error(result: Any) -> None:
    guarded = Guarded(Contextual(result))

    with pytest.raises(EmbedderError):
        guarded.embed_within(TRAP, LEFT)
    assert guarded.failures == 1


@pytest.mark.parametrize(
    ("name", "kept"), [("mine", "mine/32"), ("mine-32", "mine-32"), ("mine/132", "mine/132/32"), ("32-b", "32-b/32")]
)
def test_the_name_under_which_vectors_are_kept_ends_with_their_dimension(name: str, kept: str) -> None:
    embedder = FakeEmbedder(32)
    embedder.name = name

    assert Guarded(embedder).name == kept
