"""`/mcp` where its package is not installed; with it, tests/frameworks/mcp tries the rest."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from truekeep.adapters.common.discretion import Discreet

from .served import detail, serving


def test_without_its_package_there_is_no_such_path_and_the_log_says_what_to_install(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="truekeep.server")

    with serving(tmp_path) as served, served.caller(None) as caller:
        answer = caller.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})

    assert detail(answer, 404)["type"] == "urn:truekeep:no-such-path"
    assert "pip install '.[mcp]'" in caplog.text


@pytest.mark.parametrize(
    ("name", "path", "level", "shown"),
    [
        ("mcp.server", "/lib/mcp/server/session.py", logging.WARNING, "the MCP SDK complains in read"),
        ("mcp.server", "/lib/mcp/server/session.py", logging.INFO, None),
        ("root", "/lib/mcp/shared/session.py", logging.WARNING, "the MCP SDK complains in read"),
        ("root", "/lib/other/session.py", logging.WARNING, "said Ana drinks tea"),
        ("truekeep.server", "/lib/truekeep/server/mcp.py", logging.INFO, "said Ana drinks tea"),
    ],
)
def test_what_the_sdk_logs_is_passed_on_without_its_words(name: str, path: str, level: int, shown: str | None) -> None:
    record = logging.LogRecord(name, level, path, 1, "said %s", ("Ana drinks tea",), None, func="read")

    passed = Discreet().filter(record)

    assert (record.getMessage() if passed else None) == shown
