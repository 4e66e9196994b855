"""One prompt for the agent of Antigravity's Python package, in the conversation that the project has, if there is one.

    python antigravity.py ADDRESS CWL THRESHOLD PROMPT
"""
import asyncio
import glob
import os
import sys

from google.antigravity import Agent, GeminiAPIEndpoint, LocalAgentConfig, types
from google.antigravity.hooks import policy


async def main(address, cwl, threshold, prompt):
    endpoint = GeminiAPIEndpoint(base_url=address, api_key=os.environ["GEMINI_API_KEY"])
    kept = os.path.expanduser("~/conversations")
    known = [os.path.splitext(os.path.basename(path))[0] for path in sorted(glob.glob(kept + "/*.db"), key=os.path.getmtime)]
    more = {"conversation_id": known[0]} if known else {}
    capabilities = types.CapabilitiesConfig(**({"compaction_threshold": threshold} if threshold else {}))
    config = LocalAgentConfig(
        models=[types.ModelTarget(name="gemini-3.5-flash", types=[types.ModelType.TEXT, types.ModelType.IMAGE], endpoint=endpoint)],
        capabilities=capabilities, policies=[policy.allow_all()], workspaces=[os.getcwd()], save_dir=kept,
        mcp_servers=[types.McpStdioServer(name="cwl", command=cwl, args=["mcp"])], **more)
    async with Agent(config) as agent:
        print(await (await agent.chat(prompt)).text())


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
