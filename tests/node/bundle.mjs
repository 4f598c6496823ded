// Reads jobs from stdin and writes the bundle of each, without unused code, minified if the job asks for it; both JSON:
//   [{"files": [["a.ts", "..."]], "entry": "import { x } from './a.ts'; console.log(x)"}] -> ["..."]
import { readFileSync } from "node:fs";
import { build } from "esbuild";

async function bundle({ files, entry, minify = false }) {
  const texts = new Map(files.map(([name, text]) => [`./${name}`, text]));
  const memory = {
    name: "memory",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path }) => ({ path, namespace: "memory" }));
      // Bundlers find the source of a compiled file that is imported.
      const text = (path) => texts.get(path) ?? texts.get(path.replace(/\.js$|(?<!\.[jt]s)$/, ".ts"));
      onLoad({ filter: /.*/, namespace: "memory" }, ({ path }) => ({ contents: text(path), loader: "ts" }));
    },
  };
  const options = { bundle: true, minify, format: "esm", target: "es2022", write: false, plugins: [memory] };
  const { outputFiles } = await build({ ...options, stdin: { contents: entry, loader: "ts" } });
  return outputFiles[0].text;
}

const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await Promise.all(jobs.map(bundle))));
