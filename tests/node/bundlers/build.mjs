// Builds a program with each bundler and the plugin: with right and wrong manifests, and again when a manifest is saved.
//
// Standard input: { folder, plugins }. Standard output: { problems }. The folder has a fleet with the agent `pr-reviewer`; `plugins` is the
// folder with a module for each bundler.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { rspack } from "@rspack/core";
import * as esbuild from "esbuild";
import { rollup, watch } from "rollup";
import { build as vite } from "vite";

const job = JSON.parse(readFileSync(0, "utf8"));
const manifest = join(job.folder, "agents/pr-reviewer/capabilities.yaml");
const right = readFileSync(manifest, "utf8");
const wrong = right.replace("type: string,", "type: strin,");
const entry = join(job.folder, "main.js");
writeFileSync(entry, 'export { parseReviewPrRequest } from "./generated/pr-reviewer.mjs";\n');
writeFileSync(join(job.folder, "package.json"), '{ "type": "module" }');

const options = { peer: "pr-reviewer", lang: "mjs", out: "generated", cwd: job.folder };
const load = async (name) => (await import(pathToFileURL(join(job.plugins, `${name}.js`)))).default;
let number = 0;

/** Whether the built program accepts a severity. */
async function accepts(file, severity) {
  number += 1;
  // A path that was not imported before.
  const { parseReviewPrRequest } = await import(`${pathToFileURL(file)}?${number}`);
  return parseReviewPrRequest({ prUrl: "x", severity }).ok;
}

/** The message of the error with which a promise is rejected. */
const failure = (promise) => promise.then(() => assert.fail("the build did not fail"), (error) => error);

/** A function of callers, each of which waits for the next result of a watch. */
function results() {
  const waiting = [];
  const early = [];
  return {
    push: (result) => (waiting.length > 0 ? waiting.shift()(result) : early.push(result)),
    next: () => (early.length > 0 ? early.shift() : new Promise((resolve) => waiting.push(resolve))),
  };
}

/** Waits for a result of a watch that fits: a save may cause more than one build. */
async function until(queue, fits) {
  for (;;) {
    const result = await queue.next();
    if (await fits(result)) return result;
  }
}

const builds = {
  async vite(out, plugin) {
    const lib = { entry, formats: ["es"], fileName: () => "main.mjs" };
    await vite({ root: job.folder, configFile: false, logLevel: "silent", plugins: [plugin], build: { lib, outDir: out, emptyOutDir: true } });
  },
  async rollup(out, plugin) {
    const bundle = await rollup({ input: entry, plugins: [plugin], logLevel: "silent" });
    await bundle.write({ file: join(out, "main.mjs") });
  },
  async esbuild(out, plugin) {
    await esbuild.build({ entryPoints: [entry], bundle: true, format: "esm", outfile: join(out, "main.mjs"), plugins: [plugin], logLevel: "silent" });
  },
  async rspack(out, plugin) {
    const compiler = rspack(rspackOptions(out, plugin));
    const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
    await new Promise((resolve) => compiler.close(resolve));
    const { errors } = stats.toJson({ all: false, errors: true });
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  },
};

function rspackOptions(out, plugin) {
  const output = { path: out, filename: "main.mjs", library: { type: "module" }, module: true, chunkFormat: "module" };
  return { mode: "development", devtool: false, context: job.folder, entry, output, target: "node20", experiments: { outputModule: true }, plugins: [plugin] };
}

const watches = {
  rollup(out, plugin, queue) {
    const watcher = watch({ input: entry, plugins: [plugin], logLevel: "silent", output: { file: join(out, "main.mjs") } });
    watcher.on("event", ({ code, error, result }) => {
      result?.close();
      if (code === "END" || code === "ERROR") queue.push(error?.message ?? "");
    });
    return () => watcher.close();
  },
  async esbuild(out, plugin, queue) {
    const ended = { name: "ended", setup: (build) => build.onEnd(({ errors }) => queue.push(errors.map(({ text }) => text).join("\n"))) };
    const context = await esbuild.context({
      entryPoints: [entry], bundle: true, format: "esm", outfile: join(out, "main.mjs"), plugins: [plugin, ended], logLevel: "silent",
    });
    await context.watch();
    return () => context.dispose();
  },
  rspack(out, plugin, queue) {
    const compiler = rspack(rspackOptions(out, plugin));
    compiler.watch({ aggregateTimeout: 50 }, (error, stats) => {
      const errors = stats?.toJson({ all: false, errors: true }).errors ?? [];
      queue.push([...(error ? [error.message] : []), ...errors.map(({ message }) => message)].join("\n"));
    });
    return () => new Promise((resolve) => compiler.close(resolve));
  },
};

for (const [name, build] of Object.entries(builds)) {
  const plugin = await load(name);
  const out = join(job.folder, "built", name);
  rmSync(join(job.folder, "generated"), { recursive: true, force: true });
  writeFileSync(manifest, right);
  mkdirSync(out, { recursive: true });
  await build(out, plugin(options));
  assert.deepEqual([await accepts(join(out, "main.mjs"), "high"), await accepts(join(out, "main.mjs"), "urgent")], [true, false], name);
  // An error fails the build, with its place.
  writeFileSync(manifest, wrong);
  const error = await failure(build(out, plugin(options)));
  assert.match(error.message, /agents\/pr-reviewer\/capabilities\.yaml:16:24: error\[E0105\]: unknown type "strin"/, name);
  if (name === "esbuild") assert.deepEqual([error.errors[0].location.line, error.errors[0].location.column], [16, 23]);
  if (name === "rollup") assert.deepEqual([error.loc.line, error.loc.column, error.plugin], [16, 23, "capgen"]);
  // In a job that only checks, code that is out of date fails the build.
  writeFileSync(manifest, right.replace("[low, med, high]", "[low, med]"));
  assert.match((await failure(build(out, plugin({ ...options, check: true })))).message, /error\[E0405\]/, name);
  assert.match(readFileSync(join(job.folder, "generated/pr-reviewer.mjs"), "utf8"), /"high"/);
  assert.match((await failure(build(out, plugin({ cwd: job.folder })))).message, /no contracts selected/, name);
}

for (const [name, start] of Object.entries(watches)) {
  const plugin = await load(name);
  const out = join(job.folder, "watched", name);
  mkdirSync(out, { recursive: true });
  writeFileSync(manifest, right);
  const queue = results();
  const built = async (expected) => (await accepts(join(out, "main.mjs"), "high")) === expected;
  const stop = await start(out, plugin(options), queue);
  await until(queue, async (error) => error === "" && (await built(true)));
  writeFileSync(manifest, right.replace("[low, med, high]", "[low, med]"));
  await until(queue, async (error) => error === "" && (await built(false)));
  writeFileSync(manifest, wrong);
  await until(queue, (error) => error.includes("E0105"));
  writeFileSync(manifest, right);
  await until(queue, async (error) => error === "" && (await built(true)));
  await stop();
}

process.stdout.write(JSON.stringify({ problems: [] }));
