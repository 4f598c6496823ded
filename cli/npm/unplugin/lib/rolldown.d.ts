import type { Plugin } from "rolldown";

import type { CapgenOptions } from "./index.js";

/** The plugin for Rolldown. */
export default function capgen(options?: CapgenOptions): Plugin;
