// Generated clients and servers of the agent `trips` over NATS, which another program starts, stops and lets call: see
// `deployments.rs`.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { connect } from "@nats-io/transport-node";
import { natsTransport, serveNats } from "../../runtime/nats/npm/index.js";

const ADDRESS = "agents.trips";
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const instances = new Map();
let url;

/** Starts an instance of the agent, as the page on Node shows it. */
async function serve({ name, module }) {
  const { createTripsServer, capabilities } = await import(pathToFileURL(module));
  const connection = await connect({ servers: url });
  // Each version of the capability has a method.
  const handlers = new Proxy({}, { get: () => async (request) => request });
  const server = createTripsServer(handlers, { receivesControl: true });
  instances.set(name, { connection, service: await serveNats(connection, server, { subject: ADDRESS, queue: "trips", capabilities }) });
}

/** Ends an instance after the requests that it has received. */
async function stop({ name }) {
  const { connection, service } = instances.get(name);
  instances.delete(name);
  assert.ok(await service.stop());
  await connection.drain();
}

const callers = new Map();

/** Makes calls one after the other, and returns the codes of their errors. */
async function call({ module, payload, count }) {
  if (!callers.has(module)) {
    const { createTripsClient } = await import(pathToFileURL(module));
    callers.set(module, createTripsClient(natsTransport(await connect({ servers: url }), ADDRESS), { from: "desk", timeoutMs: 10_000 }));
  }
  const codes = [];
  for (let number = 0; number < count; number++) {
    const result = await callers.get(module).book(payload);
    if (result.status === "ok") assert.deepEqual(result.response, payload);
    else codes.push(result.error.code);
  }
  return codes;
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.url) ({ url } = line);
  if (line.serve) await serve(line.serve);
  if (line.stop) await stop(line.stop);
  write({ codes: line.call ? await call(line.call) : [] });
}
process.exit(0);
