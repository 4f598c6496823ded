// Calls the agent `reviewer` with the official SDK: node sdk.mjs v1|v2 PROGRAM (stdio) or URL (HTTP). Writes the answers as JSON.
import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [version, place] = process.argv.slice(2);
const isUrl = place.startsWith("http");
const [Client, Stdio, Http] =
  version === "v1" ? [ClientV1, StdioV1, HttpV1] : [v2.Client, StdioV2, v2.StreamableHTTPClientTransport];
const transport = isUrl ? new Http(new URL(place)) : new Stdio({ command: place });
// Version 2 finds out the revision by `server/discover` only if it is asked to.
const client = new Client({ name: "sdk", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(transport);
const { tools } = await client.listTools();
const files = { "a.rs": { kind: "added", text: "x.unwrap()" } };
const call = (name, args) => client.callTool({ name, arguments: args });
const review = await call("review-change", { repository: "https://example.com/r", files });
const invalid = await call("review-change", { repository: 3, files });
const rules = await call("list-rules", { value: null });
const unknown = await call("other", {}).then(
  () => "no error",
  (error) => error.code,
);
const seats = {};
for (const trip of ["free", "full", "invalid", "other"]) seats[trip] = await call("book-seats", { trip });
const server = client.getServerVersion();
const revision = client.getNegotiatedProtocolVersion?.();
await client.close();
process.stdout.write(JSON.stringify({ server, revision, tools: tools.map(({ name }) => name), review, invalid, rules, unknown, seats }));
