from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.embedders.minilm import MiniLM, embedder, loading, verify
from truekeep.embedders.minilm.loading import FOLDER, SHA256
from truekeep.errors import ConfigurationError, EmbedderError

FILLER = (
    "The warehouse in the north keeps pallets of paint, rope and canvas. "
    "On Mondays the forklift is serviced and the doors stay shut until nine. "
    "Invoices are printed twice and filed by colour. "
)
FACT = "Ana's daughter Mia is severely allergic to peanuts."
QUESTION = "which food makes Ana's child ill?"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def count_tokens(text: str) -> int:
    return len(embedder.shared(loading.default_threads()).tokens(text).ids) - 2


def text_with_fact_at(token: int) -> str:
    before = FILLER * (token // count_tokens(FILLER))
    return before + FACT + " " + FILLER * 12


def test_texts_of_like_meaning_are_closer_than_others(minilm: MiniLM) -> None:
    question, answer, other = minilm.embed(
        ["what does Ana like to drink?", "Ana's favourite beverage is tea", "the deployment failed on Friday"]
    )

    assert question @ answer > question @ other + 0.3


def test_a_part_of_a_text_means_what_it_means_there(minilm: MiniLM) -> None:
    text = "the bank of the river was flooded and the bank closed my account"
    river, money = [(4, 8)], [(42, 46)]
    assert text[4:8] == text[42:46] == "bank"

    by_the_water, with_a_counter = (minilm.embed_within(text, spans) for spans in (river, money))
    (water,) = minilm.embed(["the shore of a river"])

    assert np.linalg.norm(by_the_water) == pytest.approx(1, abs=1e-5)
    assert by_the_water @ water - with_a_counter @ water > 0.05


def test_a_part_that_holds_no_token_means_the_whole(minilm: MiniLM) -> None:
    text = "Ana likes tea"

    assert np.allclose(minilm.embed_within(text, [(3, 4)]), minilm.embed([text])[0])


def test_a_part_of_a_text_that_was_embedded_just_now_takes_no_run_of_the_model(
    minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "where did Dirk leave the keys of the boat?"
    minilm.embed([text])
    monkeypatch.setattr(embedder.shared(loading.default_threads()), "_session", None)  # the model cannot be run

    assert minilm.embed_within(text, [(0, 14)]).shape == (384,)


def test_vectors_are_unit_length_float32_in_order(minilm: MiniLM) -> None:
    texts = ["tea", "a much longer sentence about the coffee that we drink at work every day", ""]

    vectors = minilm.embed(texts)

    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert all(np.array_equal(vectors[row], minilm.embed([text])[0]) for row, text in enumerate(texts))


def test_a_text_has_the_same_vector_whatever_is_embedded_beside_it() -> None:
    text = "we chose PostgreSQL because the team knows it"

    alone = MiniLM().embed([text])[0]
    embedder.shared(loading.default_threads()).remembered_vector.cache_clear()
    among = MiniLM().embed(["x" * 40, text, FILLER * 3])[1]

    assert np.array_equal(alone, among)


def test_nothing_to_embed_gives_an_empty_matrix(minilm: MiniLM) -> None:
    assert minilm.embed([]).shape == (0, 384)


@pytest.mark.parametrize("token", [200, 2000])
def test_a_fact_deep_in_a_long_text_is_found_by_meaning(minilm: MiniLM, token: int) -> None:
    text = text_with_fact_at(token)
    assert abs(count_tokens(text[: text.index(FACT)]) - token) < 60
    others = ["Peter eats lunch at noon.", "The train leaves at six.", "The app uses Redis for caching.", FILLER * 4]
    question = minilm.embed([QUESTION])[0]

    best = (minilm.embed(minilm.passages(text)) @ question).max()

    without = minilm.embed(minilm.passages(text.replace(FACT, ""))) @ question
    assert best > (minilm.embed(others) @ question).max()
    assert best > without.max() + 0.15


def test_a_short_text_is_its_own_passage_even_before_the_model_is_loaded() -> None:
    assert MiniLM().passages("Ana prefers tea") == ["Ana prefers tea"]


def test_passages_overlap_and_cover_the_text(minilm: MiniLM) -> None:
    text = "".join(f"Sentence number {n} says nothing new. " for n in range(400))

    passages = minilm.passages(text)

    end = 0
    for passage in passages:
        start = text.index(passage)
        assert start <= end
        end = start + len(passage)
    assert passages[0] == text[: len(passages[0])]
    assert end == len(text)
    overlap = sum(map(len, passages)) / len(text)
    assert 1.2 < overlap < 1.5


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
                st.sampled_from(["한국어 ", "ﬃ ", "İ", "e\u0301", "[SEP] ", "日本", "a" * 120, "🙂", "\u200d", "((("]),
            ),
            st.integers(1, 300),
        ),
        max_size=6,
    )
)
def test_the_model_sees_every_passage_whole(minilm: MiniLM, parts: list[tuple[str, int]]) -> None:
    text = "".join(part * times for part, times in parts)

    passages = minilm.passages(text)

    assert all(passage in text for passage in passages)
    assert all(count_tokens(passage) <= 128 for passage in passages)
    assert passages[0] == text or count_tokens(text) > 128


@pytest.mark.parametrize("text", ["!" * 65_536, "日" * 21_845, "a" * 65_536, "a " * 32_768, "한" * 21_845])
def test_the_passages_of_the_longest_text_are_bounded(minilm: MiniLM, text: str) -> None:
    passages = minilm.passages(text)

    assert 1 <= len(passages) <= 700
    assert passages[-1] == text[-len(passages[-1]) :]


def test_a_text_longer_than_the_model_sees_is_embedded_by_its_beginning(minilm: MiniLM) -> None:
    vectors = minilm.embed([FILLER * 40, FILLER * 60])

    assert np.array_equal(vectors[0], vectors[1])


def test_marks_of_the_tokeniser_in_a_text_are_only_text(minilm: MiniLM) -> None:
    with_mark, without = minilm.embed(["tea [SEP] coffee", "tea coffee"])

    assert not np.array_equal(with_mark, without)
    assert 102 not in embedder.shared(loading.default_threads()).tokens("tea [SEP] coffee").ids[:-1]


@pytest.mark.parametrize("text", ["\ud800", "a" * 300 + "\udfff"])
def test_a_lone_surrogate_is_an_embedder_error(minilm: MiniLM, text: str) -> None:
    with pytest.raises(EmbedderError, match="surrogate"):
        minilm.embed([text])


def test_no_threads_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="threads"):
        MiniLM(threads=0)


def test_many_threads_share_one_model_and_agree() -> None:
    texts = [f"note number {n % 7}" for n in range(42)]
    embedders = [MiniLM() for _ in range(6)]
    found: dict[int, np.ndarray] = {}

    def work(number: int) -> None:
        found[number] = embedders[number].embed(texts)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id(embedder._runtime()) for embedder in embedders}) == 1
    assert all(np.array_equal(found[0], vectors) for vectors in found.values())


def test_a_repeated_query_is_answered_from_memory_and_cannot_be_spoilt() -> None:
    remembered = embedder.shared(loading.default_threads()).remembered_vector
    first = MiniLM().embed(["what does Ana drink?"])
    kept = first.copy()
    hits = remembered.cache_info().hits

    first[:] = 0
    again = MiniLM().embed(["what does Ana drink?"])
    MiniLM().embed([FILLER * 4])

    assert np.array_equal(again, kept)
    assert remembered.cache_info().hits == hits + 1
    assert remembered.cache_info().maxsize == embedder.REMEMBERED


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={key: value for key, value in os.environ.items() if key not in ("CI", "ORT_DISABLE_TELEMETRY")}
        | environment,
    )


def test_importing_the_embedder_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'onnxruntime', 'tokenizers', 'httpx'}"
    code = f"import sys, truekeep.embedders.minilm as m; m.MiniLM(); print(sorted({heavy} & set(sys.modules)))"

    done = run_python(code)

    assert done.stdout == "[]\n", done.stderr


def test_a_failing_load_is_an_embedder_error() -> None:
    code = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from truekeep.embedders.minilm import MiniLM\n"
        "from truekeep.errors import EmbedderError\n"
        "try: MiniLM().embed(['tea'])\n"
        "except EmbedderError as error: print('refused', error)"
    )

    done = run_python(code)

    assert done.stdout.startswith("refused MiniLM cannot be loaded"), done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the threads in /proc")
def test_nothing_reports_to_anybody(tmp_path: Path) -> None:
    """onnxruntime 1.29 and newer start a reporting thread and keep a device id in the home folder."""
    code = (
        "import os; from truekeep.embedders.minilm import MiniLM\n"
        "MiniLM(threads=1).embed(['tea']); print(len(os.listdir('/proc/self/task')))"
    )

    done = run_python(code, HOME=str(tmp_path), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

    assert done.stdout == "1\n", done.stderr
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_child_embeds_and_ends(threads: int) -> None:
    code = (
        "import os, sys; from truekeep.embedders.minilm import MiniLM\n"
        f"minilm = MiniLM(threads={threads}); before = minilm.embed(['tea']).tobytes()\n"
        "if child := os.fork():\n"
        "    status = os.waitpid(child, 0)[1]; print(os.waitstatus_to_exitcode(status))\n"
        "else:\n"
        "    sys.exit(7 if minilm.embed(['tea']).tobytes() == before else 8)"
    )

    done = run_python(code)

    assert done.stdout == "7\n", done.stderr


def test_the_files_of_the_model_are_those_that_were_checked() -> None:
    assert verify() == []


def test_a_file_of_the_model_that_was_changed_is_noticed(tmp_path: Path) -> None:
    for name in SHA256:
        shutil.copy(FOLDER / name, tmp_path)
    with (tmp_path / "tokenizer.json").open("ab") as file:
        file.write(b" ")
    (tmp_path / "model.onnx").unlink()

    assert verify(tmp_path) == ["model.onnx", "tokenizer.json"]
