// Prints the nanoseconds of requests for two capabilities, in random order: node denials.mjs MODULE CALLS NAME NAME.
import { pathToFileURL } from "node:url";

const [path, calls, ...names] = process.argv.slice(2);
const { createTripsServer } = await import(pathToFileURL(path));
const handler = (payload) => payload;
const handlers = new Proxy({}, { get: () => handler, has: () => true });
// The signatures are not verified, so that their time hides nothing.
const server = createTripsServer(handlers, { grants: { someone: { roles: ["other"] } }, verify: () => ({ agent: "caller" }) });

let ids = 0;
const textOf = (capability) => {
  const messageId = `id-${ids++}`;
  return JSON.stringify({
    version: 1, kind: "request", messageId, correlationId: messageId, from: "agent://caller", to: "agent://trips", capability,
    deadline: Date.now() + 60_000, headers: { "capgen-timeout-ms": "60000" }, payload: { city: "Oslo" },
    auth: { kind: "ed25519", keyId: "a1", signature: "A".repeat(86) },
  });
};
const measured = async (name) => {
  const text = textOf(name);
  const start = process.hrtime.bigint();
  const answer = await server.handle(text);
  const end = process.hrtime.bigint();
  if (!answer.includes("EAGENTRPC_FORBIDDEN")) throw new Error(answer);
  return Number(end - start);
};

const samples = names.map(() => []);
for (let call = 0; call < 2000; call++) await measured(names[call % 2]);
for (let call = 0; call < Number(calls); call++) {
  const first = Math.random() < 0.5 ? 0 : 1;
  for (const kind of [first, 1 - first]) samples[kind].push(await measured(names[kind]));
}
console.log(JSON.stringify(samples));
await server.shutdown();
