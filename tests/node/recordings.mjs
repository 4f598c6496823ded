// A generated client and server whose messages another program carries, line by line: see `node_peer.rs` of the recordings of calls.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const read = async () => {
  const { value, done } = await lines.next();
  return done ? undefined : JSON.parse(value);
};
const never = () => new Promise(() => {});

/** The functions of the settings that sign and verify with a key. */
function keys(key) {
  if (!key) return {};
  const signature = (text) => createHmac("sha256", key.secret).update(text).digest("hex");
  const isEqual = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
  return {
    sign: (text) => ({ keyId: key.id, signature: signature(text) }),
    verify: (text, proof) => proof.keyId === key.id && isEqual(signature(text), proof.signature),
  };
}

let client, handle, handled, carry;

/** The reaction of the transport to the answer of the other program. */
async function answered(text) {
  const answer = await carry(text);
  if (answer === "nothing") return never();
  if (answer === "noResponders") throw Object.assign(new Error("no program receives the requests"), { code: "EAGENTRPC_NO_PEER" });
  if (answer === "disconnected") throw new Error("not connected");
  return answer.response;
}

async function prepare({ clockMs, caller, provider }, [callers, providers]) {
  Date.now = () => clockMs;
  const transport = {
    request: ({ text }) => answered(text),
    // Peers before the change of the wire receive no control messages: these go to addresses of their own.
    publish: async ({ text }) => void (JSON.parse(text).kind === "control" || (await carry(text))),
  };
  const { createShopClient } = await import(pathToFileURL(callers));
  client = createShopClient(transport, { from: "desk", ...keys(caller.key) });
  const { handleShop } = await import(pathToFileURL(providers));
  const done = [];
  handled = done;
  const handler = async (payload, context) => {
    done.push(payload);
    const { handler } = provider;
    if (handler === "breaks") throw new Error("on purpose");
    if (handler === "waits" || handler === "stops") return never();
    if (handler.fails) return context.fail(handler.fails.code, handler.fails.message);
    return handler.responds;
  };
  const settings = { ...keys(provider.key), ...(provider.tenants ? { tenants: provider.tenants } : {}) };
  handle = (text) => handleShop(text, { review: handler, ping: handler }, settings);
}

/** The outcome of a call, in the terms of both languages. */
async function call({ capability, payload, isEvent, isAbandoned, served, timeoutMs, tenant, idempotencyKey, headers }) {
  const controller = new AbortController();
  let hasEnded = false;
  let turn = Promise.resolve();
  const next = async (message) => {
    if (hasEnded) return "nothing";
    write({ message });
    const { answer } = await read();
    if (isAbandoned) controller.abort();
    return answer;
  };
  carry = (message) => (turn = turn.then(() => next(message)));
  const parent = served && { caller: "someone", capability: "ask", correlationId: "of the request", headers: {}, ...served };
  const given = { parent, timeoutMs, idempotencyKey, headers, tenantId: tenant, signal: controller.signal };
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const result = await (isEvent ? client[capability].publish(payload, options) : client[capability](payload, options));
  hasEnded = true;
  const { status, error, schemaSide: side, violations, truncated, response } = result;
  const outcome = { status, code: error?.code, message: error?.message, side, violations, truncated, finding: error?.finding };
  return { ...outcome, ...(response === undefined ? {} : { response }) };
}

for (let line; (line = await read()); ) {
  if (line.prepare) {
    await prepare(line.prepare, line.modules);
    write({ prepared: true });
  } else if (line.call) write({ outcome: await call(line.call) });
  else if ("deliver" in line) {
    const silent = new Promise((resolve) => setTimeout(resolve, line.patienceMs, null));
    write({ delivered: (await Promise.race([handle(line.deliver), silent])) ?? null });
  } else write({ handled });
}
process.exit(0);
