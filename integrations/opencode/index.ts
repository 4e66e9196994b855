/**
 * Eviction in OpenCode: before each request, `cwl live` decides which messages and parts are not sent.
 *
 * The plugin fails open: without an answer the request goes with all of its messages, and the user is told why.
 */
import { readFileSync } from "node:fs";
import { HeldSession } from "./session.ts";

/** Tool definition, the same as in `cwl mcp`. */
const delimiter = JSON.parse(readFileSync(new URL("../pi/delimiter.json", import.meta.url), "utf8"));

export default async function ({ client }: any) {
  const sessions = new Map<string, HeldSession>();
  const children = new Set<string>();

  const heldSession = (id: string): HeldSession => {
    let held = sessions.get(id);
    if (!held) sessions.set(id, (held = new HeldSession(id, client)));
    return held;
  };

  const release = (id: string) => {
    sessions.get(id)?.stop();
    sessions.delete(id);
  };

  return {
    async "experimental.chat.messages.transform"(_input: any, output: any) {
      const id = output.messages[0]?.info.sessionID;
      // OpenCode reads the list that it gave: a list in its place would have no effect.
      if (id) await heldSession(id).edit(output.messages);
    },

    async "experimental.session.compacting"({ sessionID }: any) {
      heldSession(sessionID).isCompacting = true;
    },

    async "experimental.chat.system.transform"({ sessionID }: any, output: any) {
      if (sessionID) heldSession(sessionID).noteSystem(output.system);
    },

    async "chat.params"({ sessionID, agent }: any) {
      heldSession(sessionID).noteAgent(agent);
    },

    async event({ event }: any) {
      const { info, sessionID } = event.properties ?? {};
      if (event.type.startsWith("session.") && info?.parentID) children.add(info.id);
      if (event.type === "session.idle" && children.has(sessionID)) release(sessionID);
      if (event.type === "session.deleted" && info) release(info.id);
    },

    async dispose() {
      [...sessions.keys()].forEach(release);
    },

    tool: {
      delimiter: {
        description: delimiter.description,
        args: delimiter.parameters.properties,
        async execute(args: any, { sessionID }: any) {
          return heldSession(sessionID).mark(args);
        },
      },
    },

    /** OpenCode takes every argument of a plugin's tool as required, but those of a schema as it says. */
    async "tool.definition"({ toolID }: any, output: any) {
      if (toolID === delimiter.name) output.jsonSchema = delimiter.parameters;
    },
  };
}
