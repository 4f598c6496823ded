import type { Plugin } from "rollup";

import type { CapgenOptions } from "./index.js";

/** The plugin for Rollup. */
export default function capgen(options?: CapgenOptions): Plugin;
