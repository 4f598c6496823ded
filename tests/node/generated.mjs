// Loads generated TypeScript, with the module that the files share. The job of a script is `{"shared": "...", "job": ...}`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";

// Packages that a script imports can make the standard input non-blocking, so it cannot be read synchronously.
const { shared, job } = JSON.parse(await text(process.stdin));
const folder = mkdtempSync(join(tmpdir(), "capgen-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
let count = 0;

function write(name, source) {
  const path = join(folder, name);
  writeFileSync(path, transformSync(source, { loader: "ts", target: "es2022" }).code);
  return path;
}

writeFileSync(join(folder, "package.json"), '{"type":"module"}');
write("_capgen.js", shared);

/** The exports of a generated file, given by its text. */
const load = (source) => import(pathToFileURL(write(`${count++}.js`, source)));

export { job, load };
