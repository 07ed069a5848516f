"""A team that works on, whatever happens to the servers, and knows what was acknowledged and how long it waited."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from .processes import PATIENCE

SPACE = "/v1/spaces/team"
PAUSE = 0.2  # seconds that a client thinks


def caller(url: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, headers={"Authorization": f"Bearer {key}"})


@dataclass(slots=True)
class Team:
    """Clients that write and read back, each on one connection as long as that lasts."""

    url: str
    key: str
    kept: dict[str, str] = field(default_factory=dict)  # content by id, of all that was acknowledged
    broken: list[str] = field(default_factory=list)  # what came instead of an answer; asked again then
    wrong: list[str] = field(default_factory=list)  # answers that nobody should get
    longest: float = 0.0  # seconds that anybody waited for an answer, with all that was asked again
    ended: threading.Event = field(default_factory=threading.Event)

    def work_on(self, more: int = 12) -> None:
        """Return when so many more things were kept: whatever has just happened, happened under load."""
        enough, deadline = len(self.kept) + more, time.monotonic() + PATIENCE
        while len(self.kept) < enough:
            assert time.monotonic() < deadline, f"nobody gets on: {self.broken[-3:]} {self.wrong[-3:]}"
            time.sleep(0.02)

    def work(self, name: int) -> None:
        client = caller(self.url, self.key)
        turn = 0
        while not self.ended.is_set():
            turn += 1
            content = f"Parcel {name}-{turn} lies on shelf {turn}"
            began = time.monotonic()
            id = self._tell(client, content, f"parcel-{name}-{turn}")
            if id is not None:
                self._read(client, id, content)
            self.longest = max(self.longest, time.monotonic() - began)
            if self.key not in client.headers["Authorization"]:  # it was given another one meanwhile
                client.headers["Authorization"] = f"Bearer {self.key}"
            self.ended.wait(PAUSE)
        client.close()

    def _tell(self, client: httpx.Client, content: str, once: str) -> str | None:
        """Until it is acknowledged: whoever asks again under the same name is not told twice."""
        said = {"content": content, "speaker": "ana"}
        answer = self._asked(client, "POST", f"{SPACE}/memories", json=said, headers={"Idempotency-Key": once})
        if answer.status_code != 201:
            self.wrong.append(f"{answer.status_code} {answer.text}")
            return None
        id: str = answer.json()["id"]
        self.kept[id] = content
        return id

    def _read(self, client: httpx.Client, id: str, content: str) -> None:
        answer = self._asked(client, "GET", f"{SPACE}/memories/{id}")
        if answer.status_code != 200 or answer.json()["content"] != content:
            self.wrong.append(f"{answer.status_code} {answer.text}")

    def _asked(self, client: httpx.Client, method: str, path: str, **more: object) -> httpx.Response:
        while True:
            try:
                return client.request(method, path, **more)  # type: ignore[arg-type]  # as they are given
            except httpx.TransportError as error:
                self.broken.append(repr(error))
                assert len(self.broken) < 1000, self.broken[-1]
                time.sleep(PAUSE)


@contextmanager
def working(team: Team, clients: int) -> Iterator[Team]:
    with ThreadPoolExecutor(clients) as threads:
        at_work: list[Future[None]] = [threads.submit(team.work, number) for number in range(clients)]
        try:
            yield team
        finally:
            team.ended.set()
        for one in at_work:
            one.result(PATIENCE)
