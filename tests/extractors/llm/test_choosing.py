"""How a model is chosen: by the environment, on the command line, and in the example."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep import ConfigurationError, Memory, settings
from truekeep.testing.fakes import FakeEmbedder

from .endpoint import note, notes, serving

ROOT = Path(__file__).parent.parent.parent.parent
SAID = "Ana: The depot moves to Gdynia in May."
GOOD = notes(note(0, "The depot moves to Gdynia in May"))
CHOSEN = {"TRUEKEEP_EXTRACTOR": "llm", "TRUEKEEP_LLM_MODEL": "small", "TRUEKEEP_LLM_KEY": "sk-secret"}


def test_the_environment_chooses_the_model_and_its_limits() -> None:
    read = settings.read(
        {
            **CHOSEN,
            "TRUEKEEP_HOME": "x",
            "TRUEKEEP_LLM_BASE_URL": "http://host/v1",
            "TRUEKEEP_LLM_TIMEOUT": "7",
            "TRUEKEEP_LLM_CALLS_PER_MONTH": "0",
            "TRUEKEEP_LLM_TOKENS_PER_MONTH": "9",
        }
    )

    assert read.extractor == "llm"
    assert read.llm == settings.ModelSettings(
        base_url="http://host/v1",
        model="small",
        key="sk-secret",
        timeout=timedelta(seconds=7),
        calls_per_month=0,
        tokens_per_month=9,
    )
    assert "sk-secret" not in repr(read)


@pytest.mark.parametrize("name", ["TIMEOUT", "CALLS_PER_MONTH", "TOKENS_PER_MONTH"])
def test_a_wrong_setting_of_the_model_is_named(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"TRUEKEEP_LLM_{name}"):
        settings.read({"TRUEKEEP_HOME": "x", f"TRUEKEEP_LLM_{name}": "many"})


def test_a_memory_asks_the_model_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(GOOD) as served:
        for name, value in {**CHOSEN, "TRUEKEEP_LLM_BASE_URL": served.url}.items():
            monkeypatch.setenv(name, value)
        with Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False) as memory:
            done = memory.extract(SAID)
        with Memory("bot", at=":memory:", embedder=FakeEmbedder(16), extractor="rules", background=False) as memory:
            plain = memory.extract(SAID)

    assert done.report is not None
    assert (done.report.extractor, done.report.fallback) == ("llm/small", None)
    assert served.headers[0]["authorization"] == "Bearer sk-secret"
    assert plain.report is None


@pytest.mark.parametrize("missing", ["TRUEKEEP_LLM_BASE_URL", "TRUEKEEP_LLM_MODEL"])
def test_a_model_that_is_not_named_is_asked_for(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setenv("TRUEKEEP_LLM_BASE_URL", "http://host/v1")
    monkeypatch.setenv("TRUEKEEP_LLM_MODEL", "small")
    monkeypatch.delenv(missing)

    with pytest.raises(ConfigurationError, match=missing):
        Memory("bot", at=":memory:", embedder=FakeEmbedder(16), extractor="llm")


def test_the_command_line_tells_what_it_cost(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(SAID)

    with serving(GOOD) as served:
        environment = {**os.environ, **CHOSEN, "TRUEKEEP_LLM_BASE_URL": served.url, "TRUEKEEP_HOME": str(tmp_path)}
        command = [sys.executable, "-m", "truekeep.cli.main", "extract", str(tmp_path / "chat.txt")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    assert done.stdout.startswith("added ")
    assert "llm/small: 1 calls, 120 tokens, 0 suggestions left out" in done.stderr
    assert "sk-secret" not in done.stdout + done.stderr


def test_the_example_shows_what_was_said_and_what_was_not(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "extract_with_a_model.py"), "--stand-in"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.stderr == ""
    assert "Piotr signs for the cold goods" in done.stdout
    assert "lorry" not in done.stdout
    assert "1 call(s), 730 tokens, 1 suggestion(s) that nobody said" in done.stdout
    assert done.stdout.endswith("done by the model\n")
