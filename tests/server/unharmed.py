"""What shows that a server took no harm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from .served import Served, at


def everything(caller: httpx.Client) -> list[Any]:
    assert caller.post(at("bot", "flush"), json={}).json() == {"done": True}  # verdicts and vectors come later
    paths = ["/v1/spaces", at("bot", "memories"), at("bot", "values"), at("bot", "values", "v"), at("bot", "events")]
    keys = [{**key, "last_used": None} for key in caller.get("/v1/keys").json()["keys"]]
    return [keys, *(caller.get(path).json() for path in paths)]


@contextmanager
def unharmed(served: Served, caller: httpx.Client, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever is sent, nothing is written, nothing is worth an error in the log, and the server is well."""
    before = everything(caller)
    yield
    assert everything(caller) == before
    assert [record.getMessage() for record in caplog.get_records("call") if record.levelname == "ERROR"] == []
    with served.caller(None) as stranger:
        assert stranger.get("/health").status_code == 200
