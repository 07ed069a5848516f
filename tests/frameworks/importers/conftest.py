"""The other programs stay offline: a model and an embedder of ours, and no telemetry."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

THIRD_PARTIES = (
    *("mem0", "qdrant_client", "chromadb", "faiss", "numpy", "pydantic", "opentelemetry", "autogen", "autogen_core"),
    *("autogen_ext", "langgraph", "langchain_core", "google", "importlib"),
)

os.environ.update(MEM0_TELEMETRY="False", ANONYMIZED_TELEMETRY="False", OTEL_SDK_DISABLED="true")


def pytest_configure(config: pytest.Config) -> None:
    for module in THIRD_PARTIES:
        config.addinivalue_line("filterwarnings", rf"ignore:::{module}(\.|$)")
    # FAISS is bound by SWIG.
    config.addinivalue_line("filterwarnings", "ignore:builtin type [Ss]wig:DeprecationWarning")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory("bot", at=tmp_path / "truekeep.db", embedder=FakeEmbedder(), background=False) as memory:
        yield memory
