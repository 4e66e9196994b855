#!/bin/sh
# Drives `cwl mcp` with the official Python and TypeScript clients, which it installs below the folder that it is given.
# Arguments: the program, a folder for the clients and for a home with a sample in it.
set -eu
program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/node"
folder=$(cd "$folder" && pwd)
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "mcp>=2.3,<3"
cp "$here/client.mjs" "$folder/node/client.mjs"
(cd "$folder/node" && npm install --silent --no-audit --no-fund --no-save @modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2)
rm -rf "$folder/home"
logs="$folder/home/claude/projects/-home-dev-tidewater"
mkdir -p "$logs"
cp "$here/../../samples/claude-code/compaction/input.jsonl" "$logs/7ff19f61-ecb1-4db1-a001-2b67bc69826c.jsonl"
"$folder/python/bin/python" "$here/client.py" "$program" "$folder/home"
(cd "$folder/node" && node client.mjs "$program" "$folder/home")
