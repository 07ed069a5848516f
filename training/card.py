"""The card of a model: what it is, how it is used, what it was made of and what it is worth."""

from __future__ import annotations

import hashlib
from pathlib import Path

_TEMPLATE = Path(__file__).parent / "card.md"
_PUBLIC = """
| Schema-Guided Dialogue (train), SQuAD 2.0 (dev), SNLI (dev and test) | CC BY-SA 4.0 |
| FairytaleQA | Apache-2.0, public-domain tales |

Quote no figure of this model on those sets. Whether share-alike licences of texts reach weights is unsettled."""


def card(folder: Path) -> str:
    """The card of the model in a folder, with the figures that were measured beside it."""
    sha256 = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    size = (folder / "model.onnx").stat().st_size / 1e6
    figures = (folder / "figures.md").read_text(encoding="utf-8")
    public = _PUBLIC if (folder / "public.jsonl.gz").exists() else ""
    text = _TEMPLATE.read_text(encoding="utf-8")
    return text.format(sha256=sha256, size=f"{size:.1f}", figures=figures, public=public)
