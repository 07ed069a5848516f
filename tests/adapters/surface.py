"""The one surface of the tools, as a model meets it through a framework: what it takes, refuses and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from truekeep import Memory
from truekeep.adapters.common import memory_tools

Call = Callable[[str, dict[str, Any]], str]  # a tool by name, called as the framework calls it for a model
OLD, NEW = "My surname is Okada.", "My surname is now Okada-Lund."
REFUSED = "That did not work: ttl_days: is unknown; remember takes content, kind, tags, key, days"
DATED = r"- \[\d{4}-\d\d-\d\d\] "


def check_surface(call: Call, shown: Mapping[str, Mapping[str, Any]], memory: Memory) -> None:
    """All of it, on an empty memory. `shown`: by the tool's name, the JSON schema that a model is given."""
    check_what_is_shown(shown)
    check_what_is_refused(call, memory)
    check_what_is_kept(call, memory)
    check_what_is_told(call, memory)


def check_what_is_shown(shown: Mapping[str, Mapping[str, Any]]) -> None:
    ours = {schema["name"]: schema["parameters"] for schema in memory_tools("any").function_schemas}
    for name in ("remember", "recall"):
        assert [*shown[name]["properties"]] == [*ours[name]["properties"]]
        assert shown[name]["required"] == ours[name]["required"]
        for argument, field in ours[name]["properties"].items():
            assert shown[name]["properties"][argument]["description"] == field["description"]
            assert shown[name]["properties"][argument].get("default") == field.get("default")
    assert [*shown["forget"]["properties"]][:1] == ["ids"]


def check_what_is_refused(call: Call, memory: Memory) -> None:
    assert REFUSED in call("remember", {"content": "Ana drinks tea", "ttl_days": 3})
    assert "days" in call("remember", {"content": "Ana drinks tea", "days": "a while"})
    assert "content" in call("remember", {})
    assert memory.items() == []


def check_what_is_kept(call: Call, memory: Memory) -> None:
    more = {"kind": "context", "tags": ["home"], "key": "ana/city", "days": 3}
    assert "Memory stored (id: " in call("remember", {"content": "Ana lives in Oslo", **more})

    (item,) = memory.items()
    assert (item.kind, item.tags, item.key, item.source.trust) == ("context", ("home",), "ana/city", "agent")
    assert item.expires == item.created + timedelta(days=3)


def check_what_is_told(call: Call, memory: Memory) -> None:
    replaced = call("remember", {"content": "Ana lives in Rome", "key": "ana/city"})
    earlier = call("recall", {"query": "where does Ana live?", "tags": ["home"], "include_superseded": True})
    memory.remember(OLD, speaker="Kai", pinned=True)
    memory.remember(NEW, speaker="Kai", judged="now")
    doubted = call("recall", {"query": "what is the surname?", "limit": 2, "kinds": ["fact"]})

    assert re.search(rf"Memory updated \(id: \S+\)\nIt replaces:\n.*\n{DATED}Ana lives in Oslo", replaced)
    assert re.search(rf"{DATED}Ana lives in Oslo \(no longer current\) \(id: \S+\)", earlier)
    assert re.search(rf"\[\d{{4}}-\d\d-\d\d, Kai\] {OLD} \(may be outdated by: {NEW}\)", doubted)
    for text in (replaced, earlier, doubted):
        assert text.count("<recalled-memory") == text.count("</recalled-memory>") == 1
