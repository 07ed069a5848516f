"""One request for every route of the app. A route without one here fails the tests that walk them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

Route = tuple[str, str]  # method and pattern of the path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request. `SPACE` and `ID` in its body stand for a name and an id that somebody has."""

    body: Any = None
    query: str = ""
    public: bool = False  # answers alike to everybody
    operator: bool = False  # for the operator alone


MISSING = "00000000-0000-7000-8000-000000000000"
TALK = [{"role": "user", "content": "I prefer tea over coffee."}, {"role": "assistant", "content": "Noted."}]

NATIVE: dict[Route, Ask] = {
    ("GET", "/openapi.json"): Ask(public=True),
    ("HEAD", "/openapi.json"): Ask(public=True),
    ("GET", "/"): Ask(public=True),
    ("GET", "/health"): Ask(public=True),
    ("GET", "/livez"): Ask(public=True),
    ("GET", "/readyz"): Ask(public=True),
    ("GET", "/metrics"): Ask(operator=True),
    ("GET", "/v1/check"): Ask(operator=True),
    ("GET", "/v1/backup"): Ask(operator=True),
    ("GET", "/v1/audit"): Ask(query="limit=1000"),
    ("GET", "/v1/tenants"): Ask(operator=True),
    ("PATCH", "/v1/tenants/{tenant}"): Ask(operator=True, body={"quotas": {"memories": 9}}),
    ("DELETE", "/v1/tenants/{tenant}"): Ask(operator=True),
    ("POST", "/v1/spaces/{space}/memories"): Ask(body={"content": "Cleo likes cocoa"}),
    ("GET", "/v1/spaces/{space}/memories"): Ask(query="include_superseded=true"),
    ("GET", "/v1/spaces/{space}/memories/{id}"): Ask(),
    ("PATCH", "/v1/spaces/{space}/memories/{id}"): Ask(body={"content": "changed"}),
    ("DELETE", "/v1/spaces/{space}/memories/{id}"): Ask(),
    ("GET", "/v1/spaces/{space}/memories/{id}/history"): Ask(),
    ("POST", "/v1/spaces/{space}/memories/{id}/release"): Ask(),
    ("GET", "/v1/spaces/{space}/review"): Ask(),
    ("POST", "/v1/spaces/{space}/resolve"): Ask(body={"suspicion": f"{MISSING}:{MISSING}", "keep": "newer"}),
    ("POST", "/v1/spaces/{space}/forget"): Ask(body={"session": "monday"}),
    ("POST", "/v1/spaces/{space}/checkpoints"): Ask(body={"name": "another"}),
    ("GET", "/v1/spaces/{space}/checkpoints"): Ask(),
    ("DELETE", "/v1/spaces/{space}/checkpoints/{name}"): Ask(),
    ("GET", "/v1/spaces/{space}/diff"): Ask(query="since=start"),
    ("POST", "/v1/spaces/{space}/restore"): Ask(body={"checkpoint": "start"}),
    ("POST", "/v1/spaces/{space}/fork"): Ask(body={"name": "SPACE"}),
    ("POST", "/v1/spaces/{space}/recall"): Ask(body={"query": "what does anybody like?", "limit": 50}),
    ("POST", "/v1/spaces/{space}/answerable"): Ask(body={"query": "what does anybody like?"}),
    ("POST", "/v1/spaces/{space}/context"): Ask(body={"query": "what does anybody like?"}),
    ("POST", "/v1/spaces/{space}/explain"): Ask(body={"query": "what does anybody like?", "id": "ID"}),
    ("POST", "/v1/spaces/{space}/extract"): Ask(body={"messages": TALK, "session": "monday"}, query="wait=true"),
    ("GET", "/v1/spaces/{space}/values"): Ask(),
    ("GET", "/v1/spaces/{space}/values/{key}"): Ask(),
    ("PUT", "/v1/spaces/{space}/values/{key}"): Ask(body={"value": "changed"}),
    ("DELETE", "/v1/spaces/{space}/values/{key}"): Ask(),
    ("POST", "/v1/spaces/{space}/values/{key}/append"): Ask(body={"element": "changed"}),
    ("POST", "/v1/spaces/{space}/values/{key}/increment"): Ask(body={"by": 5}),
    ("GET", "/v1/spaces"): Ask(),
    ("GET", "/v1/spaces/{space}"): Ask(),
    ("DELETE", "/v1/spaces/{space}"): Ask(),
    ("GET", "/v1/spaces/{space}/sessions"): Ask(),
    ("GET", "/v1/spaces/{space}/export"): Ask(),
    ("POST", "/v1/spaces/{space}/import"): Ask(body={"type": "nothing"}),
    ("GET", "/v1/spaces/{space}/events"): Ask(),
    ("POST", "/v1/spaces/{space}/flush"): Ask(body={"limit": 5}),
    ("GET", "/v1/feed"): Ask(),
    ("GET", "/v1/feed/{reader}"): Ask(),
    ("POST", "/v1/feed/{reader}"): Ask(body={"positions": {"bot": 1}}),
    ("DELETE", "/v1/feed/{reader}"): Ask(),
    ("POST", "/v1/webhooks"): Ask(body={"url": "https://example.org/hook", "spaces": ["team-*"]}),
    ("GET", "/v1/webhooks"): Ask(),
    ("DELETE", "/v1/webhooks/{id}"): Ask(),
    ("GET", "/v1/webhooks/{id}/dead"): Ask(),
    ("POST", "/v1/webhooks/{id}/retry"): Ask(body={}),
    ("POST", "/v1/webhooks/{id}/test"): Ask(),
    ("POST", "/v1/erasures"): Ask(body={"speakers": ["betamark"], "values": ["prof*"]}),
    ("GET", "/v1/erasures"): Ask(),
    ("GET", "/v1/erasures/{id}"): Ask(),
    ("POST", "/v1/erasures/verify"): Ask(body={"receipt": {"id": MISSING}}),
    ("POST", "/v1/erasures/admit"): Ask(body={"speakers": ["betamark"]}),
    ("POST", "/v1/keys"): Ask(body={"name": "another"}),
    ("GET", "/v1/keys"): Ask(),
    ("POST", "/v1/keys/{id}/rotate"): Ask(),
    ("PATCH", "/v1/keys/{id}"): Ask(body={"name": "renamed"}),
    ("DELETE", "/v1/keys/{id}"): Ask(),
    ("GET", "/v1/jobs"): Ask(),
    ("GET", "/v1/jobs/{id}"): Ask(),
    ("GET", "/v1/usage"): Ask(),
}
DIALECTS: dict[Route, Ask] = {
    ("POST", "/v1/memory/remember"): Ask(body={"content": "Cleo likes cocoa"}),
    ("GET", "/v1/memory/recall"): Ask(query="q=what+does+anybody+like"),
    ("GET", "/v1/memory/list"): Ask(),
    ("DELETE", "/v1/memory/forget/{id}"): Ask(),
    ("GET", "/memory/{namespace}"): Ask(),
    ("GET", "/memory/{namespace}/{key:path}"): Ask(),
    ("PUT", "/memory/{namespace}/{key:path}"): Ask(body={"value": "changed"}),
    ("DELETE", "/memory/{namespace}/{key:path}"): Ask(),
    ("GET", "/api/v1/agents"): Ask(),
    ("POST", "/api/v1/agents"): Ask(body={"name": "another", "description": ""}),
    ("DELETE", "/api/v1/agents/{agent_id}"): Ask(),
    ("POST", "/api/v1/agents/{agent_id}/remember"): Ask(body={"content": "Cleo likes cocoa"}),
    ("POST", "/api/v1/agents/{agent_id}/recall"): Ask(body={"query": "what does anybody like?"}),
    ("POST", "/api/v1/agents/{agent_id}/inject-context"): Ask(body={"message": "what does anybody like?"}),
    ("GET", "/api/v1/agents/{agent_id}/sessions"): Ask(),
    ("GET", "/api/v1/agents/{agent_id}/memories"): Ask(),
    ("DELETE", "/api/v1/agents/{agent_id}/memories"): Ask(),
    ("DELETE", "/api/v1/agents/{agent_id}/memories/{id}"): Ask(),
    ("POST", "/memories/seed"): Ask(body={"agent_id": "SPACE", "content": "Cleo likes cocoa"}),
    ("POST", "/memories/extract"): Ask(body={"agent_id": "SPACE", "conversation": TALK}),
    ("POST", "/v1/extract"): Ask(body={"agent_id": "SPACE", "content": "Cleo: I prefer cocoa."}),
    ("GET", "/memories/extract/{job_id}"): Ask(),
    ("POST", "/recall"): Ask(body={"agent_id": "SPACE", "query": "what does anybody like?", "limit": 50}),
    ("POST", "/v1/recall"): Ask(body={"agent_id": "SPACE", "query": "what does anybody like?"}),
}
CASES = NATIVE | DIALECTS
PAGES = ("/console", "/docs")
CONSOLE: dict[Route, Ask] = {  # pages and forms rather than JSON: tests/console walks them; a form is its body
    ("GET", "/console"): Ask(),
    ("GET", "/console/"): Ask(public=True),
    ("GET", "/console/static/{version}/{name}"): Ask(public=True),
    ("GET", "/docs"): Ask(public=True),
    ("GET", "/console/login"): Ask(public=True),
    ("POST", "/console/login"): Ask(body={"key": "tk_wrong"}, public=True),
    ("POST", "/console/logout"): Ask(body={}),
    ("GET", "/console/open"): Ask(query="name=bot"),
    ("GET", "/console/jobs"): Ask(),
    ("GET", "/console/usage"): Ask(),
    ("GET", "/console/tenants"): Ask(operator=True),
    ("GET", "/console/audit"): Ask(query="verb=remember"),
    ("GET", "/console/keys"): Ask(),
    ("POST", "/console/keys"): Ask(body={"name": "another"}),
    ("POST", "/console/keys/{id}/rotate"): Ask(body={}),
    ("POST", "/console/keys/{id}/revoke"): Ask(body={}),
    ("GET", "/console/spaces/{space}/items"): Ask(query="query=what+does+anybody+like&superseded=1"),
    ("POST", "/console/spaces/{space}/items"): Ask(body={"content": "Cleo likes cocoa", "key": "who/drink"}),
    ("GET", "/console/spaces/{space}/recall"): Ask(query="query=what+does+anybody+like"),
    ("GET", "/console/spaces/{space}/explain"): Ask(query="query=what+does+anybody+like&id=ID"),
    ("POST", "/console/spaces/{space}/bulk"): Ask(body={"id": "ID", "action": "pin"}),
    ("GET", "/console/spaces/{space}/forget"): Ask(query="id=ID"),
    ("POST", "/console/spaces/{space}/forget"): Ask(body={"id": "ID"}),
    ("POST", "/console/spaces/{space}/examples"): Ask(body={}),
    ("POST", "/console/spaces/{space}/examples/forget"): Ask(body={}),
    ("GET", "/console/spaces/{space}/items/{id}"): Ask(),
    ("POST", "/console/spaces/{space}/items/{id}"): Ask(body={"content": "changed", "kind": "fact"}),
    ("GET", "/console/spaces/{space}/items/{id}/text"): Ask(),
    ("GET", "/console/spaces/{space}/items/{id}/edit"): Ask(),
    ("GET", "/console/spaces/{space}/review"): Ask(),
    ("POST", "/console/spaces/{space}/review"): Ask(body={"id": "ID", "action": "release"}),
    ("GET", "/console/spaces/{space}/history"): Ask(query="since=start"),
    ("POST", "/console/spaces/{space}/history"): Ask(body={"name": "another", "action": "checkpoint"}),
    ("GET", "/console/spaces/{space}/history/restore"): Ask(query="since=start"),
    ("POST", "/console/spaces/{space}/history/restore"): Ask(body={"checkpoint": "start"}),
    ("GET", "/console/spaces/{space}/map"): Ask(),
    ("GET", "/console/spaces/{space}/map/points"): Ask(),
    ("GET", "/console/spaces/{space}/values"): Ask(),
    ("POST", "/console/spaces/{space}/values"): Ask(body={"key": "another", "value": "1"}),
    ("GET", "/console/spaces/{space}/values/{key}"): Ask(),
    ("POST", "/console/spaces/{space}/values/{key}"): Ask(body={"value": "1", "version": "1"}),
}


def routes_of(app: FastAPI) -> Iterator[Route]:
    """The routes of the API. What `/mcp` speaks is another protocol: tests/frameworks/mcp walks it."""
    return (route for route in _all_routes_of(app) if not route[1].startswith((*PAGES, "/mcp")))


def console_routes_of(app: FastAPI) -> Iterator[Route]:
    return (route for route in _all_routes_of(app) if route[1].startswith(PAGES))


def _all_routes_of(app: FastAPI) -> Iterator[Route]:
    for context in iter_route_contexts(app.routes):
        for method in sorted(context.methods or ()):
            yield method, str(context.path)


def name_of(route: Route) -> str:
    return " ".join(route)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What stands for the parameters of a path and for the words in a body."""

    space: str
    id: str
    value: str
    job: str
    key: str
    webhook: str = "none"

    def path(self, route: Route) -> str:
        pattern = route[1]
        of_key, of_job = pattern.startswith(("/v1/keys", "/console/keys")), pattern.startswith("/v1/jobs")
        id = self.key if of_key else self.job if of_job else self.id
        id = self.webhook if pattern.startswith("/v1/webhooks") else id
        given = {"{space}": self.space, "{namespace}": self.space, "{agent_id}": self.space}
        given |= {
            "{id}": id,
            "{key}": self.value,
            "{key:path}": self.value,
            "{job_id}": self.job,
            "{name}": "start",
            "{tenant}": "nobody",
            "{reader}": "crm",
        }
        for parameter, name in given.items():
            pattern = pattern.replace(parameter, name)
        assert "{" not in pattern, f"say what stands for the parameters of {pattern}"
        return pattern

    def body(self, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: {"ID": self.id, "SPACE": self.space}.get(str(value), value) for name, value in given.items()}
