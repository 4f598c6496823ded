import type { Plugin } from "esbuild";

import type { CapgenOptions } from "./index.js";

/** The plugin for esbuild. */
export default function capgen(options?: CapgenOptions): Plugin;
