// Runs in a project with the fleet of the agent `pr-reviewer`, in which the packages are installed.
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";

import { CapgenError, check, generate } from "@capgen/cli";

assert.deepEqual(await check(), { ok: true, diagnostics: [] });
assert.deepEqual(await check({ all: true, strict: undefined, root: ".", cwd: process.cwd() }), { ok: true, diagnostics: [] });

// Generating, and finding out whether the files are up to date.
const options = { peer: "pr-reviewer", lang: ["typescript", "mjs"], out: "src", calls: true };
const missing = await generate({ ...options, check: true });
assert.deepEqual([missing.ok, missing.peers[0].files.map((file) => file.status)], [false, ["missing", "missing", "missing"]]);
const written = await generate(options);
assert.equal(written.ok, true);
const shared = ["_capgen.d.mts", "_capgen.mjs", "_capgen.ts", "index.ts", "index.mjs", "index.d.mts"];
assert.deepEqual(written.shared, shared.map((name) => ({ path: `src/${name}`, status: "written" })));
const { hash, ...peer } = written.peers[0];
assert.match(hash, /^sha256:[0-9a-f]{64}$/);
assert.deepEqual(peer, {
  peer: "pr-reviewer",
  source: "agents/pr-reviewer/capabilities.yaml",
  capabilities: ["review-pr"],
  files: ["src/pr-reviewer.d.mts", "src/pr-reviewer.mjs", "src/pr-reviewer.ts"].map((path) => ({ path, status: "written" })),
});
assert.match(await readFile("src/pr-reviewer.ts", "utf8"), /createPrReviewerClient/);
assert.equal((await generate({ ...options, check: true })).ok, true);

// Invalid manifests are results.
const path = "agents/broken/capabilities.yaml";
await mkdir("agents/broken", { recursive: true });
const text = await readFile("agents/pr-reviewer/capabilities.yaml", "utf8");
await writeFile(path, text.replace("pr-reviewer", "broken").replace("type: string,", "type: strin,"));
for (const result of [await check({ all: true }), await generate({ all: true }), await check({ capabilities: [path] })]) {
  assert.equal(result.ok, false);
  const [first] = result.diagnostics;
  const { code, severity, line, pointer } = first;
  assert.deepEqual([code, severity, first.path, line], ["E0105", "error", path, 16]);
  assert.equal(pointer, "/capabilities/0/inputSchema/properties/prUrl/type");
  assert.ok(first.message.length > 0 && first.help.length > 0);
}
assert.deepEqual((await generate({ all: true })).peers, []);

// Anything else rejects the promise.
const fails = (promise, code) =>
  assert.rejects(promise, (error) => error instanceof CapgenError && error.code === code && error.message.length > 0);
await fails(generate({}), "CAPGEN_USAGE");
await fails(generate(), "CAPGEN_USAGE");
await fails(generate({ all: true, lang: "python" }), "CAPGEN_USAGE");
await fails(check({ cwd: "no-such-folder" }), "CAPGEN_NOT_STARTED");
await assert.rejects(check({ cwd: "no-such-folder" }), /in the folder no-such-folder, which does not exist/);
await fails(check({ cwd: "package.json" }), "CAPGEN_NOT_STARTED");
await assert.rejects(check({ cwd: "package.json" }), /in the folder package.json, which is not a folder/);
await assert.rejects(check({ peers: ["a"] }), { name: "TypeError", message: "unknown option `peers`" });
await assert.rejects(generate({ peer: 1 }), { name: "TypeError", message: "the option `peer` must be a string" });
await assert.rejects(generate({ calls: "yes" }), { name: "TypeError", message: "the option `calls` must be a boolean" });
await assert.rejects(check({ signal: AbortSignal.abort() }), { name: "AbortError" });
for (const [program, code] of [["no-such-program", "CAPGEN_NOT_STARTED"], [process.execPath, "CAPGEN_FAILED"]]) {
  process.env.CAPGEN_BINARY = program;
  await fails(check(), code);
}

// A path is relative to the folder of this process, also if the program runs in another one.
await mkdir("other folder", { recursive: true });
await symlink(realpathSync("/bin/false"), "other folder/program");
process.env.CAPGEN_BINARY = "./other folder/program";
await assert.rejects(check({ cwd: "agents" }), { code: "CAPGEN_FAILED", message: "capgen ended with status 1 and without a finding" });

console.log("passed");
