"""An MCP host that remembers: one process tells its memory server something, another one starts afresh and knows.

    python examples/mcp/remember_across_processes.py

Needs `pip install '.[mcp]'` in the clone. There is no model here: this program is the host, and calls the tools that a
model would call. Works with `mcp` 1.x and 2.x.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client

SAID = "Ana is allergic to peanuts"
ASKED = "what must Ana not eat?"


async def call(at: str, tool: str, **arguments: str) -> None:
    """Start `truekeep mcp`, as a host does, and call one of its tools."""
    command = ["-m", "truekeep.cli.main", "mcp", "--space", "user:ana", "--at", at]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        result = await session.call_tool(tool, arguments)
        print(f"  {tool}({arguments})")
        for line in result.content[0].text.splitlines():
            print(f"    {line.partition(' (id:')[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.step == "first":
        asyncio.run(call(arguments.at, "remember", content=SAID))
    elif arguments.step == "second":
        asyncio.run(call(arguments.at, "recall", query=ASKED))
    else:
        with tempfile.TemporaryDirectory() as folder:
            at = arguments.at or str(Path(folder) / "memory.db")
            for step in ("first", "second"):
                print(f"{step} process", flush=True)
                subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
