import index from "./index.js";

export const { CapgenError, check, diff, example, exportManifest, generate, importManifest, lock, validate } = index;
