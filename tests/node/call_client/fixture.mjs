// Functions for the tests of clients that retry and cancel, of the module in the first argument: the agent `shop` of `typescript_calls.rs`.
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

export const { createShopClient, createShopServer, capabilities } = await import(pathToFileURL(process.argv[2]));
export const unreachable = () => Object.assign(new Error("no program receives the requests"), { code: "EAGENTRPC_NO_PEER" });

/** The text of a response to a message. */
export function response({ correlationId, messageId, from, to, capability }, payload, more = {}) {
  const envelope = { version: 1, kind: "response", messageId: "m", correlationId, causedBy: messageId, from: to, to: from, capability };
  return JSON.stringify({ ...envelope, payload, ...more });
}
export const failed = (request, payload, headers) => response(request, payload, { headers: { "capgen-status": "error", ...headers } });
export const busy = (request, more) => failed(request, { code: "EAGENTRPC_BUSY", message: "m", retryable: true, effect: "none", ...more });
export const working = (request) => response(request, null, { headers: { "capgen-frame": "working", "capgen-features": "heartbeat" } });
export const skewed = (request, more) => failed(request, { code: "EVERSION_SKEW", message: "m", retryable: true, effect: "none", ...more });

/**
 * A transport to a provider that is a function: it gets each request, with the part `at` of its address after that of requests, and
 * sends texts. `messages` are those that were sent, and `signals` those of the requests.
 */
export function provider(react = () => undefined) {
  const messages = [];
  const signals = [];
  const to = (...parts) => {
    const received = (text) => {
      const message = { ...JSON.parse(text), at: parts.join(".") };
      messages.push(message);
      return message;
    };
    async function* requestMany({ text, signal }) {
      const queue = [];
      let wake;
      signal.addEventListener("abort", () => wake?.());
      const send = (answer) => {
        queue.push(answer);
        wake?.();
      };
      signals.push(signal);
      react(received(text), send, messages.length);
      while (!signal.aborted) {
        if (queue.length > 0) yield queue.shift();
        else await new Promise((resolve) => (wake = resolve));
      }
    }
    return {
      requestMany,
      request: async (message) => {
        for await (const text of requestMany(message)) return text;
        throw new Error("aborted");
      },
      publish: async ({ text, signal }) => {
        if (signal.aborted) throw new Error("aborted");
        received(text);
      },
      at: (...more) => to(...parts, ...more),
    };
  };
  const requests = () => messages.filter(({ kind }) => kind === "request");
  const cancels = () => messages.filter(({ kind }) => kind === "control");
  return { transport: to(), messages, signals, requests, cancels };
}

/** A client with a scripted provider. */
export function scripted(react, settings) {
  const used = provider(react);
  return { ...used, client: createShopClient(used.transport, { from: "console", ...settings }) };
}

/** Waits until a condition is true. */
export async function until(condition) {
  while (!condition()) await sleep(1);
}
