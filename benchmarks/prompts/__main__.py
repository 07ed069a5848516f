"""`python -m benchmarks.prompts NAME`: the figures of one framework, as JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
from importlib import import_module
from pathlib import Path

from .chat import known, measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompts", description="Measure the prompts of a chat.")
    parser.add_argument("name", help="of a module of tests/frameworks/prompts, such as autogen")
    player = import_module(f"tests.frameworks.prompts.{parser.parse_args().name}")
    with tempfile.TemporaryDirectory(prefix="truekeep-prompts-") as folder, known(Path(folder)) as memory:
        print(json.dumps(measured(player.play(memory))._asdict()))


if __name__ == "__main__":
    main()
