// Runs Vite's server with the plugin, opens its page in Chromium, and saves manifests, right and wrong ones.
//
// Standard input: { chromium, folder, plugins }. Standard output: { problems }. The folder has a fleet with the agent `pr-reviewer`;
// `plugins` is the folder with the module for Vite.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { createServer } from "vite";

import { Browser } from "../chromium.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const { default: capgen } = await import(pathToFileURL(join(job.plugins, "vite.js")));
const file = join(job.folder, "agents/pr-reviewer/capabilities.yaml");
const right = readFileSync(file, "utf8");
writeFileSync(join(job.folder, "index.html"), '<!doctype html><title>?</title><script type="module" src="/main.js"></script>');
const program = `import { parseReviewPrRequest } from "./generated/pr-reviewer.mjs";
document.title = parseReviewPrRequest({ prUrl: "x", severity: "high" }).ok ? "valid" : "invalid";`;
writeFileSync(join(job.folder, "main.js"), program);

const messages = [];
const log = (text) => void messages.push(text);
const logger = { info() {}, warn: log, warnOnce: log, error: log, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false };
const plugins = [capgen({ all: true, lang: "mjs", out: join(job.folder, "generated"), cwd: job.folder })];
const options = { root: job.folder, configFile: false, plugins, customLogger: logger, server: { host: "127.0.0.1", port: 0 } };
const server = await createServer(options);
await server.listen();
const { port } = server.httpServer.address();

const browser = new Browser(job.chromium);
const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
const send = (method, params) => browser.send(method, params, sessionId);
await send("Page.enable");

async function evaluate(expression) {
  const { result } = await send("Runtime.evaluate", { expression, returnByValue: true });
  return result.value;
}

/** Waits for a value in the page, which is loaded again meanwhile. */
async function until(expression, expected) {
  let value;
  for (let count = 0; count < 600; count++) {
    value = await evaluate(expression).catch(() => undefined);
    if (expected(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${expression} is ${JSON.stringify(value)}; ${messages.join("\n")}`);
}

const overlay = "document.querySelector('vite-error-overlay')?.shadowRoot.textContent";
const title = (expected) => until("document.title", (value) => value === expected);
const shows = (...texts) => until(overlay, (value) => value !== undefined && value !== null && texts.every((text) => value.includes(text)));
const isClosed = () => until(overlay, (value) => value === undefined || value === null);

// The code is generated before the first module is loaded.
await send("Page.navigate", { url: `http://127.0.0.1:${port}/` });
await title("valid");

// It is generated again when a manifest is saved, and the page gets it.
writeFileSync(file, right.replace("[low, med, high]", "[low, med]"));
await title("invalid");

// A finding is in the overlay, with its place and its remedy; also in a page that is opened later.
const wrong = right.replace("type: string,", "type: strin,");
assert.notEqual(wrong, right);
writeFileSync(file, wrong);
const texts = ["pr-reviewer/capabilities.yaml:16:", "error[E0105]", "unknown type \"strin\"", "did you mean `string`?"];
await shows(...texts);
await send("Page.reload");
await shows(...texts);
assert.ok(messages.some((text) => text.includes("E0105")), messages.join("\n"));
assert.match(readFileSync(join(job.folder, "generated/pr-reviewer.mjs"), "utf8"), /"med"/);

// The text of others is not acted on.
writeFileSync(file, right.replace("type: string,", 'type: "\\u001b[31m\\u202e",'));
await shows("E0105", "\\u{202e}");
assert.ok(messages.every((text) => !/[\u001b\u202e]/.test(text)));

// Other errors replace it, and the corrected file closes it.
writeFileSync(file, "version: 1\n");
await shows("error[E0202]");
writeFileSync(file, right);
await title("valid");
await isClosed();

// An agent that is new, and one that is gone.
mkdirSync(join(job.folder, "agents/second"));
writeFileSync(join(job.folder, "agents/second/capabilities.yaml"), right.replaceAll("pr-reviewer", "third"));
await shows("error[E0305]", "second/capabilities.yaml");
rmSync(join(job.folder, "agents/second"), { recursive: true });
await isClosed();
await title("valid");

await browser.close();
await server.close();
process.stdout.write(JSON.stringify({ problems: [] }));
