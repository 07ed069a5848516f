"""The contract of a judge, kept by the learned one inside the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep.errors import ConfigurationError
from truekeep.judges.learned import LearnedJudge, verify
from truekeep.judges.learned.judge import FOLDER, SHA256
from truekeep.ports import Judge

ODD = ["", " ", "\x00", "\ud800", "[SEP] [CLS]", "日本語のメモ", "🙂" * 50, "x" * 65_536, "word " * 13_000, "!" * 9_000]
Asked = Callable[[Judge, list[str]], NDArray[np.float32]]
ASKED: dict[str, Asked] = {
    "relations": lambda judge, texts: judge.relations("Ana moved to Porto.", texts),
    "relevance": lambda judge, texts: judge.relevance("Where does Ana live?", texts),
    "sentences": lambda judge, texts: judge.sentences("assistant: Where do you live?", "user", texts),
}


@pytest.fixture(scope="module")
def judge() -> Judge:
    return LearnedJudge()


@pytest.mark.parametrize(("question", "shape"), [("relations", (4,)), ("relevance", ()), ("sentences", (6,))])
@pytest.mark.parametrize("texts", [[], ["Ana lives in Lisbon."], ODD])
def test_every_text_has_its_row_of_finite_numbers(
    judge: Judge, question: str, shape: tuple[int, ...], texts: list[str]
) -> None:
    found = ASKED[question](judge, texts)

    assert found.shape == (len(texts), *shape)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


@pytest.mark.parametrize("head", ODD, ids=lambda head: ascii(head[:9]))
def test_an_odd_head_is_taken_like_any_other(judge: Judge, head: str) -> None:
    assert np.isfinite(judge.relations(head, ["tea"])).all()
    assert np.isfinite(judge.relevance(head, ["tea"])).all()
    assert np.isfinite(judge.sentences(head, head, ["tea"])).all()


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_the_same_question_has_the_same_answer(judge: Judge, ask: Asked) -> None:
    texts = ["Ana lives in Lisbon.", "Lunch is at noon.", "Ana drinks tea."]

    assert np.array_equal(ask(judge, texts), ask(LearnedJudge(), texts))


@pytest.mark.parametrize(("question", "most"), [("relations", 3), ("relevance", 5)])
def test_what_stands_further_down_changes_no_verdict(judge: Judge, question: str, most: int) -> None:
    texts = [f"Ana lived in flat number {n}." for n in range(most)]

    alone = ASKED[question](judge, texts)
    among = ASKED[question](judge, [*texts, "Bob sings.", "word " * 500])

    assert np.array_equal(alone, among[:most])


def test_a_change_is_told_from_what_stays(judge: Judge) -> None:
    changed, untouched = judge.relations(
        "We moved the servers from AWS to Hetzner.", ["We host on AWS.", "Lunch is at noon."]
    )

    assert changed[[1, 3]].max() > changed[0]
    assert untouched.argmax() == 0


def test_an_answer_is_told_from_what_is_beside_the_point(judge: Judge) -> None:
    answer, other = judge.relevance(
        "Where does the doctor live?", ["The physician's home is in Lisbon.", "Tea is hot."]
    )

    assert answer > other + 1


def test_what_is_worth_keeping_is_told_from_chatter(judge: Judge) -> None:
    chatter, worth = judge.sentences("", "user", ["Thanks a lot!", "I am allergic to peanuts."])

    assert worth[0] > chatter[0] + 1


def test_a_very_long_text_is_judged_by_its_beginning(judge: Judge) -> None:
    text = "Ana lives in Lisbon. " * 400

    assert np.array_equal(judge.relevance("Where?", [text]), judge.relevance("Where?", [text + "Bob sings."]))


def test_many_threads_share_one_model_and_agree() -> None:
    texts = ["Ana lives in Lisbon.", "Lunch is at noon."]
    found: dict[int, NDArray[np.float32]] = {}

    def work(number: int) -> None:
        found[number] = LearnedJudge().relations("Ana moved to Porto.", texts)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 6
    assert all(np.array_equal(found[0], one) for one in found.values())


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)


def test_importing_the_judge_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'onnxruntime', 'tokenizers', 'httpx'}"
    code = f"import sys, truekeep.judges.learned as m; m.LearnedJudge(); print(sorted({heavy} & set(sys.modules)))"

    done = run_python(code)

    assert done.stdout == "[]\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_child_judges_and_ends(threads: int) -> None:
    code = (
        "import os, sys; from truekeep.judges.learned import LearnedJudge\n"
        f"judge = LearnedJudge(threads={threads}); before = judge.relevance('tea?', ['tea']).tobytes()\n"
        "if child := os.fork():\n"
        "    status = os.waitpid(child, 0)[1]; print(os.waitstatus_to_exitcode(status))\n"
        "else:\n"
        "    sys.exit(7 if judge.relevance('tea?', ['tea']).tobytes() == before else 8)"
    )

    done = run_python(code)

    assert done.stdout == "7\n", done.stderr


def test_the_file_of_the_model_is_the_one_that_was_checked() -> None:
    assert verify() == []


def test_a_file_of_the_model_that_was_changed_is_noticed(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "model.onnx", tmp_path)
    with (tmp_path / "model.onnx").open("ab") as file:
        file.write(b" ")

    assert verify(tmp_path) == ["model.onnx"]


def test_the_name_changes_with_the_file_and_the_card_is_of_that_file() -> None:
    assert LearnedJudge.name.endswith(SHA256["model.onnx"][:8])
    assert SHA256["model.onnx"] in (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_a_network_of_ones_own_judges_under_the_name_of_its_file(judge: Judge, tmp_path: Path) -> None:
    shutil.copy(FOLDER / "model.onnx", tmp_path / "ours.onnx")

    other = LearnedJudge(file=str(tmp_path / "ours.onnx"))

    assert other.name == judge.name  # byte for byte the same
    for ask in ASKED.values():
        np.testing.assert_array_equal(ask(other, ["Ana lives in Lisbon."]), ask(judge, ["Ana lives in Lisbon."]))


def test_a_network_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no network of a judge at .*ours\.onnx"):
        LearnedJudge(file=tmp_path / "ours.onnx")
