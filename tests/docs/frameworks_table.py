"""Writes the table of frameworks in README.md: what `make test-frameworks` runs the adapters against.

python tests/docs/frameworks_table.py
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
FRAMEWORKS = ROOT / "frameworks"

BEGIN = "<!-- The table of frameworks: python tests/docs/frameworks_table.py -->"
END = "<!-- The end of the table of frameworks. -->"
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)

Package = tuple[str, str]  # an environment, and a distribution in it


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    extra: str
    guide: str
    packages: tuple[Package, ...]


KNOWN = (
    Framework(
        "Classic AutoGen", "classic-autogen", "classic-autogen",
        (("classic", "autogen"), ("classic-0.2", "autogen-agentchat")),
    ),
    Framework("AutoGen 0.7", "autogen", "autogen", (("modern", "autogen-agentchat"), ("modern", "autogen-ext"))),
    Framework("AG2 1.x", "ag2", "ag2", (("modern", "ag2"),)),
    Framework("Microsoft Agent Framework", "agent-framework", "agent-framework", (("modern", "agent-framework-core"),)),
    Framework("LangGraph and LangChain", "langgraph", "langgraph", (("agents", "langgraph"), ("agents", "langchain"))),
    Framework("OpenAI Agents SDK", "openai-agents", "openai-agents", (("agents", "openai-agents"),)),
    Framework("CrewAI", "crewai", "crewai", (("crewai", "crewai"),)),
    Framework("Pydantic AI", "pydantic-ai", "pydantic-ai", (("pydantic-ai", "pydantic-ai-slim"),)),
    Framework("Google ADK", "google-adk", "google-adk", (("google-adk", "google-adk"),)),
    Framework("LlamaIndex", "llama-index", "llama-index", (("llama-index", "llama-index-core"),)),
    Framework("Strands Agents", "strands", "strands", (("strands", "strands-agents"),)),
    Framework("Hermes Agent", "hermes", "hermes", (("hermes", "hermes-agent"),)),
    Framework("MCP (any host that speaks it)", "mcp", "mcp", (("mcp", "mcp"), ("mcp-1", "mcp"))),
)  # fmt: skip


def pinned(environment: str) -> dict[str, str]:
    """What the tests of an environment are about: the distributions that it names with their version."""
    asked = FRAMEWORKS / f"{environment}.txt"
    return dict(PIN.findall(asked.read_text())) if asked.exists() else {}


def environments() -> list[str]:
    """All that there are."""
    names = (path.name.removesuffix(".txt") for path in FRAMEWORKS.glob("*.txt"))
    return sorted(name for name in names if not name.endswith(".constraints"))


def table() -> str:
    """One row for each framework."""
    rows = ["| framework | tested with | extra |", "| --- | --- | --- |"]
    for one in KNOWN:
        versions = [f"`{name}` {found[name]}" for place, name in one.packages if name in (found := pinned(place))]
        if versions:
            guide = f"[{one.name}](docs/how-to/{one.guide}.md)"
            rows.append(f"| {guide} | {', '.join(versions)} | `{one.extra}` |")
    return "\n".join(rows)


def page(text: str) -> str:
    """A page with the table of now."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, "README.md has lost the marks around its table of frameworks"  # noqa: PT018
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    README.write_text(page(README.read_text(encoding="utf-8")), encoding="utf-8")
