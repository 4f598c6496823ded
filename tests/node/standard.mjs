// Reads a job, as in `generated.mjs`, from stdin and writes its result to stdout, both JSON. The job is a generated TypeScript file, the names of the objects
// of a capability's request and response, and JSON texts of payloads:
//   {"file": "...", "request": "payRequest", "response": "payResponse", "payloads": [["{}", "{}"]]}
// The result has, for each pair of a request and a response, the issues that each library reports: first about the request, or, if
// it is valid, about the response; `null` if both are valid.
//   {"schemas": {"request": {}, "response": {}},
//    "results": [{"direct": [], "trpc": [], "orpc": [], "hono": [], "form": [], "mcp": ""}]}
// `mcp` is the text of the error, because the SDK returns no list. `hono` and `form`, a form of TanStack, only validate requests.
import { sValidator } from "@hono/standard-validator";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { call, os } from "@orpc/server";
import { FormApi } from "@tanstack/form-core";
import { initTRPC } from "@trpc/server";
import { Hono } from "hono";
import { job, load } from "./generated.mjs";

const module = await load(job.file);
const [request, response] = [module[job.request], module[job.response]];
/** The response that every handler returns. */
let answer;

function direct(value) {
  const { issues } = request["~standard"].validate(value);
  return issues ?? response["~standard"].validate(answer).issues ?? null;
}

const t = initTRPC.create();
const caller = t.createCallerFactory(t.router({ place: t.procedure.input(request).output(response).mutation(() => answer) }))({});

async function trpc(value) {
  try {
    const result = await caller.place(value);
    if (result !== answer) throw new Error("the response changed");
    return null;
  } catch (error) {
    const { code, cause } = error;
    if (!["BAD_REQUEST", "INTERNAL_SERVER_ERROR"].includes(code) || !cause?.issues) throw error;
    return cause.issues;
  }
}

const procedure = os.input(request).output(response).handler(() => answer);

async function orpc(value) {
  try {
    if ((await call(procedure, value)) !== answer) throw new Error("the response changed");
    return null;
  } catch (error) {
    if (!error.cause?.issues) throw error;
    return error.cause.issues;
  }
}

const app = new Hono().post("/", sValidator("json", request), (context) => context.json(context.req.valid("json")));

async function hono(value) {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
  const result = await app.request("/", init);
  const body = await result.json();
  if (result.status === 400) return body.error;
  if (JSON.stringify(body) !== JSON.stringify(value)) throw new Error(`the request changed: ${JSON.stringify(body)}`);
  return null;
}

/** A form keeps the issues by their paths, so their order is lost. */
async function form(value) {
  let submitted = null;
  const api = new FormApi({ defaultValues: value, validators: { onSubmit: request }, onSubmit: (event) => (submitted = event.value) });
  api.mount();
  await api.handleSubmit();
  const [errors] = api.state.errors;
  if (errors) return Object.values(errors).flat();
  if (JSON.stringify(submitted) !== JSON.stringify(value)) throw new Error(`the request changed: ${JSON.stringify(submitted)}`);
  return null;
}

const server = new McpServer({ name: "test", version: "1.0.0" });
server.registerTool("call", { inputSchema: request, outputSchema: response }, async () => ({
  structuredContent: answer,
  content: [{ type: "text", text: JSON.stringify(answer) }],
}));
const client = new Client({ name: "test", version: "1.0.0" });
const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
const { tools } = await client.listTools();

async function mcp(value) {
  let result;
  try {
    result = await client.callTool({ name: "call", arguments: value });
  } catch (error) {
    return error.message;
  }
  if (result.isError) return result.content[0].text;
  if (JSON.stringify(result.structuredContent) !== JSON.stringify(answer)) throw new Error("the response changed");
  return null;
}

const results = [];
for (const [first, second] of job.payloads) {
  const value = JSON.parse(first);
  answer = JSON.parse(second);
  const result = { direct: direct(value), hono: await hono(value), form: await form(value), mcp: await mcp(value) };
  results.push({ ...result, trpc: await trpc(value), orpc: await orpc(value) });
}
const [{ inputSchema, outputSchema }] = tools;
process.stdout.write(JSON.stringify({ schemas: { request: inputSchema, response: outputSchema }, results }));
await client.close();
