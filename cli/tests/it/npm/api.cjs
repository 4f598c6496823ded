// Runs after api.mjs in the same project.
"use strict";

const assert = require("node:assert/strict");
const { CapgenError, check, generate } = require("@capgen/cli");

async function main() {
  assert.equal((await check({ peer: "pr-reviewer" })).ok, true);
  assert.equal((await generate({ peer: "pr-reviewer", out: "src", lang: "cjs" })).peers[0].files.length, 2);
  await assert.rejects(generate({}), CapgenError);
  // Both kinds of modules have the same class.
  assert.equal((await import("@capgen/cli")).CapgenError, CapgenError);
  console.log("passed");
}

main();
