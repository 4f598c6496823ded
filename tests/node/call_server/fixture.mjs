// Functions for the tests of servers that remember requests, of the module in the first argument: the agent `shop` of `typescript_calls.rs`.
import { createHmac } from "node:crypto";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const module = pathToFileURL(process.argv[2]);
export const { createShopClient, createShopServer } = await import(module);
export const { keyedAnswers, replaysOf } = await import(new URL(`_capgen${extname(process.argv[2])}`, module));

let ids = 0;
export const fresh = () => `id-${ids++}`;
export const never = () => new Promise(() => {});

/** A request, with changes. */
export const request = (more) => ({
  version: 1, kind: "request", messageId: fresh(), correlationId: fresh(), from: "agent://console", to: "agent://shop", capability: "any",
  payload: 1, ...more,
});

/** A request with an idempotency key. */
export const keyed = (key, more = {}) => request({ ...more, headers: { "idempotency-key": key, ...more.headers } });

/** The message that cancels a request, with changes. */
export const cancel = ({ correlationId, messageId, from, to, capability, tenantId }, more) => ({
  version: 1, kind: "control", messageId: fresh(), correlationId, causedBy: messageId, from, to, capability, tenantId,
  headers: { "capgen-control": "cancel" }, payload: { reason: "abandoned" }, ...more,
});

/** A server whose handlers of `any` count their runs. Its functions also take messages instead of texts, and give them. */
export function serverOf(any, settings) {
  const contexts = [];
  const handlers = { any: (payload, context) => (contexts.push(context), any(payload, context)), echo: (payload) => payload };
  const server = createShopServer(handlers, settings);
  const textOf = (message) => (typeof message === "string" ? message : JSON.stringify(message));
  return {
    contexts,
    handle: async (message, options) => {
      const answer = await server.handle(textOf(message), options);
      return answer && JSON.parse(answer);
    },
    control: (message) => server.control(textOf(message)),
    shutdown: server.shutdown,
  };
}

/** A handler that ends when its call does, or when the test lets it. */
export function waiting() {
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const handler = (_, { signal }) =>
    Promise.race([ended, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))]);
  return { handler, end };
}

/** Runs a test while the clock of the process is ahead by some ms. */
export async function later(ms, test) {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await test();
  } finally {
    Date.now = now;
  }
}

/** Runs a test while the clock of the process stands still, so that a slow machine does not begin another second. */
export const atOneTime = (test) => {
  const start = Date.now();
  return later(0, () => {
    Date.now = () => start;
    return test();
  });
};

/** Waits until the handler of a request has started. */
export async function started({ contexts }, count = 1) {
  while (contexts.length < count) await sleep(1);
  // Others with the same key wait for it then.
  await sleep(50);
  return contexts.at(-1);
}

export const signature = (text, secret = "secret") => createHmac("sha256", secret).update(text).digest("hex");
export const verify = (text, proof) => signature(text) === proof.signature;
export const sign = (text) => ({ keyId: "k", signature: signature(text) });
export const signed = (message, secret) => {
  const text = JSON.stringify(message);
  return `${text.slice(0, -1)},"auth":${JSON.stringify({ kind: "hmac", keyId: "k", signature: signature(text, secret) })}}`;
};
export const within = (ms, promise) => Promise.race([promise, sleep(ms, "late")]);
export const code = (answer) => answer.payload?.code;

/** Runs tests by their names. */
export async function run(tests) {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
    } catch (error) {
      console.error(`${name}: ${error.stack}`);
      process.exitCode = 1;
    }
  }
  console.log(`${Object.keys(tests).length} tests`);
  // Some handlers never end.
  process.exit();
}
