"""Pickles of others can make plain data and nothing else."""

from __future__ import annotations

import copyreg
import os
import pickle
import pickletools
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep import InvalidInput
from truekeep.importers.pickles import Husk, plain

from .stores import memo, point


class Evil:
    """Leaves a file behind when it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.trace),)


def evil_pickles(trace: Path) -> dict[str, bytes]:
    command = f"mkdir '{trace}'"
    return {
        "reduce": pickle.dumps({"1": ("tea", Evil(trace))}),
        "protocol 0": pickle.dumps(Evil(trace), protocol=0),
        "protocol 2": pickle.dumps(Evil(trace), protocol=2),
        "global": b"cposix\nsystem\n(S'" + command.encode().replace(b"'", b'"') + b"'\ntR.",
        "inst": b"(S'" + str(trace).encode() + b"'\nios\nmkdir\n.",
        "obj": b"(cos\nmkdir\nS'" + str(trace).encode() + b"'\no.",
        "builtin": b"cbuiltins\neval\n(S'1'\ntR.",
        "attribute of a known class": pickle.PROTO
        + b"\x04\x8c\x20qdrant_client.http.models.models\x8c\x14PointStruct.__init__\x93.",
        "persistent id": b"Pany\n.",
        "extension": b"\x80\x02\x82\x01.",
    }


@pytest.mark.parametrize("kind", evil_pickles(Path("x")))
def test_a_pickle_that_wants_to_run_something_is_refused_and_runs_nothing(kind: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    with pytest.raises(InvalidInput, match=r"more than plain data|not the pickle"):
        plain(evil_pickles(trace)[kind], "the file")

    assert not trace.exists()


def test_the_evil_ones_would_run_elsewhere(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    pickle.loads(evil_pickles(trace)["reduce"])

    assert trace.is_dir()


def test_a_registered_extension_is_refused_too() -> None:
    module = os.mkdir.__module__
    copyreg.add_extension(module, "mkdir", 240)
    try:
        data = pickle.dumps(os.mkdir, protocol=2)
        assert "EXT1" in [code.name for code, _, _ in pickletools.genops(data)]

        with pytest.raises(InvalidInput, match="more than plain data"):
            plain(data, "the file")
    finally:
        copyreg.remove_extension(module, "mkdir", 240)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_back_as_it_was(protocol: int) -> None:
    data = {"1": ("tea", "green"), "2": [1, 2.5, None, True, {"deep": ["er"]}], "naïve": "日本"}

    assert plain(pickle.dumps(data, protocol=protocol), "the file") == data


def test_objects_of_known_classes_become_husks_and_nothing_is_imported() -> None:
    told = plain(point("a", {"data": "tea"}), "the file")
    memos = plain(memo("task", "insight"), "the file")

    assert isinstance(told, Husk)
    assert told.fields["payload"] == {"data": "tea"}
    assert memos["1"].fields == {"task": "task", "insight": "insight"}


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_they_are_data_or_refused(data: bytes) -> None:
    with suppress(InvalidInput):
        plain(data, "the file")


@settings(deadline=None)
@given(st.data())
def test_a_damaged_pickle_is_data_or_refused(data: st.DataObject) -> None:
    whole = bytearray(point("a", {"data": "tea", "n": 3}))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))

    for broken in (bytes(whole), bytes(whole[:cut])):
        with suppress(InvalidInput):
            plain(broken, "the file")


LEVELS = range(60)
DUPLICATED = b"K\x01\x85" + b"2\x86" * len(LEVELS)  # a pair of the pair before, and so on
PAIRED = b"K\x01\x85" + b"".join(b"q%ch%c\x86" % (level, level) for level in LEVELS)
LISTED = b"]q\x00" + b"".join(b"](h%ch%ceq%c" % (level, level, level + 1) for level in LEVELS)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02Nr" + (2**26).to_bytes(4, "little") + b".",  # a place in the memo far beyond all that there is
        b"\x80\x02}" + DUPLICATED + b"K\x02s.",  # as a key
        b"\x80\x02}" + PAIRED + b"K\x02s.",
        b"\x80\x02" + PAIRED + b".",
        b"\x80\x02" + LISTED + b".",
        b"\x80\x02]q\x00h\x00a.",  # a list that holds itself
    ],
)
def test_a_small_pickle_that_stands_for_something_huge_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="not the pickle"):
        plain(data, "the file")


def test_data_that_stands_in_several_places_is_data() -> None:
    shared = ["tea"]

    assert plain(pickle.dumps([shared, shared, {"again": shared}]), "the file") == [
        ["tea"],
        ["tea"],
        {"again": ["tea"]},
    ]
