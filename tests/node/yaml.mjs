// Reads YAML texts from stdin, and writes the value of each as YAML 1.2 and as YAML 1.1; input and output are JSON.
import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";

function read(text, version) {
  const document = parseDocument(text, { version });
  for (const problem of [...document.errors, ...document.warnings]) throw problem;
  return document.toJS();
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => ["1.2", "1.1"].map((version) => read(text, version)))));
