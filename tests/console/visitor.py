"""Somebody who visits the console without a browser, to see what a browser would hide."""

from __future__ import annotations

import re
from typing import Any

import httpx

from tests.server.served import Served
from truekeep.server.console.forms import COOKIE


class Visitor:
    """A client that keeps its cookie and sends forms as a page of the console would."""

    def __init__(self, served: Served, key: str | None = None) -> None:
        self.client = httpx.Client(base_url=served.url, timeout=30, trust_env=False)
        self.origin = served.url
        if key is not None:
            assert self.log_in(key).status_code == 303

    def log_in(self, key: str, **more: str) -> httpx.Response:
        return self.client.post("/console/login", data={"key": key, **more}, headers={"Origin": self.origin})

    @property
    def cookie(self) -> str | None:
        return self.client.cookies.get(COOKIE)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.client.get(path, headers=headers)

    def token(self, page: str = "/console/usage") -> str:
        found = re.search(r'name="token" value="([0-9a-f]{64})"', self.get(page).text)
        return found[1] if found else ""

    def post(self, path: str, **fields: Any) -> httpx.Response:
        headers = {"Origin": self.origin}
        return self.client.post(path, data={"token": self.token(), **fields}, headers=headers)

    def close(self) -> None:
        self.client.close()
