// Generated clients and servers of the agent `trips` over NATS, which another program starts, stops and lets call: see
// `deployments.rs`.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { connect } from "@nats-io/transport-node";

const ADDRESS = "agents.trips";
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const instances = new Map();
let url;

/** Starts an instance of the agent, as the page on Node shows it. */
async function serve({ name, module }) {
  const { createTripsServer, tripsCapabilities } = await import(pathToFileURL(module));
  const connection = await connect({ servers: url });
  const server = createTripsServer({ book: async (request) => request }, { receivesControl: true });
  const answer = async (message) => {
    const send = (text) => message.respond(text);
    const response = await server.handle(message.string(), { send });
    if (response !== undefined) send(response);
  };
  const addresses = [ADDRESS, `${ADDRESS}.contract.${tripsCapabilities.book.hash.slice(0, 32)}`];
  const subscriptions = addresses.map((address) =>
    connection.subscribe(address, { queue: "trips", callback: (_, message) => void answer(message) }),
  );
  connection.subscribe(`${ADDRESS}.control`, { callback: (_, message) => void server.control(message.string()) });
  await connection.flush();
  instances.set(name, { connection, server, subscriptions });
}

/** Ends an instance after the requests that it has received. */
async function stop({ name }) {
  const { connection, server, subscriptions } = instances.get(name);
  instances.delete(name);
  await Promise.all(subscriptions.map((subscription) => subscription.drain()));
  assert.ok(await server.shutdown(5000));
  await connection.drain();
}

/** The transport of a client over a connection. */
const transportOf = (connection) => ({
  async request({ text, timeoutMs }) {
    return (await connection.request(ADDRESS, text, { timeout: timeoutMs })).string();
  },
  async publish({ text }) {
    connection.publish(ADDRESS, text);
  },
});

const callers = new Map();

/** Makes calls one after the other, and returns the codes of their errors. */
async function call({ module, payload, count }) {
  if (!callers.has(module)) {
    const { createTripsClient } = await import(pathToFileURL(module));
    callers.set(module, createTripsClient(transportOf(await connect({ servers: url })), { from: "desk", timeoutMs: 10_000 }));
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
