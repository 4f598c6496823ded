// Size of the validators of `examples/fleet`, minified and gzipped, compared with Ajv's standalone code for the same schemas.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { build } from "esbuild";
import { parse } from "yaml";
import { root } from "./measure.mjs";

const fleet = `${root}/examples/fleet`;
const { agents } = parse(readFileSync(`${fleet}/fleet.yaml`, "utf8"));

/** The size in bytes of the bundle of some modules, each given by its text. */
async function size(texts) {
  const modules = {
    name: "modules",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^module:/ }, ({ path }) => ({ path, namespace: "module" }));
      // The code that the generated files share.
      onResolve({ filter: /^\.\/_capgen\.js$/ }, () => ({ path: `${root}/generated/_capgen.ts` }));
      onLoad({ filter: /.*/, namespace: "module" }, ({ path }) => {
        return { contents: texts[path.slice(7)], loader: "ts", resolveDir: import.meta.dirname };
      });
    },
  };
  const contents = texts.map((_, at) => `export * as agent${at} from "module:${at}";`).join("\n");
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false, plugins: [modules] };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: import.meta.dirname } });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

async function sizes(texts) {
  let sum = 0;
  for (const text of texts) sum += await size([text]);
  return [await size(texts), sum];
}

function ajv({ id, path }, options) {
  const contract = parse(readFileSync(`${fleet}/${path}/capabilities.yaml`, "utf8"));
  const code = { source: true, esm: true };
  const instance = new Ajv.default({ code, allowUnionTypes: true, strictRequired: false, strictTypes: false, ...options });
  addFormats.default(instance);
  const names = {};
  for (const { name, inputSchema, outputSchema } of contract.capabilities) {
    for (const [side, schema] of Object.entries({ request: inputSchema, response: outputSchema })) {
      if (!schema) continue;
      const key = `${id} ${name} ${side}`;
      instance.addSchema(schema, key);
      names[key.replaceAll(/\W/g, "_")] = key;
    }
  }
  return standalone.default(instance, names);
}

const generated = agents.map(({ id }) => readFileSync(`${root}/generated/${id}.ts`, "utf8"));
// A bundler drops constants, the table of capabilities and the class of errors if they are not used.
const functions = (text) => text.replaceAll(/^export (?=const )/gm, "").replaceAll(/^export \{[^}]*\};$/gm, "");
// Ajv's validators are the counterpart of `parse`.
const unexported = (text) => text.replaceAll(/^export (?=function (?!parse))/gm, "");
const rows = {
  "capgen, functions": await sizes(generated.map(functions)),
  "capgen, `parse` alone": await sizes(generated.map((text) => unexported(functions(text)))),
  "capgen, everything": await sizes(generated),
  "Ajv": await sizes(agents.map((agent) => ajv(agent, {}))),
  "Ajv, allErrors": await sizes(agents.map((agent) => ajv(agent, { allErrors: true }))),
};
for (const [name, [one, apart]] of Object.entries(rows)) {
  console.log(`${name.padEnd(22)} one bundle ${one}, a file an agent ${apart}`);
}
