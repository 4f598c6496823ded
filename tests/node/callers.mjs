// A generated client whose messages another program answers, line by line: see `node_caller.rs` of the cases of calls.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { natsTransport } from "../../runtime/nats/npm/index.js";
import { verifierOf } from "./agent_keys.mjs";

const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let client, hash, dropped, closed, outcome, messages, exchanges, arrived, connection;

/** The transport to an address: `requests`, `control` or `contract`. */
function transportAt(at, isServed) {
  const deliver = (text) => {
    messages.push({ at, text });
    arrived?.();
  };
  async function* requestMany({ text, signal }) {
    if (!isServed(at)) throw Object.assign(new Error("no program receives the requests"), { code: "EAGENTRPC_NO_PEER" });
    const answers = [];
    let wake;
    signal.addEventListener("abort", () => wake?.());
    exchanges.set(JSON.parse(text).messageId, (answer) => {
      answers.push(answer);
      wake?.();
    });
    deliver(text);
    while (!signal.aborted) {
      if (answers.length > 0) yield answers.shift();
      else await new Promise((resolve) => (wake = resolve));
    }
  }
  return {
    requestMany,
    request: async (message) => {
      for await (const text of requestMany(message)) return text;
      throw new Error("the call ended");
    },
    publish: async ({ text }) => deliver(text),
    at: (name, part) => {
      if (name === "contract" && part !== hash.slice(0, 32)) throw new Error("another contract");
      return transportAt(name, isServed);
    },
  };
}

async function prepare({ module, retry, hasOwnContract, nats, agents }) {
  const { createEchoClient, echoCapabilities } = await import(pathToFileURL(module));
  [messages, exchanges, closed, hash] = [[], new Map(), new AbortController(), echoCapabilities.search.hash];
  await connection?.close();
  // The package need not be installed for the other cases.
  connection = nats && (await (await import("@nats-io/transport-node")).connect({ servers: nats.url }));
  const transport = nats ? natsTransport(connection, nats.subject) : transportAt("requests", (at) => at !== "contract" || hasOwnContract);
  const verify = verifierOf(agents);
  client = createEchoClient(transport, { from: "caller", signal: closed.signal, ...(retry && { retry }), ...(verify && { verify }) });
}

/** The next message, if there is one within a time. */
async function next(patienceMs) {
  if (messages.length === 0)
    await new Promise((resolve) => {
      arrived = resolve;
      setTimeout(resolve, patienceMs);
    });
  arrived = undefined;
  return messages.shift() ?? null;
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.prepare) await prepare(line.prepare);
  else if (line.call) {
    const { payload, ...options } = line.call;
    dropped = new AbortController();
    outcome = client.search(payload, { ...options, signal: dropped.signal });
  } else if (line.answer) exchanges.get(line.answer.to)(line.answer.text);
  else if (line.drop) dropped.abort();
  else if (line.close) closed.abort();
  write("next" in line ? { message: await next(line.next) } : line.outcome ? { outcome: await outcome } : { done: true });
}
process.exit(0);
