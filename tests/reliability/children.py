"""What a child process runs: `python -m tests.reliability.children scenario.function fault argument...`."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import threading
from collections.abc import Iterator
from typing import Any

from .planted import planted

_printing = threading.Lock()


def say(word: object) -> None:
    """Tell the parent; whole lines, at once."""
    with _printing:
        sys.stdout.write(json.dumps(word) + "\n")
        sys.stdout.flush()


def commands() -> Iterator[Any]:
    """What the parent tells, until it ends the conversation."""
    for line in sys.stdin:
        yield json.loads(line)


def main(role: str, fault: str, *arguments: str) -> None:
    logging.disable(logging.CRITICAL)  # failures are planted by the thousand; the checks tell what went wrong
    module, _, function = role.partition(".")
    scenario = importlib.import_module(f"tests.reliability.scenarios.{module}")
    with planted(fault or None):
        getattr(scenario, function)(*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
