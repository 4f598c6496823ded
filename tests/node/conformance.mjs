// A generated server whose messages another program carries, line by line, or NATS: see `node_provider.rs` of the cases of calls.
import { createHmac, createPrivateKey, sign, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { serveNats } from "../../runtime/nats/npm/index.js";
import { keyOf, verifierOf } from "./agent_keys.mjs";

const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let server, counts, messages, arrived, connection;

/** Keeps a message of the server for the other program. */
function deliver(queue, text) {
  if (text === undefined) return;
  queue.push(text);
  arrived?.();
}

/** The handler of a case. */
function handlerOf({ responds, fails, afterMs }, counted) {
  return async (_, context) => {
    counted.runs++;
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, afterMs);
      context.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        counted.cancelled++;
        reject(context.signal.reason);
      });
    });
    if (fails) context.fail(fails.code, fails.message, fails.details);
    return responds;
  };
}

/** The functions that sign and verify: with a shared key, with the keys of agents, or with both. */
function signaturesOf({ key, agents, seed }) {
  const hmac = (text) => createHmac("sha256", key.secret).update(text).digest("hex");
  const isEqual = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
  const ofAgents = verifierOf(agents);
  if (!key && !ofAgents) return {};
  const verify = (text, proof) => {
    if (proof.kind === "ed25519") return ofAgents?.(text, proof) ?? false;
    return key !== null && proof.keyId === key.id && isEqual(hmac(text), proof.signature);
  };
  if (key) return { verify, sign: (text) => ({ keyId: key.id, signature: hmac(text) }) };
  const own = createPrivateKey({ key: keyOf(seed, true), format: "der", type: "pkcs8" });
  const signed = (text) => ({ keyId: "a1", signature: sign(null, Buffer.from(text), own).toString("base64url") });
  return { verify, sign: { kind: "ed25519", sign: signed } };
}

async function prepare({ module, handler, grants, nats, ...keys }) {
  const { createEchoServer, echoCapabilities } = await import(pathToFileURL(module));
  counts = { runs: 0, cancelled: 0 };
  messages = [];
  // Each version of the capability has a method.
  const handlers = new Proxy({}, { get: () => handlerOf(handler, counts) });
  const rights = Object.entries(grants).map(([agent, roles]) => [agent, { roles }]);
  const options = { receivesControl: true, ...signaturesOf(keys), ...(rights.length > 0 && { grants: Object.fromEntries(rights) }) };
  server = createEchoServer(handlers, options);
  await connection?.close();
  // The package need not be installed for the other cases.
  connection = nats && (await (await import("@nats-io/transport-node")).connect({ servers: nats.url }));
  if (nats) await serveNats(connection, server, { subject: nats.subject, queue: "echo", capabilities: echoCapabilities });
}

/** The next message, if there is one within a time. */
async function next(patienceMs) {
  if (messages.length === 0)
    await new Promise((resolve) => {
      arrived = resolve;
      setTimeout(resolve, patienceMs);
    });
  arrived = undefined;
  return messages.shift();
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.prepare) {
    write(await prepare(line.prepare).then(() => ({ prepared: true }), ({ message }) => ({ error: message })));
  } else if (line.send) {
    const queue = messages;
    const send = (text) => deliver(queue, text);
    if (line.send.to === "control") void server.control(line.send.text);
    else void server.handle(line.send.text, { send }).then(send);
    write({ sent: true });
  } else if ("next" in line) write({ message: await next(line.next) });
  else write(counts);
}
process.exit(0);
