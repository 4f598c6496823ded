// Reads generated files from stdin and writes the findings of linters and formatters about them; both JSON:
//   [["a.ts", "..."]] -> {"ESLint": ["a.ts:1 no-var"], "Biome": [], "Prettier": []}
// ESLint and Biome run with every rule that they have, Prettier with the option that honours pragmas.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import js from "@eslint/js";
import { ESLint } from "eslint";
import prettier from "prettier";
import tseslint from "typescript-eslint";

const folder = mkdtempSync(join(tmpdir(), "capgen-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

async function eslint() {
  const languageOptions = { parserOptions: { projectService: true, tsconfigRootDir: folder } };
  const linterOptions = { reportUnusedDisableDirectives: "error" };
  const overrideConfig = tseslint.config(js.configs.all, tseslint.configs.all, { languageOptions, linterOptions });
  const tool = new ESLint({ cwd: folder, overrideConfigFile: true, overrideConfig });
  const results = await tool.lintFiles(["*.ts"]);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, ruleId, message }) => `${filePath.slice(folder.length + 1)}:${line} ${ruleId ?? message}`),
  );
}

function biome() {
  const program = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const { status, stdout, stderr } = spawnSync("node", [program, "check", "--error-on-warnings", ...files.map(([name]) => name)], {
    cwd: folder,
    encoding: "utf8",
  });
  return status === 0 ? [] : [stdout + stderr];
}

async function format([name, content]) {
  const isFormatted = await prettier.check(content, { filepath: name, checkIgnorePragma: true });
  return isFormatted ? [] : [name];
}

// One of the tools makes the standard input non-blocking, so it cannot be read synchronously.
const files = JSON.parse(await text(process.stdin));
for (const [name, content] of files) writeFileSync(join(folder, name), content);
const compilerOptions = { strict: true, target: "es2022", module: "esnext", moduleResolution: "bundler" };
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
writeFileSync(join(folder, "biome.json"), JSON.stringify({ linter: { rules: { preset: "all" } } }));
const unformatted = (await Promise.all(files.map(format))).flat();
process.stdout.write(JSON.stringify({ ESLint: await eslint(), Biome: biome(), Prettier: unformatted }));
