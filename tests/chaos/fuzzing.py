"""Running a fuzz target with atheris, where there is one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def fuzz(check: Callable[[Any], None]) -> None:
    """Give the check one provider of made-up data after the other. All arguments go to libFuzzer.

    Without atheris (it has no wheels for every Python) it says so and ends well.
    """
    if find_spec("atheris") is None:
        print("atheris is not installed: nothing was fuzzed")
        return
    atheris: Any = import_module("atheris")
    atheris.instrument_all()  # without it libFuzzer sees no branches, and only guesses
    atheris.Setup(sys.argv, lambda data: check(atheris.FuzzedDataProvider(data)))
    atheris.Fuzz()
