// Drives `cwl mcp` with the official TypeScript clients of the Model Context Protocol. Arguments: the program, the home.
import assert from "node:assert/strict";

const [program, home] = process.argv.slice(2);
const SESSION = "7ff19f61-ecb1-4db1-a001-2b67bc69826c";
const server = {
  command: program,
  args: ["mcp", "--root", "/home/dev/tidewater"],
  env: { ...process.env, HOME: home, CWL_DATA_DIR: `${home}/data`, CLAUDE_CONFIG_DIR: `${home}/claude` },
  cwd: home,
};

async function drive(client, transport, era) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ["delimiter", "cwl_sessions", "cwl_transcript", "cwl_status", "cwl_evicted", "cwl_recall"]) {
    assert.ok(names.includes(name), name);
  }
  const ask = async (name, args, refused = false) => {
    const result = await client.callTool({ name, arguments: args });
    const [{ text }] = result.content;
    assert.equal(result.isError ?? false, refused, `${name}: ${text}`);
    return text;
  };
  assert.match(await ask("delimiter", { action: "start", name: "a", type: "expl" }), /^started exploration a/);
  assert.match(await ask("delimiter", { action: "end", type: "expl" }, true), /description/);
  assert.match(await ask("cwl_status", {}), /7ff19f61/);
  const gone = await ask("cwl_evicted", { session: SESSION, query: "pool_idle" });
  const block = gone.split("\n").find((line) => line.includes("line 17")).split(" ")[0];
  assert.match(await ask("cwl_recall", { session: SESSION, block }), /pool_idle_timeout\(None\)/);
  const marks = ["b", "c", "d"].map((name) => ask("delimiter", { action: "start", name, type: "act", dependencies: [] }));
  assert.deepEqual(await Promise.all(marks), ["b", "c", "d"].map((name) => `started act ${name}`));
  await client.close();
  console.log(`typescript, ${era}: ok`);
}

const about = { name: "test", version: "1" };
const old = await import("@modelcontextprotocol/sdk/client/index.js");
const oldStdio = await import("@modelcontextprotocol/sdk/client/stdio.js");
await drive(new old.Client(about), new oldStdio.StdioClientTransport(server), "sdk, with initialize");
const { Client } = await import("@modelcontextprotocol/client");
const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
await drive(new Client(about), new StdioClientTransport(server), "client, with initialize");
const modern = new Client(about, { versionNegotiation: { mode: "auto" } });
await drive(modern, new StdioClientTransport(server), "client, 2026-07-28");
