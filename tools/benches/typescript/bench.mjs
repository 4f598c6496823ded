// Validation of the five payloads. Prints ratios of minimum times, which other load affects least.
import { readFileSync } from "node:fs";
import { generate, least, names, print, printMeans, root } from "./measure.mjs";
import { load, peers } from "./peers.mjs";

generate();
const products = {};
for (const name of names) {
  const payload = JSON.parse(readFileSync(`${root}/benches/payloads/${name}/payload.json`, "utf8"));
  const validators = await peers(load(`${root}/benches/payloads/${name}/capabilities.yaml`), name);
  print(name.padEnd(9), least(validators, payload, true), products);
}
printMeans(products);
