"""A real Chromium, driven without a screen, and pages that remember everything that goes wrong on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it brings axe-core
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"
PICTURES = os.environ.get("TEST_TRUEKEEP_SCREENSHOTS") == "1"
NO_BROWSER = "NO BROWSER: THE CONSOLE IS NOT TESTED. Install Chromium (apt-get install chromium) and run this again"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""

_USUAL_PORT = """() => {
  for (const line of document.querySelectorAll(".lines code")) {
    line.textContent = line.textContent.replace(location.port, "8420");
  }
}"""


def chromium() -> str | None:
    """Where Chromium is: TEST_TRUEKEEP_CHROMIUM, or on the path."""
    return os.environ.get("TEST_TRUEKEEP_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        pytest.skip(NO_BROWSER)
    with warnings.catch_warnings(), sync_playwright() as playwright:
        warnings.simplefilter("ignore")  # of the driver, not of ours
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """One page in a profile of its own, on one server."""

    def __init__(
        self,
        browser: Browser,
        url: str,
        *,
        width: int = 1280,
        scheme: str = "light",
        touch: bool = False,
        scripts: bool = True,
    ) -> None:
        self._url, self._width = url, width
        self._context = browser.new_context(
            base_url=url,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]  # a literal
            has_touch=touch,
            java_script_enabled=scripts,
            permissions=["clipboard-read", "clipboard-write"],
        )
        self._context.set_default_timeout(15_000)
        self.page: Page = self._context.new_page()
        self.page.add_init_script(_VIOLATIONS)
        self.wrong: list[str] = []
        self.dialogs: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", self._interrupted)
        self.page.on("request", lambda request: self.requested.append(request.url))

    def _interrupted(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def log_in(self, key: str) -> None:
        """As the form does it, without looking at it."""
        answer = self._context.request.post(
            "/console/login", form={"key": key}, headers={"Origin": self._url}, max_redirects=0
        )
        assert answer.status == 303, answer.text()

    def close(self) -> None:
        self._context.close()

    def serious(self) -> list[str]:
        """What axe-core finds that is serious or critical."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {[node['html'][:120] for node in one['nodes']][:3]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        root = "document.documentElement"
        wider: int = self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
        return wider

    def picture(self, name: str, *, height: int = 900) -> None:
        """Keep a screenshot for the documentation, if that is wanted. The present ones were made with fonts-noto-core.

        Where pngquant is installed, it makes them a third of their size.
        """
        if not PICTURES:
            return
        self.page.set_viewport_size({"width": self._width, "height": height})
        self.page.evaluate(_USUAL_PORT)
        path = IMAGES / f"{name}.png"
        self.page.screenshot(path=path)
        if shutil.which("pngquant"):
            subprocess.run(["pngquant", "--force", "--strip", "--ext", ".png", "64", path], check=True)
