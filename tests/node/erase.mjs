// Reads texts in TypeScript or JavaScript from stdin and writes the tokens of each without types; both JSON.
import { readFileSync } from "node:fs";
import ts from "typescript";

const compilerOptions = { target: "es2022", module: "esnext", verbatimModuleSyntax: true, removeComments: true };

function tokens(text) {
  const plain = ts.transpileModule(text, { compilerOptions }).outputText;
  const source = ts.createSourceFile("a.js", plain, ts.ScriptTarget.ES2022, true);
  const found = [];
  const walk = (node) => (node.getChildCount() === 0 ? found.push(node.getText()) : node.getChildren().forEach(walk));
  walk(source);
  return found;
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(tokens)));
