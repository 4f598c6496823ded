import type { WebpackPluginInstance as Plugin } from "webpack";

import type { CapgenOptions } from "./index.js";

/** The plugin for webpack. */
export default function capgen(options?: CapgenOptions): Plugin;
