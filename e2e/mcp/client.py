"""Drives `cwl mcp` with the official Python client of the Model Context Protocol. Arguments: the program, the home."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PROGRAM, HOME = sys.argv[1:3]
TOOLS = ["delimiter", "cwl_sessions", "cwl_transcript", "cwl_status", "cwl_evicted", "cwl_recall"]
SESSION = "7ff19f61-ecb1-4db1-a001-2b67bc69826c"


def server():
    env = dict(os.environ, HOME=HOME, CWL_DATA_DIR=f"{HOME}/data", CLAUDE_CONFIG_DIR=f"{HOME}/claude")
    return StdioServerParameters(command=PROGRAM, args=["mcp", "--root", "/home/dev/tidewater"], env=env, cwd=HOME)


def is_refused(result):
    return bool(getattr(result, "is_error", getattr(result, "isError", False)))


async def drive(client, era):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert [name for name in tools if name in TOOLS] == TOOLS, tools

    async def ask(tool, refused=False, **arguments):
        result = await client.call_tool(tool, arguments)
        text = result.content[0].text
        assert is_refused(result) == refused, (tool, arguments, text)
        return text

    assert (await ask("delimiter", action="start", name="a", type="expl")).startswith("started exploration a")
    assert "description" in await ask("delimiter", refused=True, action="end", type="expl")
    assert "7ff19f61" in await ask("cwl_status")
    gone = await ask("cwl_evicted", session=SESSION, query="pool_idle")
    line = next(line for line in gone.splitlines() if "line 17" in line)
    text = await ask("cwl_recall", session=SESSION, block=line.split()[0])
    assert "pool_idle_timeout(None)" in text, text
    assert "turn 2, lines 4 to 5" in await ask("cwl_transcript", session=SESSION)
    marks = [ask("delimiter", action="start", name=name, type="act", dependencies=[]) for name in "bcde"]
    assert await asyncio.gather(*marks) == [f"started act {name}" for name in "bcde"]
    print(f"python, {era}: ok")


async def main():
    async with stdio_client(server()) as streams, ClientSession(*streams) as client:
        about = await client.initialize()
        version = getattr(about, "protocol_version", None) or about.protocolVersion
        await drive(client, f"with initialize ({version})")
    try:
        from mcp import Client
    except ImportError:
        print("python: this client knows only the protocol with initialize")
        return
    async with Client(stdio_client(server())) as client:
        await drive(client, "as the client chooses")


asyncio.run(main())
