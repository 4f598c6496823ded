// Runs after api.mjs in the same project: the functions for the other subcommands.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";

import { diff, example, exportManifest, generate, importManifest, lock, validate } from "@capgen/cli";

await rm("agents/broken", { recursive: true, force: true });
const one = { peer: "pr-reviewer" };
const request = { ...one, capability: "review-pr", side: "request" };
const good = { prUrl: "https://example.org/1", severity: "low" };

/** Checks that a result is about errors in the manifest, and has nothing else. */
function failed({ ok, diagnostics, ...others }, code, expected = {}) {
  assert.deepEqual([ok, diagnostics.map((finding) => finding.code), others], [false, [code], expected]);
  assert.ok(diagnostics[0].message.length > 0 && diagnostics[0].severity === "error");
}

// Payloads as values, as a file, and many of them.
const none = { violations: [], truncated: false, diagnostics: [] };
assert.deepEqual(await validate({ ...request, payload: good }), { ok: true, ...none });
const invalid = await validate({ ...request, payload: { severity: "urgent" } });
assert.deepEqual([invalid.ok, invalid.violations.map(({ path, keyword }) => [path, keyword])], [false, [["/prUrl", "required"], ["/severity", "enum"]]]);
const redacted = await validate({ ...request, payload: { ...good, secret: 1 }, redact: true });
assert.doesNotMatch(redacted.violations[0].message, /secret/);
await writeFile("-payload.json", "{");
assert.match((await validate({ ...request, file: "-payload.json" })).error, /line 1/);
const all = await validate({ ...request, payloads: [good, 1, "a\nb"] });
assert.deepEqual([all.ok, all.results.map(({ valid }) => valid), all.diagnostics], [false, [true, false, false], []]);
assert.deepEqual(await validate({ ...request, payloads: [] }), { ok: true, results: [], diagnostics: [] });
failed(await validate({ ...request, capability: "other", payload: 1 }), "E0502", { violations: [], truncated: false });
failed(await validate({ ...request, capability: "other", payloads: [1] }), "E0502", { results: [] });
failed(await validate({ ...request, file: "no-such-file" }), "E0503", { violations: [], truncated: false });
await assert.rejects(validate(request), { name: "TypeError", message: "exactly one of the options `payload`, `payloads`, `file` is required" });
await assert.rejects(validate({ ...request, payload: () => 1 }), { name: "TypeError", message: "the option `payload` must be a JSON value" });
await assert.rejects(validate({ payload: 1, side: "request", capability: "review-pr" }), { code: "CAPGEN_USAGE" });

// Examples are valid, and the others are not.
const { ok, payloads } = await example({ ...one, capability: "review-pr", count: 2 });
assert.deepEqual([ok, payloads.length], [true, 2]);
assert.equal((await validate({ ...request, payloads })).ok, true);
const wrong = await example({ ...one, capability: "review-pr", side: "response", invalid: true });
assert.ok(wrong.payloads.length > 3 && wrong.payloads.every(({ constraint, violations }) => constraint.startsWith("/") && violations.length > 0));
failed(await example({ ...one, capability: "other" }), "E0502", { payloads: [] });
const fixtures = (await example({ ...one, count: 1 })).payloads;
assert.deepEqual(fixtures.map(({ capability, side }) => [capability, side]), [["review-pr", "request"], ["review-pr", "response"]]);
for (const { payload, ...origin } of fixtures) assert.equal((await validate({ ...one, ...origin, payload })).ok, true);

// Changes against another file, and against a commit.
const path = "agents/pr-reviewer/capabilities.yaml";
const text = await readFile(path, "utf8");
await writeFile("new.yaml", text.replace("[low, med, high]", "[low, med]"));
const changes = await diff({ capabilities: "new.yaml", against: path });
assert.deepEqual([changes.ok, changes.bump, changes.bumps, changes.diagnostics], [false, "major", { "review-pr": "major" }, []]);
assert.deepEqual([changes.findings[0].code, changes.findings[0].level, changes.findings[0].witness.severity], ["E0708", "breaking", "high"]);
assert.equal(changes.capabilities["review-pr"].request.old_in_new, "no");
assert.equal((await diff({ capabilities: "new.yaml", against: path, level: { E0708: "safe" } })).ok, true);
await writeFile("payloads.ndjson", `${JSON.stringify(good)}\n${JSON.stringify({ ...good, severity: "high" })}\n`);
const { capability, side } = request;
const replayed = await diff({ capabilities: "new.yaml", against: path, replay: "payloads.ndjson", capability, side });
assert.deepEqual([replayed.payloads, replayed.rejected, replayed.accepted_before, replayed.first.line], [2, 1, 1, 2]);
const missing = await diff({ capabilities: "new.yaml", against: "no-such-file.yaml" });
assert.equal(missing.ok, false);
assert.ok(missing.diagnostics.length === 1 && missing.bump === undefined);

// The lock.
assert.deepEqual((await lock({ check: true })).diagnostics.map(({ code }) => code), ["E0625"]);
assert.deepEqual(await lock(), { ok: true, diagnostics: [] });
assert.deepEqual(await lock({ peer: "pr-reviewer", check: true }), { ok: true, diagnostics: [] });

// Exports, and imports of them.
const tools = await exportManifest({ ...one, format: "mcp" });
assert.deepEqual([tools.ok, tools.document.tools[0].name, tools.losses], [true, "review-pr", []]);
const imported = await importManifest({ format: "mcp", document: tools.document, agent: "pr-reviewer" });
assert.deepEqual([imported.ok, imported.diagnostics, imported.path, imported.status], [true, [], undefined, undefined]);
assert.match(imported.manifest, /^# @generated by capgen import from the tools of an MCP server/);
await writeFile("tools.json", JSON.stringify(tools.document));
const target = { format: "mcp", file: "tools.json", out: "agents/imported/capabilities.yaml", agent: "imported" };
assert.deepEqual((await importManifest({ ...target, check: true })).status, "missing");
assert.deepEqual((await importManifest(target)).status, "written");
assert.deepEqual([(await importManifest({ ...target, check: true })).ok, (await importManifest(target)).status], [true, "unchanged"]);
await writeFile("tools.json", JSON.stringify(tools.document).replace("GitHub PR URL.", "A URL."));
const stale = await importManifest({ ...target, check: true, diff: true });
assert.deepEqual([stale.ok, stale.status, stale.diagnostics.map(({ code }) => code)], [false, "stale", ["E0405"]]);
assert.match(stale.diff, /^-.*GitHub PR URL\.$/m);
failed(await importManifest({ format: "mcp", document: { tools: [{ name: "x", inputSchema: { type: "object", $dynamicRef: "#" } }] }, agent: "x" }), "E0107");
const listed = await importManifest({ format: "json-schema", document: { type: "string" }, capability: "find", side: "response", agent: "x" });
assert.match(listed.manifest, /name: find\n {4}outputSchema:\n {6}type: string/);
const server = ["node", "-e", "process.exit(3)"];
assert.equal((await importManifest({ format: "mcp", stdio: server, agent: "x", timeout: 5 })).ok, false);
for (const stdio of ["node -e 1", [], [1]]) await assert.rejects(importManifest({ format: "mcp", stdio }), TypeError);
const folder = await exportManifest({ ...one, format: "json-schema", out: "schemas" });
assert.deepEqual(folder.files.map(({ path, status }) => [path, status]).at(0), ["schemas/contract.json", "written"]);
assert.equal((await importManifest({ format: "json-schema", file: ["schemas"] })).ok, true);
assert.equal((await exportManifest({ format: "manifest-schema", file: "fleet" })).document.type, "object");
failed(await exportManifest({ capabilities: "no-such-file.yaml", format: "openapi" }), "E0304", { losses: [] });
await assert.rejects(exportManifest({ ...one, format: "a2a" }), { code: "CAPGEN_USAGE" });
await assert.rejects(importManifest({ format: "mcp", file: "tools.json", document: [] }), { name: "TypeError" });

assert.equal((await lock()).ok, true);

// Without a selection, the outputs in fleet.yaml.
await assert.rejects(generate(), { code: "CAPGEN_USAGE" });
await writeFile("fleet.yaml", "version: 1\ngenerate:\n  outputs:\n    - { peers: [pr-reviewer], lang: [mjs], out: one }\n    - { peers: all, lang: [cjs], out: two }\n");
const outputs = await generate({ check: true });
assert.deepEqual([outputs.ok, outputs.peers.map(({ peer }) => peer)], [false, ["pr-reviewer", "imported", "pr-reviewer"]]);
assert.deepEqual((await generate()).peers[0].files, ["one/pr-reviewer.d.mts", "one/pr-reviewer.mjs"].map((path) => ({ path, status: "written" })));
assert.equal((await generate({ root: ".", check: true })).ok, true);
await assert.rejects(generate({ out: "src" }), { code: "CAPGEN_USAGE" });

console.log("passed");
