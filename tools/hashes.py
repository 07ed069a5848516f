"""`python -m tools.hashes`: the packages of the container image, each with the hashes of its files.

Written to `requirements-image.txt`, which the Dockerfile installs with `--require-hashes`: a file that was replaced at
its registry, or on the way, is refused. The versions are those of `constraints.txt`: renew them together.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "requirements-image.txt"
EXTRAS = ("server", "postgres")
PYTHON = "3.11"  # as in the Dockerfile
MACHINES = ("x86_64", "aarch64")
LIBC = ("manylinux_2_28", "manylinux_2_17", "manylinux2014", "manylinux_2_5", "manylinux1")
ABOUT = "# What the image installs, with hashes for Linux on x86_64 and aarch64: `make hashes` writes it."


def wanted() -> list[str]:
    """What the package needs to be built and to serve."""
    told: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = told["project"]
    extras = [need for extra in EXTRAS for need in project["optional-dependencies"][extra]]
    return [*told["build-system"]["requires"], *project["dependencies"], *extras]


def resolved(machine: str) -> dict[str, str]:
    """Packages as "name==version", each with the hash of the file that such a machine would install."""
    platforms = [f"--platform={libc}_{machine}" for libc in LIBC]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        ask = ["install", "--quiet", "--dry-run", "--ignore-installed", "--only-binary=:all:", f"--target={folder}"]
        ask += [f"--python-version={PYTHON}", *platforms, "--constraint", str(ROOT / "constraints.txt")]
        subprocess.run([sys.executable, "-m", "pip", *ask, "--report", str(report), *wanted()], check=True)
        found = json.loads(report.read_text())["install"]
    return {
        f"{one['metadata']['name'].lower()}=={one['metadata']['version']}": _hash(one["download_info"]) for one in found
    }


def _hash(download: Mapping[str, Any]) -> str:
    return str(download["archive_info"]["hashes"]["sha256"])


def main() -> None:
    hashes: dict[str, set[str]] = {}
    for machine in MACHINES:
        for package, hash in resolved(machine).items():
            hashes.setdefault(package, set()).add(hash)
    lines = [ABOUT]
    for package in sorted(hashes):
        lines.append(" \\\n    ".join([package, *(f"--hash=sha256:{hash}" for hash in sorted(hashes[package]))]))
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
