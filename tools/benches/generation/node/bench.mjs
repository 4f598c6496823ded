// Prints the CPU time, in µs, that json-schema-to-typescript takes for every schema of a manifest.
import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const manifest = JSON.parse(readFileSync(process.argv[2], "utf8"));
const options = { format: false, bannerComment: "", additionalProperties: false };
await compile({ type: "object" }, "WarmUp", options);
const start = process.cpuUsage();
let bytes = 0;
for (const { name, inputSchema } of manifest.capabilities) {
  bytes += (await compile(inputSchema, `${name}-request`, options)).length;
}
const { user, system } = process.cpuUsage(start);
if (bytes === 0) throw new Error("nothing was generated");
console.log(user + system);
