// Validators of the five payloads, interleaved in one run. Prints ratios of minimum times, which other load affects least.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load, peers } from "./peers.mjs";

const names = ["flat", "findings", "union", "enums", "tree"];
const root = fileURLToPath(new URL("../..", import.meta.url));
const contracts = names.flatMap((name) => ["--capabilities", `benches/payloads/${name}/capabilities.yaml`]);
const generate = ["run", "-q", "-p", "capgen-cli", "--", "gen", ...contracts, "--lang", "javascript"];
execFileSync("cargo", [...generate, "--out", "benches/typescript/generated"], { cwd: root, stdio: "inherit" });

const ROUNDS = 21;
const SLICE = 6e6;

function run(validate, payload, count) {
  const start = process.hrtime.bigint();
  let accepted = 0;
  for (let at = 0; at < count; at++) if (validate(payload)) accepted++;
  const time = Number(process.hrtime.bigint() - start);
  if (accepted !== count) throw new Error("a valid payload is refused");
  return time;
}

const products = {};
for (const name of names) {
  const payload = JSON.parse(readFileSync(`${root}/benches/payloads/${name}/payload.json`, "utf8"));
  const validators = await peers(load(`${root}/benches/payloads/${name}/capabilities.yaml`), name);
  const counts = {};
  for (const [peer, validate] of Object.entries(validators)) {
    run(validate, payload, 300);
    counts[peer] = Math.max(1, Math.round((SLICE * 50) / run(validate, payload, 50)));
  }
  const times = Object.fromEntries(Object.keys(validators).map((peer) => [peer, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [peer, validate] of Object.entries(validators)) {
      times[peer].push(run(validate, payload, counts[peer]) / counts[peer]);
    }
  }
  const ours = Math.min(...times.capgen);
  const shown = Object.entries(times).map(([peer, list]) => {
    const ratio = Math.min(...list) / ours;
    (products[peer] ??= []).push(ratio);
    return `${peer} ${ratio.toFixed(2)}`;
  });
  console.log(`${name.padEnd(9)} capgen ${ours.toFixed(0)} ns; times that: ${shown.slice(1).join(", ")}`);
}
for (const [peer, ratios] of Object.entries(products).slice(1)) {
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  console.log(`geometric mean, ${peer}: ${mean.toFixed(2)}`);
}
