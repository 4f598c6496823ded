// A generated server whose messages another program carries, line by line: see `node_provider.rs` of the cases of calls.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let server, counts, messages, arrived;

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
    if (fails) context.fail(fails.code, fails.message);
    return responds;
  };
}

async function prepare({ module, handler, key }) {
  const { createEchoServer } = await import(pathToFileURL(module));
  counts = { runs: 0, cancelled: 0 };
  messages = [];
  const signature = (text) => createHmac("sha256", key.secret).update(text).digest("hex");
  const isEqual = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
  const keys = key && {
    sign: (text) => ({ keyId: key.id, signature: signature(text) }),
    verify: (text, proof) => proof.keyId === key.id && isEqual(signature(text), proof.signature),
  };
  // Each version of the capability has a method.
  const handlers = new Proxy({}, { get: () => handlerOf(handler, counts) });
  server = createEchoServer(handlers, { receivesControl: true, ...keys });
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
    await prepare(line.prepare);
    write({ prepared: true });
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
