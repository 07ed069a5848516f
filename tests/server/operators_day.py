"""An operator's day: what somebody does who runs Truekeep for several teams, in order, on one kind of store.

Real servers, commands and requests. Each step leaves the store as the next one finds it; at the end nothing that was
acknowledged is missing, and whatever had to go is gone. `python -m benchmarks.operator` measures it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .balancer import balancing
from .ground import Ground
from .operating import OPERATOR, Day
from .processes import PATIENCE, Running
from .team import SPACE, Team, caller, working

LINES = {"Content-Type": "application/x-ndjson"}
LATER = "tk_the-operator-in-the-afternoon"


def live(ground: Ground, folder: Path, *, clients: int = 4) -> dict[str, float]:
    """The whole day; how long things took, in seconds."""
    with ExitStack() as stack:
        balancer = stack.enter_context(balancing())
        day = Day(ground=ground, folder=folder, stack=stack, balancer=balancer, at=ground.new())
        start(day)
        acme, globex = tenants(day)
        quotas(day, globex)
        with working(Team(balancer.url, acme["key"]), clients) as team:
            team.work_on()
            probe(day, team)
            rotate(day, team, acme["id"])
            kill(day, team)
            drain(day, team)
            backup, before = back_up(day, team)
        everything_is_there(day, team)
        restored = restore(day, backup, team.key, before)
        upgrade(day)
        migrate(day, restored)
        erase(day, team)
        audit(day, team.key, acme["id"])
        leave(day, globex)
        return day.figures


def start(day: Day) -> None:
    (day.folder / "operator.key").write_text(OPERATOR)
    for workers in ("1", "2"):
        join(day, day.serve(day.at, "--workers", workers))


def join(day: Day, server: Running) -> None:
    day.servers.append(server)
    day.balancer.add(server.port)
    day.balancer.wait_for({one.port for one in day.servers})


def leave_alone(day: Day, server: Running) -> None:
    day.servers.remove(server)
    day.balancer.remove(server.port)


def stop(server: Running) -> None:
    """As it should end; with one worker it says which signal it was."""
    assert server.end() in (0, -signal.SIGTERM), server.log[-2000:]


def tenants(day: Day) -> list[dict[str, Any]]:
    made = [
        day.command("keys", "create", "--tenant", "acme", "--quota", "memories=100000", "--at", day.balancer.url),
        day.command("keys", "create", "--tenant", "globex", "--quota", "recalls_per_month=3", "--at", day.at),
    ]

    seen = {one["name"]: one for one in day.command("tenants", "list", "--at", day.balancer.url)}
    assert seen["acme"]["quotas"]["memories"] == 100_000
    assert seen["globex"]["keys"] == 1
    return made


def quotas(day: Day, globex: dict[str, Any]) -> None:
    """Another key brings nothing more, and what the operator grants counts at once, on every server."""
    child = day.asked("POST", "/v1/keys", globex["key"], json={"name": "child"}).json()

    def recalled(key: str) -> int:
        return day.asked("POST", f"{SPACE}/recall", key, json={"query": "who is there?"}).status_code

    keys = [globex["key"], child["key"]] * 2
    assert [recalled(key) for key in keys] == [200, 200, 200, 429]
    day.command("tenants", "update", "globex", "--quota", "recalls_per_month=1000", "--at", day.balancer.url)
    assert [recalled(key) for key in keys] == [200] * 4


def probe(day: Day, team: Team) -> None:
    """While everybody works: who asks for nothing is told at once, and the monitor sees all workers as one."""
    monitor = day.command("keys", "create", "--scope", "metrics", "--name", "monitor", "--at", day.balancer.url)
    began = len(team.kept)
    while len(team.kept) < began + 12:
        for server in day.servers:
            for path in ("/livez", "/readyz", "/health"):
                answer = server.ask("GET", path)
                is_starting = path == "/readyz" and "it is starting" in answer.text  # another worker may be
                assert answer.status_code == 200 or is_starting, answer.text
    told = [server.ask("GET", "/metrics", key=monitor["key"]).text for server in day.servers]
    assert all("truekeep_ready 1.0" in one and "truekeep_requests_total" in one for one in told)
    assert any("truekeep_commit_seconds_count" in one for one in told)  # one of them may have had no writes yet
    assert day.asked("GET", f"{SPACE}/memories", monitor["key"]).status_code == 403


def rotate(day: Day, team: Team, id: str) -> None:
    """The team's key while both work, then the operator's without a restart."""
    former = team.key
    team.key = day.command("keys", "rotate", id, "--grace", "1h", "--at", day.balancer.url)["key"]
    assert {day.asked("GET", "/v1/usage", key).status_code for key in (former, team.key)} == {200}

    file = day.folder / "operator.key"
    file.write_text(f"{OPERATOR}\n{LATER}\n")
    assert {day.asked("GET", "/v1/tenants", key).status_code for key in (OPERATOR, LATER)} == {200}
    file.write_text(f"{LATER}\n")
    assert [day.asked("GET", "/v1/tenants", key).status_code for key in (OPERATOR, LATER)] == [401, 200]
    day.key = LATER


def kill(day: Day, team: Team) -> None:
    """A worker, which is replaced; then a whole server, which the operator replaces."""
    single, several = day.servers
    [victim, _] = several.wait_for_workers(2)
    os.kill(victim, signal.SIGKILL)
    several.wait_for_workers(2, without=victim)
    assert f"worker {victim} ended" in several.log
    team.work_on()

    leave_alone(day, single)
    os.killpg(single.process.pid, signal.SIGKILL)
    single.process.wait()
    team.work_on()
    join(day, day.serve(day.at))


def drain(day: Day, team: Team) -> None:
    """Every server is stopped and started once, and nobody sees anything of it."""
    team.work_on()
    broken, team.longest = len(team.broken), 0.0
    for old in list(day.servers):
        with day.timed("stop"):
            stop(old)
        leave_alone(day, old)
        join(day, day.serve(day.at))
        team.work_on()
    assert team.broken[broken:] == []
    day.figures["longest wait while every server is restarted"] = team.longest


def back_up(day: Day, team: Team) -> tuple[Path, dict[str, str]]:
    """While everybody writes: what was acknowledged by then is in it."""
    before, file = dict(team.kept), day.folder / "backup"
    with day.timed("backup"):
        day.command("backup", str(file), "--at", day.at)
    team.work_on()
    return file, before


def everything_is_there(day: Day, team: Team) -> None:
    assert team.wrong == []
    found = _held(day.balancer.url, team.key)
    assert found == team.kept  # each once, however often it was sent


def _held(url: str, key: str) -> dict[str, str]:
    with caller(url, key) as client:
        told = client.get(f"{SPACE}/export").raise_for_status().text
    records = [json.loads(line) for line in told.splitlines()]
    return {one["id"]: one["content"] for one in records if one.get("type") == "item"}


def restore(day: Day, backup: Path, key: str, before: dict[str, str]) -> str:
    place = day.ground.new()
    with day.timed("restore"):
        day.command("restore", str(backup), "--to", place)
    server = day.serve(place)
    found = _held(server.url, key)
    assert found.items() >= before.items()
    stop(server)
    return place


def upgrade(day: Day) -> None:
    """A store that the last release wrote: a start migrates it; keys, quotas and memories are what they were."""
    place, key = day.ground.of_the_last_release()
    with day.timed("start that migrates"):
        server = day.serve(place)
    support = "/v1/spaces/support"
    with caller(server.url, key) as client:
        found = client.post(f"{support}/recall", json={"query": "which language does Ana prefer?"}).json()["matches"]
        assert found[0]["content"] == "Ana prefers TypeScript over JavaScript"
        assert client.get(f"{support}/values/tone").json()["value"] == {"tone": "concise"}
        cat = {"content": "The office cat is called Miso", "derived": True}
        again = client.post(f"{support}/memories", json=cat).json()
        assert again["outcome"] == "refused", again  # it was forgotten then
        assert client.get("/v1/usage").json()["quotas"]["memories"] == 500
        assert [one["name"] for one in client.get(f"{support}/checkpoints").json()["checkpoints"]] == ["yesterday"]
    stop(server)
    assert day.command("doctor", "--at", place)["ok"]


def migrate(day: Day, restored: str) -> None:
    """To another place, and what is there is the same."""
    place = day.ground.elsewhere()
    with day.timed("migrate"):
        copied = day.command("migrate", "--from", restored, "--to", place)
    assert all(one["source_hash"] == one["target_hash"] for one in copied["spaces"])
    assert day.command("check", "--at", place)["ok"]


def erase(day: Day, team: Team) -> None:
    """All that Ana said goes, and an old export does not bring it back."""
    with caller(day.balancer.url, team.key) as client:
        client.put(f"{SPACE}/values/user:ana:tone", json={"value": "brief"}).raise_for_status()
        export = client.get(f"{SPACE}/export").raise_for_status().text
        bos = client.post(
            f"{SPACE}/memories", json={"content": "Bo thinks that Ana is on leave", "speaker": "bo"}
        ).json()
        person = ("--speaker", "ana", "--values", "user:ana:*", "--tenant", "acme")
        with day.timed("erase a person"):
            receipt = day.command("erase", *person, "--yes", "--at", day.balancer.url)
        assert (receipt["items"], receipt["values"], receipt["remaining"]) == (len(team.kept), 1, 0)
        assert receipt["mentions"] == 1  # which waits for review
        client.post("/v1/spaces/elsewhere/import", content=export, headers=LINES).raise_for_status()
        assert client.get("/v1/spaces/elsewhere/memories").json()["items"] == []
    assert _held(day.balancer.url, team.key).keys() == {bos["id"]}
    kept = day.folder / "receipt.json"
    kept.write_text(json.dumps(receipt))
    day.command("erase", "--verify", str(kept), "--tenant", "acme", "--at", day.balancer.url)


def audit(day: Day, key: str, id: str) -> None:
    """Who wrote this, and what was it that somebody was told: with which key, and never the words."""
    said = day.asked("POST", f"{SPACE}/memories", key, json={"content": "Bo keeps the shelves", "speaker": "bo"}).json()
    asked = {"query": "who keeps the shelves?"}
    told = day.asked("POST", f"{SPACE}/recall", key, json=asked, headers={"X-Request-ID": "what-was-told"}).json()
    assert said["id"] in [match["id"] for match in told["matches"]]

    deadline = time.monotonic() + PATIENCE  # each worker writes its entries within five seconds
    while len(found := day.entries(said["id"])) < 2:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    assert {(one["verb"], one["key"]) for one in found} == {("remember", id), ("recall", id)}
    assert "shelves" not in json.dumps(found)
    answered = day.command("audit", "--request", "what-was-told", "--tenant", "acme", "--at", day.balancer.url)
    assert set(answered["ids"]) == {match["id"] for match in told["matches"]}


def leave(day: Day, globex: dict[str, Any]) -> None:
    """A tenant goes, and the day ends."""
    receipt = day.command("tenants", "erase", "globex", "--yes", "--at", day.balancer.url)
    assert (receipt["remaining"], receipt["keys"]) == (0, 2)
    assert day.asked("GET", "/v1/spaces", globex["key"]).status_code == 401
    for server in day.servers:
        day.balancer.remove(server.port)
        stop(server)
    assert day.command("doctor", "--at", day.at)["ok"]
