import type { Plugin } from "vite";

import type { CapgenOptions } from "./index.js";

/** The plugin for Vite. */
export default function capgen(options?: CapgenOptions): Plugin;
