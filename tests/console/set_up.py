"""Installs Chromium for the tests of the console, where it is missing and can be: on Debian and its kin, as root.

python tests/console/set_up.py

It never fails: without a browser those tests are skipped, and say so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.console.browser import NO_BROWSER, chromium

COMMANDS = (
    ["apt-get", "-qq", "update"],
    ["apt-get", "-qq", "--yes", "--no-install-recommends", "install", "chromium", "fonts-dejavu-core"],
)


def install() -> None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    print("Installing Chromium for the tests of the console; this takes a minute the first time.", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in COMMANDS:
        try:
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=300, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"{' '.join(command)} failed: {error}", file=sys.stderr)
            return


if __name__ == "__main__":
    if chromium() is None and sys.platform == "linux":
        install()
    if chromium() is None:
        print(f"\n*** {NO_BROWSER} ***\n", file=sys.stderr)
