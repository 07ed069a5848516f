"""What stands in for models: vectors out of a text's hash."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest


def vector(text: str) -> list[float]:
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]


class Model:
    """For mem0 both a language model, which is never asked, and an embedder."""

    config = None

    def embed(self, text: str, action: str | None = None) -> list[float]:
        return vector(text)

    def embed_batch(self, texts: list[str], action: str | None = None) -> list[list[float]]:
        return [vector(text) for text in texts]


def take_chromas_model_away(patch: pytest.MonkeyPatch) -> None:
    """Chroma would download one when it first embeds."""
    from chromadb.api.types import DefaultEmbeddingFunction

    patch.setattr(DefaultEmbeddingFunction, "__call__", lambda self, input: [vector(text) for text in input])


def take_mem0s_models_away(patch: pytest.MonkeyPatch) -> None:
    from mem0.utils import factory

    def model(*arguments: Any, **options: Any) -> Model:
        return Model()

    patch.setattr(factory.EmbedderFactory, "create", staticmethod(model))
    patch.setattr(factory.LlmFactory, "create", staticmethod(model))
