// Runs the programs of this folder with generated modules over NATS, by lines of JSON: see `errors_between_languages.rs`.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { connect } from "@nats-io/transport-node";
import ts from "typescript";
import { natsTransport, serveNats } from "../../../runtime/nats/npm/index.js";

const compilerOptions = { target: "es2022", module: "esnext", verbatimModuleSyntax: true };

/** A program of this folder without its types, beside the generated module in a folder. */
async function program(name, folder) {
  const text = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8").replaceAll("./trips.js", "./trips.mjs");
  writeFileSync(`${folder}/${name}.mjs`, ts.transpileModule(text, { compilerOptions }).outputText);
  return import(pathToFileURL(`${folder}/${name}.mjs`));
}

async function serve({ folder, url, subject }) {
  const [{ handlers }, { createTripsServer, capabilities }] = [await program("provider", folder), await import(pathToFileURL(`${folder}/trips.mjs`))];
  const server = createTripsServer(handlers, { receivesControl: true, onError: () => {} });
  await serveNats(await connect({ servers: url }), server, { subject, queue: "trips", capabilities });
  return "serving";
}

async function call({ folder, url, subject, cases }) {
  const { outcomes } = await program("caller", folder);
  const connection = await connect({ servers: url });
  const found = await outcomes(natsTransport(connection, subject), cases);
  await connection.close();
  return found;
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  process.stdout.write(`${JSON.stringify(await (line.serve ? serve(line.serve) : call(line.call)))}\n`);
}
process.exit(0);
