"""The script that lets the site's search work in a folder, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.console.browser import launched

from .site_pages import WORKER

pytestmark = pytest.mark.long  # starts a browser

# A worker that answers as the search does, and changes what it was sent.
SCRIPT = "self.onmessage = ({ data }) => { data.words.push('leaf'); self.postMessage({ words: data.words }); };"
ASKED = """async () => {
  const worker = new Worker("worker.js"), sent = { words: ["tea"] };
  let answered = false;
  const answer = new Promise((resolve) => (worker.onmessage = ({ data }) => { answered = true; resolve(data.words); }));
  worker.postMessage(sent);
  const atOnce = answered;
  return { answer: await answer, sent: sent.words, atOnce };
}"""


def test_a_worker_in_a_folder_answers_later_and_on_a_copy(tmp_path: Path) -> None:
    (tmp_path / "worker.js").write_text(SCRIPT)
    (tmp_path / "index.html").write_text(f"<!doctype html><script>{WORKER.read_text()}</script>")

    with launched() as browser:
        page = browser.new_page()
        page.goto((tmp_path / "index.html").as_uri())
        told = page.evaluate(ASKED)

    assert told == {"answer": ["tea", "leaf"], "sent": ["tea"], "atOnce": False}


def test_a_worker_whose_script_is_missing_says_so(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<!doctype html><script>{WORKER.read_text()}</script>")

    with launched() as browser:
        page = browser.new_page()
        page.goto((tmp_path / "index.html").as_uri())
        failed = page.evaluate("() => new Promise((told) => (new Worker('none.js').onerror = () => told(true)))")

    assert failed is True
