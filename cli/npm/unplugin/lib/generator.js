// Runs `generate`, and knows the files that its result depends on.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import { generate } from "@capgen/cli";

const MANIFESTS = ["capabilities.yaml", "capabilities.yml", "capabilities.json"];

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The root folder of the fleet around a folder, as the program finds it; the folder itself if there is none. */
function rootOf(folder) {
  for (let current = folder; ; current = dirname(current)) {
    if (isFile(join(current, "fleet.yaml")) || isFolder(join(current, "agents"))) return current;
    if (dirname(current) === current) return folder;
  }
}

const listed = (value) => (value === undefined ? [] : [value].flat());

export class Generator {
  #options;
  #cwd;
  #root;
  /** The files of earlier results: after an error, a result names no manifests. */
  #known = new Set();
  #running;

  constructor(options) {
    this.#options = options;
    this.#cwd = resolve(options.cwd ?? ".");
    this.#root = options.root === undefined ? rootOf(this.#cwd) : resolve(this.#cwd, options.root);
  }

  /** The folders in which manifests may appear, and the file of the fleet. */
  get places() {
    return [join(this.#root, "agents"), join(this.#root, "fleet.yaml"), ...this.files()];
  }

  /** Whether a file may change the result. */
  dependsOn(path) {
    const name = resolve(path);
    const isInFleet = !relative(this.#root, name).startsWith("..");
    // A manifest that was removed is no longer a file.
    return (isInFleet && [...MANIFESTS, "fleet.yaml"].includes(basename(name))) || this.files().includes(name);
  }

  /** The files that the result depends on, as absolute paths. */
  files() {
    const { capabilities, mcp, accepted, history } = this.#options;
    const options = [...listed(capabilities), ...listed(mcp), ...listed(accepted), ...listed(history)];
    const named = [...options, ...this.#known].map((path) => resolve(this.#cwd, path));
    const agents = join(this.#root, "agents");
    const folders = isFolder(agents) ? readdirSync(agents) : [];
    const manifests = folders.flatMap((id) => MANIFESTS.map((name) => join(agents, id, name)));
    return [...new Set([join(this.#root, "fleet.yaml"), ...manifests, ...named])].filter(isFile);
  }

  /** Runs `generate`. Calls during a run share the run after it, which sees everything that was saved before it starts. */
  run() {
    if (this.#running === undefined) {
      const current = this.#once().finally(() => {
        if (this.#running?.current === current) this.#running = undefined;
      });
      this.#running = { current };
      return current;
    }
    const running = this.#running;
    running.next ??= running.current.then(
      () => this.run(),
      () => this.run(),
    );
    return running.next;
  }

  async #once() {
    const { ok, peers, diagnostics } = await generate(this.#options);
    for (const { source } of peers) this.#known.add(source);
    for (const { path } of diagnostics) if (path !== undefined) this.#known.add(path);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return { ok, errors, others: diagnostics.filter(({ severity }) => severity !== "error"), place: (path) => resolve(this.#cwd, path) };
  }
}
