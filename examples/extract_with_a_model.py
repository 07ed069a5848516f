"""What a language model finds in a conversation, what that cost, and what happens without the model.

    python examples/extract_with_a_model.py --base-url http://localhost:11434/v1 --model qwen3:8b
    python examples/extract_with_a_model.py --stand-in

With `--stand-in` a few lines of this file play the endpoint, so that you see it work without a model: it suggests two
things that were said and one that was not. A key for the endpoint is read from TRUEKEEP_LLM_KEY.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from truekeep import Memory, settings
from truekeep.extractors.llm import Budget, LLMExtractor

CONVERSATION = """\
Ana: The warehouse in Gdynia closes for stocktaking on the last Friday of every quarter.
Assistant: Noted. Should I move the deliveries?
Ana: Yes please. And from now on Piotr signs for the cold goods, not me."""

SUGGESTED = [
    (0, "closes for stocktaking on the last Friday of every quarter", "fact"),
    (2, "Piotr signs for the cold goods", "decision"),
    (2, "Piotr drives the lorry to Gdansk", "fact"),
]


class StandIn(BaseHTTPRequestHandler):
    """Answers as a model would."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        items = [
            {"message": message, "quote": quote, "content": quote, "kind": kind} for message, quote, kind in SUGGESTED
        ]
        choice = {"index": 0, "message": {"role": "assistant", "content": json.dumps({"items": items})}}
        usage = {"prompt_tokens": 612, "completion_tokens": 118}
        body = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: object) -> None:
        """Quiet."""


@contextmanager
def stand_in() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), StandIn) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def show(base_url: str, model: str, key: str | None) -> None:
    extractor = LLMExtractor(base_url, model, key=key, budget=Budget(calls=100))
    with Memory("warehouse", at=":memory:", extractor=extractor) as memory:
        done = memory.extract(CONVERSATION, session="monday")
    for one in done.remembered:
        print(f"{one.item.kind:<10} {one.item.content}")
    report = done.report
    if report is not None:
        tokens = report.prompt_tokens + report.completion_tokens
        print(f"{report.calls} call(s), {tokens} tokens, {report.dropped} suggestion(s) that nobody said")
        print(f"done by {'the rules: ' + report.fallback if report.fallback else 'the model'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default="http://localhost:11434/v1")
    parser.add_argument("--model", default="qwen3:8b")
    parser.add_argument("--stand-in", action="store_true", help="play the endpoint")
    arguments = parser.parse_args()
    if arguments.stand_in:
        with stand_in() as url:
            show(url, "stand-in", None)
    else:
        show(arguments.base_url, arguments.model, settings.secret("TRUEKEEP_LLM_KEY"))


if __name__ == "__main__":
    main()
