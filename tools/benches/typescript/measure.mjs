// Timing of several validators of one payload, interleaved so that other load affects all alike.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const names = ["flat", "findings", "union", "enums", "tree"];
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Generates the modules of the payloads with this checkout's capgen. */
export function generate() {
  const contracts = names.flatMap((name) => ["--capabilities", `tools/benches/payloads/${name}/capabilities.yaml`]);
  const gen = ["run", "-q", "-p", "capgen-cli", "--", "gen", ...contracts, "--lang", "javascript"];
  execFileSync("cargo", [...gen, "--out", "tools/benches/typescript/generated"], { cwd: root, stdio: "inherit" });
}

const ROUNDS = 21;
/** Nanoseconds of one validator in one round. */
const SLICE = 6e6;

function run(validate, payload, count, verdict) {
  const start = process.hrtime.bigint();
  let agreed = 0;
  for (let at = 0; at < count; at++) if (validate(payload) === verdict) agreed++;
  const time = Number(process.hrtime.bigint() - start);
  if (agreed !== count) throw new Error(verdict ? "a valid payload is rejected" : "an invalid payload is accepted");
  return time;
}

/** The least time of each validator, in nanoseconds. Each must return the verdict. */
export function least(validators, payload, verdict) {
  const counts = {};
  for (const [peer, validate] of Object.entries(validators)) {
    run(validate, payload, 300, verdict);
    counts[peer] = Math.max(1, Math.round((SLICE * 50) / run(validate, payload, 50, verdict)));
  }
  const times = Object.fromEntries(Object.keys(validators).map((peer) => [peer, Infinity]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [peer, validate] of Object.entries(validators)) {
      times[peer] = Math.min(times[peer], run(validate, payload, counts[peer], verdict) / counts[peer]);
    }
  }
  return times;
}

/** Prints the time of `capgen` and of each peer in relation to it, and keeps the ratios for `printMeans`. */
export function print(label, { capgen, ...peers }, products) {
  const shown = Object.entries(peers).map(([peer, time]) => {
    (products[peer] ??= []).push(time / capgen);
    return `${peer} ${(time / capgen).toFixed(2)}`;
  });
  console.log(`${label} capgen ${capgen.toFixed(0)} ns; times that: ${shown.join(", ")}`);
}

export function printMeans(products) {
  for (const [peer, ratios] of Object.entries(products)) {
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    console.log(`geometric mean, ${peer}: ${mean.toFixed(2)}`);
  }
}
