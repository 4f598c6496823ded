import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { assertCreateEntitiesRequest, parseSearchNodesResponse, type CreateEntitiesRequest } from "../generated/memory.ts";

const client = new Client({ name: "notes", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] }));

const request: CreateEntitiesRequest = {
  entities: [{ name: "capgen", entityType: "program", observations: ["checks contracts"] }],
};
assertCreateEntitiesRequest(request);
await client.callTool({ name: "create_entities", arguments: request });

const found = await client.callTool({ name: "search_nodes", arguments: { query: "contracts" } });
const parsed = parseSearchNodesResponse(found.structuredContent);
if (parsed.ok) console.log(parsed.value.entities.map((entity) => entity.name).join());
else console.error(parsed.violations);
await client.close();
